import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pseudoterminal } from 'vscode';
import type { CommandContext } from '../../../src/commands/frame/commandContext.ts';
import type { EngineChoice } from '../../../src/commands/frame/engineChoice.ts';
import type * as taskModule from '../../../src/tasks/containerTasks.ts';
import { PendingRemovals } from '../../../src/tasks/pendingRemovals.ts';
import { fakeMemento } from '../support/commandLab.ts';
import { TaskScope, Uri, workspace, type Task } from '../support/fakeVscode.ts';
import { openLab, settle, when, type Lab } from '../support/lab.ts';
import { bytesOf } from '../support/rawEngine.ts';
import { ScriptedUi } from '../support/scriptedUi.ts';

const ID = 'c'.repeat(64);
const RUN = { StartedAt: '2026-11-22T10:00:00Z', FinishedAt: '2026-11-22T10:00:03Z' };
const UPGRADED = bytesOf('101 UPGRADED', { connection: 'Upgrade', upgrade: 'tcp' });

describe('the tasks of the workspace', () => {
  let ContainerTasks: typeof taskModule.ContainerTasks;
  let lab: Lab;
  let tasks: taskModule.ContainerTasks;
  let folder: string;
  let removals: PendingRemovals;
  /** The names or IDs of the engines that tasks asked for. */
  let engines: (string | undefined)[];
  let rechecked: string[];
  /** The bodies of the create requests. */
  let created: Record<string, unknown>[];
  /** The other requests that change something. */
  let changes: string[];
  /** The status of the response to a start. */
  let started: string;
  /** The status of the response to a stop, after which the container exits; none, or a failure, if it does not. */
  let stopped: string;
  /** Ends the running containers, in the order of their starts. */
  let exits: ((code: number) => void)[];
  /** The attached connections. */
  let outputs: Socket[];
  const { findFiles, getWorkspaceFolder, asRelativePath } = workspace as unknown as Record<
    string,
    unknown
  >;

  before(async () => {
    ({ ContainerTasks } = await import('../../../src/tasks/containerTasks.ts'));
  });
  beforeEach(async () => {
    lab = openLab();
    folder = mkdtempSync(join(tmpdir(), 'gantry-tasks-'));
    engines = [];
    rechecked = [];
    created = [];
    changes = [];
    exits = [];
    outputs = [];
    started = '204 No Content';
    stopped = '204 No Content';
    removals = new PendingRemovals(fakeMemento());
    const { connection } = await lab.raw(speak);
    const context = {
      ui: new ScriptedUi(),
      window: { memory: fakeMemento() },
      engine: { connect: () => Promise.resolve(connection) },
      unit: { requests: { recheck: (id: string) => rechecked.push(id) } },
    } as unknown as CommandContext;
    const forArgument = (engine: string | undefined): CommandContext => {
      engines.push(engine);
      return context;
    };
    tasks = new ContainerTasks({ forArgument } as EngineChoice, removals);
    const root = { uri: Uri.file(folder) };
    const find = (pattern: string): Promise<readonly Uri[]> => {
      assert.equal(pattern, '**/*.container.json');
      const files = ['web', 'jobs/../db'].map((name) => `${folder}/${name}.container.json`);
      return Promise.resolve([
        ...files.map((path) => Uri.file(path)),
        Uri.file('/far.container.json'),
      ]);
    };
    const folderOf = ({ path }: Uri) => (path.startsWith(folder) ? root : undefined);
    const relative = ({ path }: Uri): string => path.replace(`${folder}/`, '');
    workspace.workspaceFolders = [root];
    Object.assign(workspace, {
      ...{ findFiles: find, getWorkspaceFolder: folderOf, asRelativePath: relative },
    });
  });
  afterEach(async () => {
    for (const exit of exits) exit(0);
    await tasks.end();
    workspace.workspaceFolders = undefined;
    Object.assign(workspace, { findFiles, getWorkspaceFolder, asRelativePath });
    rmSync(folder, { recursive: true });
    await lab.close();
  });

  /** Answers as an engine on which each container waits for its exit. */
  function speak(socket: Socket, head: string, body: string): void {
    const [method = '', path = ''] = head.split(' ');
    const [verb = ''] = path.split('?')[0]?.split('/').slice(-1) ?? [];
    if (verb === 'create') {
      created.push(JSON.parse(body) as Record<string, unknown>);
      reply(socket, '201 Created', { Id: ID, Warnings: ['no swap limit'] });
      return;
    }
    if (method !== 'GET' && verb !== 'wait' && verb !== 'attach')
      changes.push(method === 'DELETE' ? method : verb);
    if (verb === 'wait') wait(socket);
    else if (verb === 'attach') {
      outputs.push(socket);
      socket.write(UPGRADED);
    } else if (verb === 'start') reply(socket, started);
    else if (verb === 'stop') {
      if (stopped !== '') reply(socket, stopped);
      if (stopped.startsWith('2')) exits.at(-1)?.(143);
    } else if (path.includes('/containers/json')) reply(socket, '200 OK', []);
    else reply(socket, '200 OK', { Id: ID, Name: '/made', Config: {}, State: RUN });
  }

  function wait(socket: Socket): void {
    socket.write(bytesOf('200 OK', { 'transfer-encoding': 'chunked' }));
    exits.push((code) => {
      for (const output of outputs.splice(0)) output.end();
      const text = JSON.stringify({ StatusCode: code });
      socket.write(`${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`);
    });
  }

  function reply(socket: Socket, status: string, value?: object): void {
    const body = value ? JSON.stringify(value) : '';
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
    socket.write(bytesOf(status, headers, body));
  }

  interface Running {
    readonly pty: Pseudoterminal;
    readonly shown: () => string;
    readonly code: () => number | undefined;
  }

  /** Runs a task of tasks.json. */
  async function run(definition: object): Promise<Running> {
    const given = { definition: { type: 'gantry', ...definition }, name: 'job', scope: undefined };
    const task = tasks.resolveTask(given as never) as unknown as Task;
    const pty = await task.execution.callback(task.definition);
    let text = '';
    let code: number | undefined;
    // oxlint-disable-next-line no-control-regex -- they begin with a control character
    pty.onDidWrite((more) => (text += more.replaceAll(/\x1b\[\d*m/g, '')));
    pty.onDidClose?.((end) => (code = Number(end)));
    pty.open(undefined);
    return { pty, shown: () => text, code: () => code };
  }

  it('are one for each recipe, with the name of its file', async () => {
    const provided = (await tasks.provideTasks()) as unknown as readonly Task[];
    assert.deepEqual(
      provided.map(({ name, definition, scope }) => [name, definition, scope]),
      [
        ['/far', { type: 'gantry', recipe: '/far.container.json' }, TaskScope.Workspace],
        ...['jobs/../db', 'web'].map((name) => [
          name.replace('jobs/../', ''),
          { type: 'gantry', recipe: `${name}.container.json` },
          workspace.workspaceFolders?.[0],
        ]),
      ],
    );
    const resolved = tasks.resolveTask(provided[1] as never);
    assert.deepEqual(resolved.scope, provided[1]?.scope);
  });

  it('run a container, and end with its exit code', async () => {
    const { shown, code } = await run({ image: 'busybox', command: 'make all', engine: 'Build' });
    await when(() => exits.length === 1 && changes.length === 1);
    exits[0]?.(3);
    await when(() => code() !== undefined);
    assert.equal(code(), 3);
    assert.deepEqual(shown().trimEnd().split('\r\n'), [
      'no swap limit',
      'made exited with code 3 after 3 s.',
    ]);
    assert.deepEqual([engines, changes], [['Build'], ['start']]);
    assert.deepEqual([created[0]?.['Image'], created[0]?.['Cmd']], ['busybox', ['make', 'all']]);
  });

  it('run nothing in Restricted Mode', async () => {
    workspace.isTrusted = false;
    try {
      const { shown, code } = await run({ image: 'busybox' });
      await when(() => code() !== undefined);
      assert.match(shown(), /Restricted Mode/);
      assert.deepEqual([created, changes], [[], []]);
    } finally {
      workspace.isTrusted = true;
    }
  });

  it('run the container of a recipe with the fields of the task', async () => {
    const recipe = { image: 'node', user: 'me', env: ['A=1'], autoRemove: true };
    writeFileSync(join(folder, 'web.container.json'), JSON.stringify(recipe));
    const { code } = await run({ recipe: 'web.container.json', user: 'you', mounts: ['.:/src'] });
    await when(() => changes.length === 1);
    exits[0]?.(0);
    await when(() => code() !== undefined);
    const { Image, User, Env, HostConfig } = created[0] ?? {};
    assert.deepEqual([Image, User, Env], ['node', 'you', ['A=1']]);
    assert.deepEqual((HostConfig as { Binds: unknown }).Binds, [`${folder}:/src`]);
    assert.deepEqual([changes, rechecked], [['start', 'DELETE'], [ID]]);
  });

  it('run the image of the task if the recipe has another', async () => {
    writeFileSync(join(folder, 'web.container.json'), '{ "image": "node" }');
    await run({ recipe: 'web.container.json', image: 'busybox' });
    await when(() => changes.length === 1);
    assert.equal(created[0]?.['Image'], 'busybox');
  });

  it('report which field is invalid, and fail', async () => {
    const { shown, code } = await run({ image: 'busybox', tty: 'yes' });
    await when(() => code() !== undefined);
    assert.equal(shown().trimEnd(), 'The task: "tty" must be true or false.');
    assert.equal(code(), 125);
    assert.deepEqual(created, []);
  });

  it('explain why the container could not be started, and list it again', async () => {
    started = '500 Internal Server Error';
    const { shown, code } = await run({ image: 'busybox' });
    await when(() => code() !== undefined);
    assert.match(shown(), /no swap limit\r\n.+/);
    assert.equal(code(), 125);
    assert.deepEqual(rechecked, [ID]);
  });

  it('wait for the end of a terminated one, which may have the name', async () => {
    const first = await run({ image: 'busybox', name: 'job' });
    await when(() => changes.length === 1);
    first.pty.close();
    await run({ image: 'busybox', name: 'job' });
    assert.equal(created.length, 1);
    await when(() => created.length === 2);
    assert.deepEqual(changes.slice(0, 2), ['start', 'stop']);
  });

  it('do not wait for a terminated one that has none of their names and ports', async () => {
    stopped = '';
    const first = await run({ image: 'busybox', name: 'job', ports: ['8080:80'] });
    await when(() => changes.length === 1);
    first.pty.close();
    await run({ image: 'busybox', name: 'test', ports: ['8081:80'] });
    await when(() => created.length === 2);
  });

  it('show that they wait for a terminated one', async () => {
    stopped = '';
    const first = await run({ image: 'busybox', ports: ['8080:80'] });
    await when(() => changes.length === 1);
    first.pty.close();
    const { shown } = await run({ image: 'busybox', name: 'job', ports: ['8080:80'] });
    await when(() => shown() !== '');
    assert.equal(shown(), 'Waiting for the container of a terminated task to stop.\r\n');
    assert.equal(created.length, 1);
    exits[0]?.(143);
    await when(() => created.length === 2);
  });

  it('do not wait for a terminated one that the engine refuses to stop', async () => {
    stopped = '500 Internal Server Error';
    const first = await run({ image: 'busybox', name: 'job' });
    await when(() => changes.length === 1);
    first.pty.close();
    await run({ image: 'busybox', name: 'job' });
    await when(() => created.length === 2);
  });

  it('are stopped when the window closes', async () => {
    await run({ image: 'busybox' });
    await when(() => changes.length === 1);
    await tasks.end();
    assert.deepEqual(changes, ['start', 'stop']);
    await settle();
    await tasks.end();
    assert.deepEqual(changes, ['start', 'stop']);
  });
});
