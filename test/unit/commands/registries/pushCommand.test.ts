import assert from 'node:assert/strict';
import type { TargetCall } from '../../../../src/commands/command.ts';
import type { CommandContext } from '../../../../src/commands/context.ts';
import type * as command from '../../../../src/commands/registries/pushCommand.ts';
import { ImageChangedError } from '../../../../src/engine/images/removeImages.ts';
import type { PushResult } from '../../../../src/engine/images/pushImage.ts';
import type { TransferSpec } from '../../../../src/transfers/transfer.ts';
import '../../support/fakeEditor.ts';
import { json } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';

const [CHOSEN, OTHER] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`];
const NAME = 'registry.example.org/app:1';

describe('commands/pushCommand', () => {
  let pushCommand: typeof command.pushCommand;
  before(async () => {
    ({ pushCommand } = await import('../../../../src/commands/registries/pushCommand.ts'));
  });

  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  /** A push of the chosen image by its tag, which refers to `now` once the user has signed in. */
  async function push(now: string) {
    let isRefused = false;
    const { engine, connection } = await lab.fake((request, response) => {
      if (request.method === 'POST' && isRefused) json(response, 500, { message: 'refused' });
      else if (request.method === 'POST') json(response, 200, { status: 'pushed' });
      else json(response, 200, { Id: now, RepoTags: [NAME] });
    });
    const specs: TransferSpec<PushResult>[] = [];
    const { signal } = new AbortController();
    const transfers = {
      push: (spec: TransferSpec<PushResult>) => {
        specs.push(spec);
        return { join: () => spec.work(() => undefined, signal, true) };
      },
    };
    const connect = () => Promise.resolve(connection);
    const withAuth = (_access: object, work: (auth: undefined) => Promise<unknown>) =>
      work(undefined);
    const context = {
      ...{ unit: { id: 'docker' }, engine: { connect }, transfers, registries: { withAuth } },
      titleOf: (name: string) => name,
    } as unknown as CommandContext;
    const image = { id: CHOSEN, tags: [NAME], digests: [], createdAt: '', size: 0 };
    const target = () => Promise.resolve({ id: NAME, name: NAME, context, image });
    const call: TargetCall<object> = {
      ...{ args: {}, text: NAME, signal, isInteractive: false, connect, target },
    };
    return {
      run: () => pushCommand.run(call, context),
      retry: async (isInteractive = true) => specs[0]?.work(() => undefined, signal, isInteractive),
      refuse: () => (isRefused = true),
      move: (id: string) => (now = id),
      pushes: () => engine.seen.filter(({ method }) => method === 'POST').length,
    };
  }

  it('sends what the tag refers to if that is the image that was chosen', async () => {
    const { run, pushes } = await push(CHOSEN);
    await run();
    assert.equal(pushes(), 1);
  });

  it('sends nothing if the tag refers to another image by now', async () => {
    const { run, pushes } = await push(OTHER);
    await assert.rejects(run(), new ImageChangedError('notPushed'));
    assert.equal(pushes(), 0);
  });

  it('sends the other one if the user then tries again', async () => {
    const { run, retry, pushes } = await push(OTHER);
    await assert.rejects(run());
    await retry();
    assert.equal(pushes(), 1);
  });

  it('still sends nothing if a script tries again', async () => {
    const { run, retry, pushes } = await push(OTHER);
    await assert.rejects(run());
    await assert.rejects(retry(false), new ImageChangedError('notPushed'));
    assert.equal(pushes(), 0);
  });

  it('sends nothing if the tag moves between another failure and the next try', async () => {
    const { run, retry, refuse, move, pushes } = await push(CHOSEN);
    refuse();
    await assert.rejects(run(), /refused/);
    move(OTHER);
    await assert.rejects(retry(), new ImageChangedError('notPushed'));
    assert.equal(pushes(), 1);
  });
});
