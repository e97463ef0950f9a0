import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../../src/engine/connection.ts';
import { Emitter } from '../../../src/lifetime.ts';
import type { ContainersChange } from '../../../src/output/changeLatch.ts';
import type { LogView } from '../../../src/output/logFollower.ts';
import { LogRuns } from '../../../src/output/logRuns.ts';
import type { WriterClock } from '../../../src/output/logWriter.ts';
import { FakeChannel } from '../support/fakeChannel.ts';
import { FakeContainer, type FakeContainerOptions } from '../support/fakeContainer.ts';
import { json, startFakeEngine, type FakeEngine } from '../support/fakeEngine.ts';
import { english } from '../support/l10n.ts';
import { BEHAVIOURS } from '../support/logStore.ts';

const FOLLOW: LogView = { follow: true, tail: 'all', timestamps: false };
const ONCE: LogView = { ...FOLLOW, follow: false };
const EXITED = '[The container exited with status 3.]\n';
const STARTED_AGAIN = '[The container was started again.]\n';
const REMOVED = '[The container was removed.]\n';
const LOST = '[The connection to the engine is lost. The log goes on when it is back.]\n';

/** No time passes: what is due later is due at the next turn. */
const hurriedClock: WriterClock = {
  now: () => 0,
  after: (_, action) => {
    const timer = setImmediate(action);
    return {
      dispose: () => {
        clearImmediate(timer);
      },
    };
  },
  breathe: () => new Promise((resolve) => setImmediate(resolve)),
};

describe('log channels', () => {
  let engine: FakeEngine;
  let connection: Connection;
  let container: FakeContainer;
  let changes: Emitter<ContainersChange>;
  let channels: FakeChannel[];
  let pauses: number[];
  let watched: number;
  let runs: LogRuns;

  beforeEach(async () => {
    engine = await startFakeEngine();
    connection = openConnection({
      url: engine.url,
      transport: { kind: 'socket', path: engine.socket },
      source: 'setting',
    });
    changes = new Emitter();
    [channels, pauses, watched] = [[], [], 0];
    runs = new LogRuns({
      connect: () => Promise.resolve(connection),
      onDidChangeContainers: changes.event,
      watch: () => watched++,
      l10n: english,
      clock: hurriedClock,
      pause: (milliseconds, signal) => {
        signal.throwIfAborted();
        pauses.push(milliseconds);
        return new Promise((resolve) => setImmediate(resolve));
      },
      createChannel: (name) => {
        const channel = new FakeChannel(name);
        channels.push(channel);
        return channel;
      },
    });
    use({});
  });

  afterEach(async () => {
    runs.dispose();
    connection.dispose();
    await engine.stop();
  });

  function use(options: FakeContainerOptions): void {
    container = new FakeContainer(options);
    engine.answer(container.answer);
  }

  function changed(): void {
    changes.fire({ containers: new Set([container.id]) });
  }

  function open(
    view: LogView,
    name = 'web',
    id = container.id,
  ): Promise<{ readonly channel: string }> {
    return runs.open({ id, name }, view);
  }

  function logRequests(): number {
    return engine.seen.filter(({ path }) => path.endsWith('/logs')).length;
  }

  it('are named after their container, and come to the front without the focus', async () => {
    container.start();
    container.write('one\n');
    assert.deepEqual(await open(FOLLOW), { channel: 'Gantry: web' });
    await channels[0]!.endsWith('one\n');
    assert.equal(channels[0]!.name, 'Gantry: web');
    assert.deepEqual(channels[0]!.calls, ['show(true)']);
    assert.equal(watched, 1);
  });

  it('hold every line when a log that is not followed has been shown', async () => {
    container.start();
    for (let line = 0; line < 3000; line++) container.write(`line ${line} 😀\n`);
    container.write('no end', 2);
    await open(ONCE);
    const expected = Array.from({ length: 3000 }, (_, line) => `line ${line} 😀\n`).join('');
    assert.equal(channels[0]!.text, `${expected}no end\n`);
    assert.equal(watched, 0);
  });

  it('show stamps where they are wanted', async () => {
    container.start();
    container.write('one\n');
    await open({ ...ONCE, timestamps: true });
    assert.match(channels[0]!.text, /^2026-08-01T08:00:00\.002000006Z one\n$/);
  });

  it('ask for what was asked for', async () => {
    container.start();
    await open({ follow: false, tail: 5, since: '12.5', timestamps: false });
    const { query } = engine.seen.at(-1)!;
    assert.deepEqual(
      [query.get('tail'), query.get('since'), query.get('follow')],
      ['5', '12.5', '0'],
    );
  });

  it('are only shown when the same is asked for again', async () => {
    container.start();
    container.write('one\n');
    await open(FOLLOW);
    await channels[0]!.endsWith('one\n');
    await open({ ...FOLLOW });
    container.write('two\n');
    await channels[0]!.endsWith('two\n');
    assert.equal(channels[0]!.text, 'one\ntwo\n');
    assert.deepEqual(channels[0]!.calls, ['show(true)', 'show(true)']);
    assert.equal(logRequests(), 1);
  });

  it('get what is new when a log that is not followed is asked for again', async () => {
    container.start();
    container.write('one\n');
    await open(ONCE);
    container.write('two\n');
    await Promise.all([open(ONCE), open(ONCE)]);
    assert.equal(channels[0]!.text, 'one\ntwo\n');
    assert.equal(channels.length, 1);
  });

  it('are emptied and filled anew when something else is asked for', async () => {
    container.start();
    for (const text of ['one\n', 'two\n']) container.write(text);
    await open(FOLLOW);
    await channels[0]!.endsWith('two\n');
    await open({ ...FOLLOW, tail: 1 });
    container.write('three\n');
    await channels[0]!.endsWith('three\n');
    assert.equal(channels[0]!.text, 'two\nthree\n');
    assert.deepEqual(channels[0]!.calls, ['show(true)', 'clear', 'show(true)']);
    assert.equal(channels.length, 1);
  });

  it('get no late line of what was asked for before', async () => {
    container.start();
    for (let line = 0; line < 20_000; line++) container.write(`old ${line}\n`);
    const first = open(FOLLOW);
    const second = open({ ...ONCE, tail: 1 });
    assert.deepEqual(await Promise.all([first, second]), [
      { channel: 'Gantry: web' },
      { channel: 'Gantry: web' },
    ]);
    assert.equal(channels[0]!.text, 'old 19999\n');
  });

  it('close with the exit status, once', async () => {
    container.start();
    await open(FOLLOW);
    container.write('one\n');
    container.exit(3);
    await channels[0]!.endsWith(EXITED);
    changed();
    container.start();
    changed();
    await channels[0]!.endsWith(STARTED_AGAIN);
    assert.equal(channels[0]!.text, `one\n${EXITED}${STARTED_AGAIN}`);
  });

  it('close at once where the container has ended before', async () => {
    container.start();
    container.write('one\n');
    container.exit(3);
    await open(FOLLOW);
    await channels[0]!.endsWith(EXITED);
    assert.equal(channels[0]!.text, `one\n${EXITED}`);
  });

  it('do not follow what has ended: Podman 4 loses lines of it then', async () => {
    container.start();
    container.exit(3);
    await open(FOLLOW);
    await channels[0]!.endsWith(EXITED);
    const logs = engine.seen.filter(({ path }) => path.endsWith('/logs'));
    assert.ok(logs.every(({ query }) => query.get('follow') !== '1'));
  });

  it('say nothing of an exit where the container was never started', async () => {
    await open(FOLLOW);
    container.start();
    container.write('one\n');
    changed();
    await channels[0]!.endsWith('one\n');
    assert.equal(channels[0]!.text, '[The container was started.]\none\n');
  });

  it('wait for an exit that the engine has not noticed when the log ends', async () => {
    container.start();
    await open(FOLLOW);
    container.write('one\n');
    let asked = 0;
    engine.answer((request, response) => {
      if (request.path.endsWith('/json') && ++asked === 2) container.settle(3);
      return container.answer(request, response);
    });
    container.endLogs();
    await channels[0]!.endsWith(EXITED);
    assert.equal(channels[0]!.text, `one\n${EXITED}`);
  });

  for (const behaviour of BEHAVIOURS) {
    it(`go on over restarts without doubling or losing a line: ${behaviour}`, async () => {
      use({ behaviour });
      container.start();
      await open(FOLLOW);
      let expected = '';
      for (let run = 0; run < 4; run++) {
        for (let line = 0; line < 5; line++) container.write('same\n', line % 2 === 0 ? 1 : 2);
        container.exit(3);
        expected += 'same\n'.repeat(5) + EXITED;
        await channels[0]!.until(() => channels[0]!.text === expected);
        container.start();
        changed();
        expected += STARTED_AGAIN;
        await channels[0]!.until(() => channels[0]!.text === expected);
      }
      assert.equal(channels[0]!.text, expected);
    });
  }

  it('go on where the container was started again before anybody looked', async () => {
    use({ losesUnterminatedEnd: true });
    container.start();
    await open(FOLLOW);
    container.write('one\n');
    await channels[0]!.endsWith('one\n');
    container.write('no end');
    container.start();
    container.endLogs();
    container.write('three\n');
    await channels[0]!.endsWith('three\n');
    assert.equal(channels[0]!.text, `one\nno end\n${STARTED_AGAIN}three\n`);
  });

  it('tell each exit of a container that restarts by itself', async () => {
    container.start();
    await open(FOLLOW);
    for (let run = 1; run <= 3; run++) {
      container.write(`run ${run}\n`);
      container.settle(3, 'restarting');
      container.endLogs();
      await channels[0]!.endsWith(`run ${run}\n${EXITED}`);
      changed();
      container.start();
      changed();
      await channels[0]!.endsWith(STARTED_AGAIN);
    }
    assert.equal(channels[0]!.text.split(EXITED).length, 4);
  });

  it('get the last line that the engine leaves out of a followed log', async () => {
    use({ losesUnterminatedEnd: true });
    container.start();
    await open(FOLLOW);
    container.write('one\n');
    container.write('no end');
    container.exit(3);
    await channels[0]!.endsWith(EXITED);
    assert.equal(channels[0]!.text, `one\nno end\n${EXITED}`);
  });

  it('get it also where it is the only one', async () => {
    use({ losesUnterminatedEnd: true });
    container.start();
    await open(FOLLOW);
    container.write('no end');
    container.exit(3);
    await channels[0]!.endsWith(EXITED);
    assert.equal(channels[0]!.text, `no end\n${EXITED}`);
  });

  it('say that the container was removed, and stay', async () => {
    container.start();
    await open(FOLLOW);
    container.write('one\n');
    container.write('no end');
    container.remove();
    await channels[0]!.endsWith(REMOVED);
    assert.equal(channels[0]!.text, `one\nno end\n${REMOVED}`);
    assert.deepEqual(channels[0]!.calls, ['show(true)']);
  });

  it('say that a container that had ended was removed', async () => {
    container.start();
    container.exit(3);
    await open(FOLLOW);
    await channels[0]!.endsWith(EXITED);
    container.remove();
    changed();
    await channels[0]!.endsWith(REMOVED);
    assert.equal(channels[0]!.text, `${EXITED}${REMOVED}`);
  });

  for (const behaviour of BEHAVIOURS) {
    it(`go on after a break, and say so once: ${behaviour}`, async () => {
      use({ behaviour });
      container.start();
      await open(FOLLOW);
      container.write('one\n');
      await channels[0]!.endsWith('one\n');
      let refused = 0;
      engine.answer((request, response) => {
        if (++refused < 8) response.destroy();
        else return container.answer(request, response);
      });
      engine.cut();
      container.write('two\n');
      await channels[0]!.endsWith('two\n');
      container.write('three\n');
      await channels[0]!.endsWith('three\n');
      assert.equal(channels[0]!.text, `one\n${LOST}two\nthree\n`);
      assert.deepEqual(pauses, [250, 500, 1000, 2000]);
    });
  }

  it('say a second break, too, and wait shortly again', async () => {
    container.start();
    await open(FOLLOW);
    for (const text of ['one\n', 'two\n']) {
      container.write(text);
      await channels[0]!.endsWith(text);
      engine.cut();
      await channels[0]!.endsWith(LOST);
    }
    container.write('three\n');
    await channels[0]!.endsWith('three\n');
    assert.equal(channels[0]!.text, `one\n${LOST}two\n${LOST}three\n`);
    assert.deepEqual(pauses, [250, 250]);
  });

  it("say the engine's own words where it cannot read the log, and try again after a change", async () => {
    container.start();
    await open(FOLLOW);
    engine.answer((request, response) => {
      if (request.path.endsWith('/json')) return container.answer(request, response);
      json(response, 500, { message: 'disk is gone' });
    });
    container.endLogs();
    await channels[0]!.endsWith('[The log cannot be read on: disk is gone]\n');
    engine.answer(container.answer);
    container.write('back\n');
    changed();
    await channels[0]!.endsWith('back\n');
    assert.equal(channels[0]!.text, '[The log cannot be read on: disk is gone]\nback\n');
  });

  it('do not open where the engine refuses, and open the next time', async () => {
    engine.answer((request, response) => {
      if (request.path.endsWith('/json')) return container.answer(request, response);
      json(response, 501, { message: 'configured logging driver does not support reading' });
    });
    for (const view of [FOLLOW, ONCE])
      await assert.rejects(open(view), {
        engineMessage: 'configured logging driver does not support reading',
      });
    assert.deepEqual(
      channels.map(({ calls }) => calls),
      [
        ['show(true)', 'dispose'],
        ['show(true)', 'dispose'],
      ],
    );
    engine.answer(container.answer);
    container.start();
    container.write('one\n');
    await open(FOLLOW);
    await channels[2]!.endsWith('one\n');
  });

  it('keep what they hold where getting what is new fails', async () => {
    container.start();
    container.write('one\n');
    await open(ONCE);
    engine.answer((_, response) => {
      json(response, 500, { message: 'no' });
    });
    await assert.rejects(open(ONCE), { engineMessage: 'no' });
    engine.answer(container.answer);
    container.write('two\n');
    await open(ONCE);
    assert.equal(channels[0]!.text, 'one\ntwo\n');
  });

  it('bear the short id where two containers have one name', async () => {
    container.start();
    await open(FOLLOW);
    const other = 'd'.repeat(64);
    assert.deepEqual(await open(FOLLOW, 'web', other), {
      channel: `Gantry: web (${'d'.repeat(12)})`,
    });
    assert.deepEqual(await open(FOLLOW, 'web', other), {
      channel: `Gantry: web (${'d'.repeat(12)})`,
    });
    assert.equal(channels.length, 2);
  });

  it('take over the name of a container that was removed', async () => {
    container.start();
    await open(FOLLOW);
    container.remove();
    await channels[0]!.endsWith(REMOVED);
    use({});
    assert.deepEqual(await open(FOLLOW, 'web', 'd'.repeat(64)), { channel: 'Gantry: web' });
    assert.deepEqual(channels[0]!.calls.at(-1), 'dispose');
  });

  it('follow their container to a new name', async () => {
    container.start();
    await open(FOLLOW);
    assert.deepEqual(await open(FOLLOW, 'shop'), { channel: 'Gantry: shop' });
    assert.deepEqual(channels[0]!.calls.at(-1), 'dispose');
  });

  it('end with their owner', async () => {
    container.start();
    await open(FOLLOW);
    const isClosed = new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (container.followers > 0) return;
        clearInterval(timer);
        resolve();
      }, 1);
    });
    runs.dispose();
    await isClosed;
    assert.deepEqual(channels[0]!.calls, ['show(true)', 'dispose']);
  });
});
