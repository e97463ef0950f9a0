import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { CommandContext } from '../../../src/commands/context.ts';
import type * as pullCommand from '../../../src/commands/registries/pullCommand.ts';
import type * as task from '../../../src/tasks/pullTaskImage.ts';
import { Transfers } from '../../../src/transfers/transfers.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import { english } from '../../../src/l10n.ts';
import { FakeClock } from '../support/fakeClock.ts';
import '../support/fakeEditor.ts';
import { json } from '../support/fakeEngine.ts';
import { openLab, settle, when, type Lab } from '../support/lab.ts';

const IMAGE_ID = `sha256:${'a'.repeat(64)}`;

describe('tasks/pullTaskImage', () => {
  let pullWithCredentials: typeof pullCommand.pullWithCredentials;
  let pullTaskImage: typeof task.pullTaskImage;
  before(async () => {
    ({ pullWithCredentials } = await import('../../../src/commands/registries/pullCommand.ts'));
    ({ pullTaskImage } = await import('../../../src/tasks/pullTaskImage.ts'));
  });

  let lab: Lab;
  let transfers: Transfers;
  let context: CommandContext;
  let connect: task.TaskImage['connect'];
  /** The responses of the pulls that the engine was asked for. */
  let pulls: ServerResponse[];
  /** Whether somebody was there to be asked for credentials, each time. */
  let asked: boolean[];
  let lines: string[];
  const say = (line: string): unknown => lines.push(line);

  beforeEach(async () => {
    [lab, transfers] = [openLab(), new Transfers(new FakeClock())];
    [pulls, asked, lines] = [[], [], []];
    const { connection } = await lab.fake((request, response) => {
      if (request.path !== '/images/create') json(response, 200, { Id: IMAGE_ID, Config: {} });
      else pulls.push(response.writeHead(200, { 'content-type': 'application/json' }));
    });
    const withAuth = (
      { isInteractive }: { readonly isInteractive: boolean },
      work: (auth: undefined) => Promise<unknown>,
    ) => {
      asked.push(isInteractive);
      return work(undefined);
    };
    connect = () => Promise.resolve(connection);
    context = {
      ...{ unit: { id: 'docker' }, engine: { connect }, transfers, registries: { withAuth } },
      titleOf: (name: string) => name,
    } as unknown as CommandContext;
  });
  afterEach(async () => {
    transfers.dispose();
    await lab.close();
  });

  const pull = (signal: AbortSignal): Promise<void> =>
    pullTaskImage({ context, connect, args: { image: 'nginx' } }, say, signal, english);
  const tell = (step: object): unknown => pulls[0]?.write(`${JSON.stringify(step)}\n`);

  it('is in the history, shows its lines, and asks nobody', async () => {
    const history: string[] = [];
    transfers.onDidReport(({ transfer, news }) => {
      history.push(`${transfer.spec.title} ${news.kind}`);
    });
    const done = pull(new AbortController().signal);
    await when(() => pulls.length === 1);
    tell({ id: 'latest', status: 'Pulling from library/nginx' });
    tell({ id: 'a', status: 'Downloading', progressDetail: { current: 1, total: 2 } });
    tell({ id: 'a', status: 'Pull complete' });
    pulls[0]?.end();
    await done;
    assert.deepEqual(lines, ['latest: Pulling from library/nginx', 'a: Pull complete']);
    const kinds = ['begun', 'line', 'line', 'ended'];
    assert.deepEqual(
      history,
      kinds.map((kind) => `nginx:latest ${kind}`),
    );
    assert.deepEqual(asked, [false]);
  });

  it('is from the engine of the task alone', async () => {
    connect = () => Promise.reject(new EngineError('engineReplaced'));
    await assert.rejects(pull(new AbortController().signal), { reason: 'engineReplaced' });
    assert.equal(pulls.length, 0);
  });

  it('says that the pull was canceled if it was, elsewhere', async () => {
    const done = pull(new AbortController().signal);
    await when(() => pulls.length === 1);
    transfers.all[0]?.cancel();
    await assert.rejects(done, { message: 'The pull of nginx was canceled.' });
  });

  it('joins a pull of the same image that runs, and leaves it running when the task ends', async () => {
    const { signal } = new AbortController();
    const first = pullWithCredentials(context, { reference: 'nginx:latest' }, false, signal);
    await when(() => pulls.length === 1);
    const cancelled = new AbortController();
    const tasks = [pull(cancelled.signal), pull(signal)];
    tell({ id: 'a', status: 'Pull complete' });
    await when(() => lines.includes('a: Pull complete'));
    cancelled.abort();
    await assert.rejects(tasks[0] ?? assert.fail(), { name: 'AbortError' });
    await settle();
    assert.deepEqual([pulls.length, transfers.all.map(({ phase }) => phase)], [1, ['running']]);
    pulls[0]?.end();
    assert.equal((await first).imageId, IMAGE_ID);
    await tasks[1];
  });

  it('is cancelled with the task if nothing else waits for it', async () => {
    const task = new AbortController();
    const done = pull(task.signal);
    await when(() => pulls.length === 1);
    task.abort();
    await assert.rejects(done, { name: 'AbortError' });
    await when(() => pulls[0]?.destroyed === true);
    assert.deepEqual(transfers.all, []);
  });
});
