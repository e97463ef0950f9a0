import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { ContainerExits } from '../../../../src/engines/containerExits.ts';
import { lifecycleCommands } from '../../../../src/commands/containers/lifecycleCommands.ts';
import { waitCommand } from '../../../../src/commands/containers/waitCommand.ts';
import { container } from '../../inventory/support/nouns.ts';
import { containerRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { FakeContainer } from '../../support/fakeContainer.ts';
import { json } from '../../support/fakeEngine.ts';
import { when } from '../../support/lab.ts';

/** Counts the waits that are registered with the engine. */
class WatchedExits extends ContainerExits {
  standing = 0;
  override registerWait(): ReturnType<ContainerExits['registerWait']> {
    const wait = super.registerWait();
    return {
      ...wait,
      settle: () => {
        this.standing += 1;
        wait.settle();
      },
    };
  }
}

describe('commands/waitCommand', () => {
  let lab: CommandLab;
  let web: FakeContainer;
  let exits: WatchedExits;
  let waiting: ServerResponse[];
  beforeEach(async () => {
    web = new FakeContainer();
    exits = new WatchedExits();
    waiting = [];
    lab = await openCommandLab(
      (request, response) => {
        if (!request.path.endsWith('/wait')) return web.answer(request, response);
        waiting.push(response);
        response.flushHeaders();
      },
      { exits },
    );
    lab.list([container('c', { name: 'web' })]);
  });
  afterEach(() => lab.close());

  /** Lets the container exit, and answers the wait. */
  async function exit(exitCode: number, more: object = {}): Promise<void> {
    await when(() => waiting.length > 0 && exits.standing > 0);
    web.exit(exitCode);
    waiting[0]?.end(JSON.stringify({ StatusCode: exitCode, ...more }));
  }
  const byRow = () => lab.run(waitCommand(), containerRow(container('c', { name: 'web' })));
  const byArgument = (more: object = {}) => lab.call(waitCommand(), { id: web.id, ...more });
  const conditions = () =>
    lab.engine.seen.flatMap(({ path, query }) =>
      path.endsWith('/wait') ? [query.get('condition')] : [],
    );
  const said = () => lab.ui.of('info').map(({ text }) => text);

  it('reports the exit code and the last line of output, and offers the log', async () => {
    web.start();
    web.write('starting\n');
    web.write('no such table\n\n');
    const ended = byRow();
    await exit(3);
    assert.deepEqual(await ended, { exitCode: 3 });
    assert.deepEqual(said(), ['web exited with code 3 after 0 s. Its last line: no such table']);
    assert.deepEqual(lab.ui.of('info')[0]?.buttons, ['Show Logs']);
    assert.equal(lab.ui.of('progress')[0]?.text, 'Waiting for web to exit');
    assert.deepEqual(conditions(), ['not-running']);
  });

  it("shows no line after exit code 0, and the engine's error if there is one", async () => {
    web.start();
    web.write('done\n');
    let ended = byRow();
    await exit(0);
    await ended;
    waiting = [];
    exits.standing = 0;
    web.start();
    ended = byRow();
    await exit(127, { Error: { Message: 'no such program' } });
    assert.deepEqual(await ended, { exitCode: 127, error: 'no such program' });
    assert.deepEqual(said(), [
      'web exited with code 0 after 0 s.',
      'web exited with code 127 after 0 s. no such program',
    ]);
  });

  it('waits for the first run of a container that never ran, if the user asks', async () => {
    const ended = byRow();
    await exit(0);
    assert.deepEqual(await ended, { exitCode: 0 });
    assert.deepEqual(conditions(), ['next-exit']);
  });

  it('rejects a call that waits for the exit of a container that never ran', async () => {
    await assert.rejects(byArgument(), /has never been started, so it has no exit code/);
    waiting = [];
    exits.standing = 0;
    const ended = byArgument({ condition: 'next-exit' });
    await exit(5);
    assert.deepEqual(await ended, { exitCode: 5 });
  });

  it('sends a full ID without a lookup first, which could come after the exit', async () => {
    const ended = byArgument({ condition: 'next-exit' });
    await exit(5);
    await ended;
    assert.equal(lab.engine.seen[0]?.path, `/containers/${web.id}/wait`);
  });

  it('rejects if a start by Gantry fails', async () => {
    const ended = byArgument({ condition: 'next-exit' });
    await when(() => exits.standing > 0);
    exits.startFailed(web.id, new Error('no such program'));
    await assert.rejects(ended, /no such program/);
  });

  /** What leaves unknown whether the engine starts the container. */
  const interruptions: Readonly<Record<string, (response: ServerResponse) => void>> = {
    'is canceled': () => lab.ui.cancel(),
    'loses its answer': (response) => response.destroy(),
  };
  for (const [what, interrupt] of Object.entries(interruptions)) {
    it(`keeps waiting if a start by Gantry ${what}`, async () => {
      const ended = byArgument({ condition: 'next-exit' });
      await when(() => exits.standing > 0);
      lab.register(lifecycleCommands(lab.ui));
      lab.engine.answer((request, response) => {
        if (!request.path.endsWith('/start')) return web.answer(request, response);
        interrupt(response);
      });
      await lab.run('gantry.containers.start', containerRow(container('c', { name: 'web' })));
      await exit(5);
      assert.deepEqual(await ended, { exitCode: 5 });
    });
  }

  it('returns the kept exit of a container that is gone', async () => {
    exits.keep(web.id, 'web', Promise.resolve({ exitCode: 7 }));
    assert.deepEqual(await byArgument(), { exitCode: 7 });
    web.remove();
    assert.deepEqual(await byArgument({ id: 'web' }), { exitCode: 7 });
    assert.deepEqual(conditions(), []);
    await assert.rejects(byArgument({ id: 'other' }), /Could not wait for other/);
  });

  it('waits for the removal on request', async () => {
    web.start();
    const ended = byArgument({ condition: 'removed' });
    await exit(2);
    assert.deepEqual(await ended, { exitCode: 2 });
    assert.deepEqual(conditions(), ['removed']);
  });

  it("shows the engine's error if it rejects the wait", async () => {
    web.start();
    lab.engine.answer((request, response) => {
      if (!request.path.endsWith('/wait')) return web.answer(request, response);
      json(response, 500, { message: 'out of order' });
    });
    await byRow();
    assert.equal(lab.ui.of('error')[0]?.text, 'Could not wait for web: out of order');
    assert.equal(exits.standing, 1);
  });
});
