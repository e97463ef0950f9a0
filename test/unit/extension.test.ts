import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ExtensionContext } from 'vscode';
import type * as extensionModule from '../../src/extension.ts';
import { Emitter } from '../../src/base/lifetime.ts';
import { WorktreeOverrides } from '../../src/projects/worktrees/worktreeOverrides.ts';
import type { TreeNode } from '../../src/views/treeNode.ts';
import { manifest } from './support/manifest.ts';
import { fakeMemento } from './support/commandLab.ts';
import { act, pick, shown } from './support/fakeEditor.ts';
import { json, startFakeEngine, type FakeEngine } from './support/fakeEngine.ts';
import * as l10n from '@vscode/l10n';
import { findMessages } from '../../scripts/messages.mjs';
import type { Shown } from './support/fakeVscode.ts';
import * as editor from './support/fakeVscode.ts';
import { settle, when } from './support/lab.ts';

const ID = 'c'.repeat(64);
const LISTED = { Id: ID, Names: ['/web'], Image: 'web:1', State: 'running', Status: 'Up 1 minute' };
const IMAGE = { Id: `sha256:${ID}`, RepoTags: ['web:1'] };
const CREATED_AT = '2026-11-22T09:59:59Z';
const INSPECTED = {
  ...{ Id: ID, Name: '/web', Created: CREATED_AT, Config: { Cmd: ['sh'] } },
  State: { Running: true, Status: 'running', StartedAt: '2026-11-22T10:00:00Z' },
};
const EXITED = {
  ...{ ...INSPECTED.State, Running: false, Status: 'exited', ExitCode: 0 },
  FinishedAt: '2026-11-22T10:00:09Z',
};

/** A tree view that the user can open. */
interface OpenableView {
  readonly id: string;
  readonly rows: () => Promise<readonly TreeNode[]>;
  readonly open: () => void;
  readonly revealed: string[];
}

/** A text in the other language. A value in it may be one, too. */
const TRANSLATED = /⟦[^⟦⟧]*⟧/g;

describe('the extension', () => {
  let extension: typeof extensionModule;
  let folder: string;
  let engine: FakeEngine;
  let context: ExtensionContext;
  /** The container in lists, and the response with events. */
  let listed: object;
  /** The inspected container. */
  let inspected: object;
  let events: ServerResponse;
  /** The responses to pulls, which do not end. */
  let pulls: ServerResponse[];
  /** The lines of the log. */
  let logged: string[];
  let settings: Record<string, unknown>;
  let views: OpenableView[];
  let configured: Emitter<{ affectsConfiguration: (name: string) => boolean }>;
  let tasks: { provideTasks(): Promise<readonly unknown[]>; resolveTask(task: never): unknown };
  const { window, workspace } = editor;
  const environment = { ...process.env };
  const original = { window: { ...window }, workspace: { ...workspace } };

  before(async () => {
    const never = new Emitter<never>().event;
    Object.assign(window, {
      createTreeView: openView,
      createOutputChannel: channel,
      onDidChangeWindowState: never,
      state: { focused: true },
    });
    Object.assign(workspace, {
      onDidChangeConfiguration: (listener: never) => configured.event(listener),
      getConfiguration: () => ({
        get: (name: string) => settings[name],
        inspect: (name: string) => ({ globalValue: settings[name] }),
      }),
      findFiles: () => Promise.resolve([editor.Uri.file('/shop/web.container.json')]),
    });
    Object.assign(editor.tasks, {
      registerTaskProvider: (type: string, provider: typeof tasks) => {
        if (type === 'gantry') tasks = provider;
        return { dispose: () => undefined };
      },
    });
    extension = await import('../../src/extension.ts');
  });
  after(() => {
    Object.assign(window, original.window);
    Object.assign(workspace, original.workspace);
  });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-extension-'));
    engine = await startFakeEngine(({ path, method }, response) => {
      if (path === '/images/create') pulls.push(response.writeHead(200));
      else if (path === '/images/absent/json') json(response, 404, { message: 'no such image' });
      else if (path === '/containers/json') json(response, 200, [listed]);
      else if (path === '/images/json') json(response, 200, [IMAGE]);
      else if (path === '/containers/create') json(response, 201, { Id: ID, Warnings: [] });
      else if (path === '/events') (events = response).writeHead(200).flushHeaders();
      else if (path.endsWith('/exec')) json(response, 201, { Id: 'e1' });
      else if (path.endsWith('/logs')) response.writeHead(200).end();
      else if (method === 'GET') json(response, 200, inspected);
      else json(response, 404, { message: 'no such thing' });
    });
    listed = LISTED;
    inspected = INSPECTED;
    logged = [];
    pulls = [];
    editor.executed.length = 0;
    // No credentials and no engine of the user.
    process.env['DOCKER_CONFIG'] = folder;
    delete process.env['DOCKER_HOST'];
    delete process.env['DOCKER_CONTEXT'];
    settings = { host: engine.url };
    views = [];
    configured = new Emitter();
    context = {
      subscriptions: [],
      ...{ globalState: fakeMemento(), workspaceState: fakeMemento() },
      extension: { packageJSON: { ...manifest, version: '1.2.3' } },
      asAbsolutePath: (path: string) => join(folder, path),
      ...{ extensionUri: editor.Uri.file(folder), globalStorageUri: editor.Uri.file(folder) },
      logUri: editor.Uri.file(folder),
    } as unknown as ExtensionContext;
    act();
    await extension.activate(context);
  });
  afterEach(async () => {
    await close();
    assert.deepEqual([editor.handlers.size, editor.providers.size, editor.panels.size], [0, 0, 0]);
    for (const terminal of editor.terminals) terminal.dispose();
    await engine.stop();
    workspace.workspaceFolders = undefined;
    delete process.env['DOCKER_CONFIG'];
    Object.assign(process.env, environment);
    rmSync(folder, { recursive: true });
  });

  /** Closes the window. */
  async function close(): Promise<void> {
    await extension.deactivate();
    for (const one of context.subscriptions.splice(0).reverse()) one.dispose();
    views = [];
  }

  function openView(id: string, { treeDataProvider }: { treeDataProvider: never }): object {
    const provider = treeDataProvider as { getChildren(): Promise<readonly TreeNode[]> };
    const visibility = new Emitter<{ visible: boolean }>();
    const never = new Emitter<never>().event;
    const revealed: string[] = [];
    const view = {
      ...{ visible: false, selection: [] },
      ...{ onDidChangeVisibility: visibility.event, onDidChangeSelection: never },
      ...{ onDidCollapseElement: never, onDidExpandElement: never },
      reveal: (row: { id: string }) => Promise.resolve(void revealed.push(row.id)),
      dispose: () => undefined,
    };
    const open = (): void => {
      view.visible = true;
      visibility.fire({ visible: true });
    };
    views.push({ id, open, revealed, rows: async () => provider.getChildren() });
    return view;
  }

  function channel(): object {
    const info = (line: string): unknown => logged.push(line);
    const ignore = (): void => undefined;
    return { info, warn: ignore, appendLine: ignore, dispose: ignore };
  }

  const run = (id: string, ...given: readonly unknown[]): Promise<unknown> =>
    Promise.resolve(editor.handlers.get(id)?.(...given) ?? assert.fail(`no command ${id}`));
  const configure = (changed: Record<string, unknown>): void => {
    Object.assign(settings, changed);
    const names = Object.keys(changed).map((name) => `gantry.${name}`);
    configured.fire({ affectsConfiguration: (name) => names.includes(name) });
  };
  const terminals = (): readonly string[] => [...editor.terminals].map(({ name }) => name);
  const viewOf = (name: string): OpenableView =>
    views.find(({ id }) => id === `gantry.${name}`) ?? assert.fail(`no view ${name}`);

  it('asks the engine only once a view is opened', async () => {
    assert.equal(engine.seen.length, 0);
    const { open, rows } = viewOf('containers');
    open();
    await when(() => engine.seen.some(({ path }) => path === '/containers/json'));
    assert.deepEqual(
      (await rows()).map(({ id }) => id),
      [`default/container/${ID}`],
    );
    assert.equal(engine.seen[0]?.headers['user-agent'], 'Gantry/1.2.3');
    await when(() => logged.some((line) => /^GET \S*\/images\/json\S* .*\d+ ms$/.test(line)));
  });

  it('reads of git and of worktrees only what a listed project needs', async () => {
    const overrides = new WorktreeOverrides(join(folder, 'worktrees'));
    const make = async (name: string) => {
      const root = join(folder, name);
      const gitFolder = join(root, '.git');
      mkdirSync(gitFolder, { recursive: true });
      writeFileSync(join(gitFolder, 'HEAD'), 'ref: refs/heads/main\n');
      const record = { project: name, folder: root, gitFolder, base: name, ports: [] };
      return { root, gitFolder, file: await overrides.write(record, '') };
    };
    const [opened, other] = [await make('opened'), await make('other')];
    workspace.workspaceFolders = [{ uri: editor.Uri.file(opened.root) }];
    using reads = recordReads(folder);
    viewOf('containers').open();
    await when(() => engine.seen.some(({ path }) => path === '/images/json'));
    await viewOf('containers').rows();
    const own = 'd'.repeat(64);
    const [prefix, hash] = ['com.docker.compose', { 'com.docker.compose.config-hash': 'x' }];
    const files = { [`${prefix}.project.config_files`]: `/compose.yaml,${other.file}` };
    listed = { ...LISTED, Id: own, Labels: { [`${prefix}.project`]: 'other', ...hash, ...files } };
    const event = { Type: 'container', Action: 'create', Actor: { ID: own }, timeNano: 1 };
    events.write(`${JSON.stringify(event)}\n`);
    // What was begun before would be read before.
    await when(() => reads.has(join(other.gitFolder, 'HEAD')));
    const found = [...reads].filter((path) => /worktrees|\.git/.test(path));
    const needed = (path: string): boolean =>
      path === other.file || `${path}/`.startsWith(`${other.gitFolder}/`);
    assert.deepEqual(
      found.filter((path) => !needed(path)),
      [],
    );
  });

  it('clears what the window still shows of an extension host that was restarted', () => {
    const keys = editor.executed.flatMap(([, key, value]) => (value === undefined ? [key] : []));
    assert.deepEqual(keys, ['gantry.review', 'gantry.filesOpen', 'gantry.upChanges']);
  });

  it('opens the log viewer of a container', async () => {
    const opened = await run('gantry.containers.openLogViewer', { id: ID });
    assert.deepEqual(opened, { title: 'Logs: web' });
    assert.deepEqual(
      [...editor.panels].map(({ title }) => title),
      ['Logs: web'],
    );
  });

  it('hints at another engine of the Docker CLI until its context is that of the setting', async () => {
    const hint = (): unknown =>
      editor.executed.findLast(([, key]) => key === 'gantry.isOtherEngine')?.[2];
    const name = createHash('sha256').update('mine').digest('hex');
    const meta = { Name: 'mine', Endpoints: { docker: { Host: engine.url } } };
    mkdirSync(join(folder, 'contexts/meta', name), { recursive: true });
    writeFileSync(join(folder, 'contexts/meta', name, 'meta.json'), JSON.stringify(meta));
    viewOf('containers').open();
    await when(() => hint() === true);
    writeFileSync(join(folder, 'config.json'), '{"currentContext":"mine"}');
    await when(() => hint() === false);
  });

  describe('after an unexpected exit of a container', () => {
    const exit = async (): Promise<void> => {
      viewOf('containers').open();
      await when(() => engine.seen.some(({ path }) => path === '/images/json'));
      await settle();
      listed = { ...LISTED, State: 'exited', Status: 'Exited (3) 1 second ago' };
      const event = { Type: 'container', Action: 'die', Actor: { ID }, timeNano: 1 };
      events.write(`${JSON.stringify(event)}\n`);
      const lists = (): number =>
        engine.seen.filter(({ path }) => path === '/containers/json').length;
      await when(() => lists() === 2);
      await settle();
    };

    it('notifies the user if configured', async () => {
      settings['containers.notifyOnFailure'] = true;
      await exit();
      await when(() => shown().length > 0);
      assert.equal(shown()[0]?.text, 'web exited unexpectedly with code 3.');
    });

    it('does not notify the user otherwise', async () => {
      await exit();
      assert.deepEqual(shown(), []);
    });
  });

  it('runs commands on the engine of the setting', async () => {
    const opened = await run('gantry.containers.openShell', { id: ID });
    assert.deepEqual(opened, { terminal: 'web' });
    assert.deepEqual(terminals(), ['web']);
    await assert.rejects(run('gantry.containers.start', { id: 'x' }));
  });

  it('shows no English in another language', async function () {
    // It runs all commands, which takes seconds on a busy machine.
    this.timeout(60_000);
    await close();
    const pseudo = findMessages().map(({ text = '' }) => [text, `⟦${text}⟧`] as const);
    editor.l10n.bundle = Object.fromEntries(pseudo);
    try {
      await extension.activate(context);
      // Ends each command at its first question.
      const end = ({ kind }: Shown): undefined => {
        if (kind === 'pick' || kind === 'box') throw new Error('⟦⟧');
      };
      for (const view of views) view.open();
      await when(() => engine.seen.some(({ path }) => path === '/images/json'));
      for (const id of editor.handlers.keys()) {
        // Ends before its question is answered, so nothing would catch the error.
        if (id === 'gantry.images.filter') continue;
        editor.script.splice(0, editor.script.length, ...Array<typeof end>(50).fill(end));
        await run(id).catch(() => undefined);
      }
      const said: readonly unknown[] = shown().flatMap(({ items = [], buttons = [], ...one }) => [
        ...[one.text, one.detail, ...buttons],
        ...items.flatMap(({ label, description, detail }) => [label, description, detail]),
      ]);
      const texts = said.filter((text) => typeof text === 'string');
      assert.ok(texts.length > 200, `${texts.length} texts`);
      const outside = texts.map((text) => text.replace(TRANSLATED, '').replace(TRANSLATED, ''));
      // A single word is the name of something.
      assert.deepEqual(
        outside.filter((text) => /[a-z]{2} [a-z]{2}/i.test(text)),
        [],
      );
    } finally {
      editor.l10n.bundle = undefined;
      l10n.config({ contents: {} });
    }
  });

  it('offers a task for each recipe', async () => {
    assert.equal((await tasks.provideTasks()).length, 1);
  });

  it('ends the tasks when the window closes', async () => {
    const definition = { type: 'gantry', image: 'absent', pull: 'always' };
    const task = (await tasks.resolveTask({ definition, name: 'job' } as never)) as editor.Task;
    (await task.execution.callback(definition)).open(undefined);
    await when(() => pulls.length === 1);
    await extension.deactivate();
    await when(() => pulls[0]?.closed === true);
  });

  it('removes what a task of an earlier window has left behind', async () => {
    const startedAt = INSPECTED.State.StartedAt;
    const left = { engine: engine.url, id: ID, name: 'web', createdAt: CREATED_AT, startedAt };
    const memory = context.workspaceState;
    await memory.update('gantry.taskRemovals', [left]);
    inspected = { ...INSPECTED, State: EXITED };
    await close();
    await extension.activate(context);
    viewOf('containers').open();
    await when(() => engine.seen.some(({ method }) => method === 'DELETE'));
    const removal = engine.seen.find(({ method }) => method === 'DELETE');
    assert.equal(removal?.path, `/containers/${ID}`);
    await when(() => isDeepStrictEqual(memory.get('gantry.taskRemovals'), []));
  });

  it('cancels the pulls of an engine that is removed', async () => {
    configure({ engines: { Build: engine.url } });
    const pulling = run('gantry.images.pull', { reference: 'absent:1', engine: 'Build' });
    await when(() => pulls.length === 1);
    configure({ engines: {} });
    await assert.rejects(pulling);
    await when(() => pulls[0]?.closed === true);
  });

  it('shows a created container in its view', async () => {
    const { open, revealed } = viewOf('containers');
    open();
    await when(() => engine.seen.some(({ path }) => path === '/images/json'));
    act(pick('web:1'), pick('Create'));
    await run('gantry.containers.create');
    await when(() => revealed.length > 0);
    assert.deepEqual(revealed, [`default/container/${ID}`]);
  });

  it('names the engine if there are several, and closes its logs when it is removed', async () => {
    configure({ engines: { Build: engine.url }, 'logs.openIn': 'terminal' });
    const on = { id: ID, engine: 'Build' };
    const { open, rows } = viewOf('containers');
    open();
    const rowOfBuild = async () => (await rows())[1]?.children?.[0];
    await when(() => engine.seen.filter(({ path }) => path === '/images/json').length === 2);
    await settle();
    await run('gantry.containers.logs', await rowOfBuild());
    await run('gantry.containers.openShell', on);
    assert.deepEqual(terminals(), ['web (Build) (log)', 'web (Build)']);
    configure({ engines: {} });
    await when(() => terminals().length === 1);
    assert.deepEqual(terminals(), ['web (Build)']);
    await assert.rejects(run('gantry.containers.openShell', on), /Build/);
  });
});

/** Records which paths in a folder are looked at or read. */
function recordReads(
  folder: string,
): Disposable & Pick<Set<string>, 'has' | typeof Symbol.iterator> {
  const paths = new Set<string>();
  const original = { ...fs };
  for (const name of ['access', 'lstat', 'open', 'readdir', 'readFile', 'stat'] as const)
    Object.assign(fs, {
      [name]: (path: string, ...rest: readonly unknown[]): unknown => {
        if (path.startsWith(folder)) paths.add(path);
        return (original[name] as (...given: readonly unknown[]) => unknown)(path, ...rest);
      },
    });
  syncBuiltinESMExports();
  return Object.assign(paths, {
    [Symbol.dispose]: () => {
      Object.assign(fs, original);
      syncBuiltinESMExports();
    },
  });
}
