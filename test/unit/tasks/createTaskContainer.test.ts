import { fakeMemento } from '../support/commandLab.ts';
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { CommandContext } from '../../../src/commands/frame/commandContext.ts';
import { pullWithCredentials } from '../../../src/commands/registries/pullCommand.ts';
import {
  createTaskContainer,
  createWithFreeName,
  pullTaskImage,
  type ContextTask,
} from '../../../src/tasks/createTaskContainer.ts';
import { Transfers } from '../../../src/registries/transfers/transfers.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import type { Container } from '../../../src/engine/model.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { json } from '../support/fakeEngine.ts';
import { openLab, settle, when, type Lab } from '../support/lab.ts';
import { ScriptedUi } from '../support/scriptedUi.ts';

const IMAGE_ID = `sha256:${'a'.repeat(64)}`;

describe('a pull of a task', () => {
  let lab: Lab;
  let transfers: Transfers;
  let context: CommandContext;
  let connect: ContextTask['connect'];
  /** The responses to the pull requests. */
  let pulls: ServerResponse[];
  /** Whether the user could be asked for credentials, for each pull. */
  let asked: boolean[];
  let lines: string[];
  const say = (line: string): unknown => lines.push(line);

  beforeEach(async () => {
    lab = openLab();
    transfers = new Transfers(new FakeClock());
    pulls = [];
    asked = [];
    lines = [];
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
      ui: new ScriptedUi(),
      ...{
        unit: { id: 'docker' },
        engine: { connect },
        window: {
          transfers,
          registries: () => Promise.resolve({ withAuth }),
          memory: fakeMemento(),
        },
      },
      titleOf: (name: string) => name,
    } as unknown as CommandContext;
  });
  afterEach(async () => {
    transfers.dispose();
    await lab.close();
  });

  const pull = (signal: AbortSignal): Promise<void> =>
    pullTaskImage({ context, connect, args: { image: 'nginx' } }, say, signal);
  const tell = (step: object): unknown => pulls[0]?.write(`${JSON.stringify(step)}\n`);

  it('is in the history, shows its progress, and does not ask the user', async () => {
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

  it('uses only the engine of the task', async () => {
    connect = () => Promise.reject(new EngineError('engineReplaced'));
    await assert.rejects(pull(new AbortController().signal), { reason: 'engineReplaced' });
    assert.equal(pulls.length, 0);
  });

  it('reports that it was canceled if it was canceled elsewhere', async () => {
    const done = pull(new AbortController().signal);
    await when(() => pulls.length === 1);
    transfers.all[0]?.cancel();
    await assert.rejects(done, { message: 'The pull of nginx was canceled.' });
  });

  it('joins a pull of the same image, and leaves it running when the task ends', async () => {
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

  it('is canceled with the task if nothing else waits for it', async () => {
    const task = new AbortController();
    const done = pull(task.signal);
    await when(() => pulls.length === 1);
    task.abort();
    await assert.rejects(done, { name: 'AbortError' });
    await when(() => pulls[0]?.destroyed === true);
    assert.deepEqual(transfers.all, []);
  });
});

describe('tasks/createTaskContainer', () => {
  const ID = 'c'.repeat(64);
  let lab: Lab;
  let lines: string[];
  /** The requests that change something. */
  let asked: string[];
  /** Whether the engine has the image, and for which platform. */
  let has: 'image' | 'otherPlatform' | 'nothing';
  beforeEach(() => {
    lab = openLab();
    lines = [];
    asked = [];
    has = 'nothing';
  });
  afterEach(() => lab.close());

  async function create(pull: ContextTask['pull'], fields: object = {}) {
    const { connection } = await lab.fake(({ method, path }, response) => {
      if (method === 'POST') asked.push(path);
      if (path === '/images/create') {
        has = 'image';
        response.end(JSON.stringify({ status: 'Pull complete' }));
      } else if (path === '/containers/create' && has === 'image') {
        json(response, 201, { Id: ID, Warnings: [] });
      } else if (path.startsWith('/images/') && has !== 'nothing') {
        json(response, 200, { Id: IMAGE_ID, Config: {} });
      } else json(response, 404, { message: 'no such image' });
    });
    const connect = () => Promise.resolve(connection);
    const registries = {
      withAuth: (_: unknown, work: (auth: undefined) => Promise<unknown>) => work(undefined),
    };
    const context = {
      ui: new ScriptedUi(),
      ...{
        unit: { id: 'docker' },
        engine: { connect },
        window: {
          registries: () => Promise.resolve(registries),
          transfers: new Transfers(new FakeClock()),
          memory: fakeMemento(),
        },
      },
      titleOf: (name: string) => name,
    } as unknown as CommandContext;
    const args = { image: 'nginx', ...fields };
    const task: ContextTask = { context, connect, args, pull, remove: false };
    const { signal } = new AbortController();
    return createTaskContainer(task, (line) => lines.push(line), signal);
  }

  it('pulls a missing image, but not an existing one', async () => {
    assert.equal((await create('missing')).id, ID);
    assert.deepEqual(asked, ['/containers/create', '/images/create', '/containers/create']);
    assert.equal(lines[0], 'Pulling nginx');
    asked = [];
    lines = [];
    assert.equal((await create('missing')).id, ID);
    assert.deepEqual([asked, lines], [['/containers/create'], []]);
  });

  it('pulls an existing image if the policy is "always"', async () => {
    has = 'image';
    await create('always');
    assert.deepEqual(asked, ['/images/create', '/containers/create']);
  });

  it('reports what is missing if the policy is "never"', async () => {
    const message = 'Image nginx not found locally, and "pull" is "never".';
    await assert.rejects(create('never'), { message });
    has = 'otherPlatform';
    await assert.rejects(create('never', { platform: 'linux/arm64' }), {
      message: 'The local image nginx is for a different platform.',
    });
    assert(!asked.includes('/images/create'));
  });
});

describe('tasks/createWithFreeName', () => {
  /** Creates a container on an engine with these names. The list does not have the last of them yet. */
  const create = async (
    wanted: string | undefined,
    taken: readonly string[],
    error = new EngineError('conflict'),
  ): Promise<string | undefined> => {
    const { name } = await createWithFreeName(
      wanted,
      (asked) =>
        asked !== undefined && taken.includes(asked)
          ? Promise.reject(error)
          : Promise.resolve('id'),
      () =>
        Promise.resolve(taken.map((one) => ({ name: one, names: [one] }) as unknown as Container)),
    );
    return name;
  };

  it('uses the requested name if it is free', async () => {
    assert.equal(await create('build', []), 'build');
    assert.equal(await create(undefined, []), undefined);
  });

  it('uses the next free name after the container of the last run', async () => {
    assert.equal(await create('build', ['build']), 'build-2');
    assert.equal(await create('build', ['build', 'build-2']), 'build-3');
  });

  it('uses the next free name on Podman, which responds with status 500', async () => {
    const engineMessage =
      'container create: creating container storage: the container name "build" is already in ' +
      'use by 3f9c. You have to remove that container to be able to reuse that name';
    const error = new EngineError('failed', { status: 500, engineMessage });
    assert.equal(await create('build', ['build'], error), 'build-2');
  });

  it('rejects with any other failure at once, whether the name is in use or not', async () => {
    let tries = 0;
    const failure = new EngineError('failed', { status: 500, engineMessage: 'no such device' });
    const one = { name: 'build', names: ['build'] } as unknown as Container;
    const asked = createWithFreeName(
      'build',
      () => Promise.reject(++tries > 1 ? new Error('another try') : failure),
      () => Promise.resolve([one]),
    );
    await assert.rejects(asked, failure);
  });

  it('rejects with a conflict about something else', async () => {
    const conflict = new EngineError('conflict');
    const asked = createWithFreeName(
      'build',
      () => Promise.reject(conflict),
      () => Promise.resolve([]),
    );
    await assert.rejects(asked, conflict);
  });
});
