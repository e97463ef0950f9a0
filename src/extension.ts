import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { DOCKERFILE_SELECTOR } from './builds/dockerfiles.ts';
import type { CommandId } from './commands/ui/ui.ts';
import { PreferredEngine } from './engines/preferredEngine.ts';
import { errorMessage } from './commands/ui/errorMessage.ts';
import { forwardFailures } from './app/forwardFailures.ts';
import { temporaryOwner } from './engine/images/temporaryMarks.ts';
import { asList } from './engine/wire/wire.ts';
import { createEngineFactory, createEngines, disposedAfter } from './engines/createEngines.ts';
import type { Engines } from './engines/engines.ts';
import type { Core } from './app/core.ts';
import type { Features } from './app/features.ts';
import { FILE_SCHEME, OPEN_FILES_KEY } from './files/fileRoot.ts';
import { LazyFileSystem } from './files/lazyFileSystem.ts';
import { installationSecret, sweepLeftovers, UNFINISHED_KEY } from './files/sweepLeftovers.ts';
import type { KnownEngine } from './inventory/knownEngine.ts';
import type { NetworkMember } from './inventory/membersOf.ts';
import { DisposableStore, once, type Disposable } from './base/lifetime.ts';
import { COMPOSE_SELECTOR } from './projects/composeFiles.ts';
import { memberAliases } from './engine/networks/memberAliases.ts';
import {
  CLEANUP_TYPE,
  GRAPHS_TYPE,
  COMPOSE_TASK_TYPE,
  DETAILS_TYPE,
  EXEC_TASK_TYPE,
  LOG_VIEWER_TYPE,
  TASK_TYPE,
} from './base/registeredTypes.ts';
import { settings } from './base/settings.ts';
import { REMOVALS_KEY } from './tasks/removalsKey.ts';
import { delay, wallClock } from './base/time.ts';
import { NewerImages } from './registries/transfers/newerImages.ts';
import { Transfers } from './registries/transfers/transfers.ts';
import { LazyTree } from './views/lazyTree.ts';
import { Views, type ViewsOptions } from './views/views.ts';
import { workspaceFiles, workspaceFolders } from './app/workspaceFiles.ts';
import { createWorktrees } from './app/createWorktrees.ts';
import { Arrangements } from './views/arrangement/arrangements.ts';
import { defaultArrangement } from './views/arrangement/defaultArrangement.ts';
import { Pins } from './views/arrangement/pins.ts';
import { WorkspacePlaces } from './projects/workspace/workspacePlaces.ts';

/** The cleanup that VS Code waits for when the window closes. */
const lastCalls = new Set<() => Promise<void>>();

/**
 * Composition root: creates the engines and the views, and registers everything else, which is loaded when it is
 * first used. Sends no request to any engine.
 */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  if (vscode.l10n.bundle) l10n.config({ contents: vscode.l10n.bundle });
  const { workspaceState } = context;
  const own = ownedBy(context.subscriptions);
  let loaded: Promise<Features> | undefined;
  const end = once(async () => (await loaded)?.end());
  lastCalls.add(end);
  const log = vscode.window.createOutputChannel('Gantry', { log: true });
  // The last requests are logged, too; they would fail if the channel was already closed.
  own(disposedAfter(end, log));
  const maker = createEngineFactory(context, log);
  const engines = createEngines(context, wallClock, maker, end);
  const preferred = new PreferredEngine(workspaceState);
  const shown = {
    engines,
    preferred,
    newer: own(new NewerImages()),
    transfers: own(new Transfers(wallClock)),
    describe: errorMessage,
    ...openWorktrees(context, engines, () => load(), own),
    statisticsOf: async (id: string) => engines.get(id)?.statistics(),
  };
  const core = {
    ...shown,
    context,
    log,
    maker,
    ...createViews(shown, context, () => load(), own),
    lensChanges: own(new vscode.EventEmitter<void>()),
    ...sweepEarlier(context, engines, own),
  };
  const load = (): Promise<Features> => (loaded ??= loadFeatures(core).then(own));
  reportInterrupted(workspaceState, load);
  // The views have been announced by then, and VS Code is already asking for their rows.
  await delay(0);
  registerFeatures(context, load, own);
  registerLenses(load, own, core.lensChanges.event);
  followEngines(engines, load, own);
  showStatus(core, own);
  restoreFiles(workspaceState, load);
}

function createViews(
  shown: Omit<
    ViewsOptions,
    'builds' | 'aliasesOf' | 'connect' | 'foldMemory' | 'arrangements' | 'pins' | 'places'
  >,
  { workspaceState: memory, globalStorageUri }: vscode.ExtensionContext,
  load: () => Promise<Features>,
  own: Own,
): Pick<Core, 'views' | 'buildTree'> {
  const buildTree = own(new LazyTree('gantry.builds', async () => (await load()).buildRows()));
  const { onDidChange } = workspaceFiles;
  const arrangements = new Arrangements(memory, defaultArrangement);
  const pins = new Pins(memory);
  const places = own(
    new WorkspacePlaces({
      folders: workspaceFolders,
      onDidChange,
      worktreesOf: async (folders) => {
        if (!vscode.workspace.isTrusted) return [];
        return (await import('./app/lateWorktrees.ts')).worktreesOf(folders);
      },
      memory,
      storage: globalStorageUri.fsPath,
      platform: process.platform,
    }),
  );
  const views = own(
    new Views({
      builds: buildTree.view,
      ...shown,
      arrangements,
      pins,
      places,
      aliasesOf,
      connect: (rows) => void load().then((features) => features.connect(rows)),
      foldMemory: memory,
    }),
  );
  return { views, buildTree };
}

function openWorktrees(
  { globalStorageUri }: vscode.ExtensionContext,
  engines: Engines,
  load: () => Promise<Features>,
  own: Own,
): ReturnType<typeof createWorktrees> {
  return createWorktrees(globalStorageUri.fsPath, own, {
    endpointOf: (id) => engines.get(id)?.engine.endpoint,
    offerDown: (project) => void load().then((features) => features.offerDown(project)),
  });
}

/** Removes what earlier windows left behind. Returns the records of this one. */
function sweepEarlier(
  { globalState, workspaceState }: vscode.ExtensionContext,
  engines: Engines,
  own: Own,
): Pick<Core, 'owner' | 'removals'> {
  const owner = once(() => temporaryOwner(installationSecret(globalState)));
  own(sweepLeftovers(engines, owner));
  const part = once(() => import('./tasks/pendingRemovals.ts'));
  const removals = once(async () => new (await part()).PendingRemovals(workspaceState));
  const sweeps = own(new DisposableStore());
  const sweepRemovals = async (): Promise<void> => {
    const { sweepPendingRemovals } = await part();
    sweeps.add(sweepPendingRemovals(engines, await removals()));
  };
  // Loaded now only if there is something to remove, otherwise by the first task.
  if (asList(workspaceState.get(REMOVALS_KEY)).length > 0) void sweepRemovals();
  return { owner, removals };
}

/** Loads nothing if no work was interrupted. */
function reportInterrupted(memory: vscode.Memento, load: () => Promise<Features>): void {
  const left = memory.get<readonly unknown[]>(UNFINISHED_KEY, []);
  if (left.length > 0) void load().then((features) => features.reportInterrupted());
}

/** Loads nothing if no files were open. */
function restoreFiles(memory: vscode.Memento, load: () => Promise<Features>): void {
  if (asList(memory.get(OPEN_FILES_KEY)).length === 0) return;
  void load().then((features) => features.restoreFiles());
}

/** Adds what is to be disposed with the extension. */
type Own = <T extends Disposable>(item: T) => T;

function ownedBy(subscriptions: Disposable[]): Own {
  return (item) => {
    subscriptions.push(item);
    return item;
  };
}

async function aliasesOf(
  { engine }: KnownEngine,
  member: NetworkMember,
): Promise<readonly string[]> {
  return memberAliases(await engine.connect(), member);
}

/** Runs the cleanup. VS Code waits for it, but not for long. */
export async function deactivate(): Promise<void> {
  const calls = [...lastCalls];
  lastCalls.clear();
  await Promise.all(calls.map((call) => call()));
}

async function loadFeatures(core: Core): Promise<Features> {
  const { Features } = await import('./app/features.ts');
  return new Features(core);
}

/** Part of the manifest that is read. */
interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: CommandId }[] };
}

/** Registers the commands of the manifest, and what else VS Code can ask for before the features are loaded. */
function registerFeatures(
  { extension }: vscode.ExtensionContext,
  load: () => Promise<Features>,
  own: Own,
): void {
  const { contributes } = extension.packageJSON as Manifest;
  for (const { command } of contributes.commands)
    own(vscode.commands.registerCommand(command, lazyCommand(command, load)));
  const files = own(new LazyFileSystem(async () => (await load()).fileSystem()));
  const options = { isCaseSensitive: true };
  own(vscode.workspace.registerFileSystemProvider(FILE_SCHEME, files, options));
  registerPages(load, own);
  registerTasks(load, own);
  // If only the extension host was restarted, the window still has the values of the previous one.
  for (const key of ['gantry.review', 'gantry.filesOpen', 'gantry.upChanges'])
    void vscode.commands.executeCommand('setContext', key, undefined);
}

/** Has the pages of an earlier window filled again. */
function registerPages(load: () => Promise<Features>, own: Own): void {
  const filled = (pages: 'cleanUps' | 'details' | 'graphs' | 'viewers') => ({
    deserializeWebviewPanel: async (panel: vscode.WebviewPanel, state: unknown) => {
      await (await (await load())[pages]()).restore(panel, state);
    },
  });
  own(vscode.window.registerWebviewPanelSerializer(LOG_VIEWER_TYPE, filled('viewers')));
  own(vscode.window.registerWebviewPanelSerializer(CLEANUP_TYPE, filled('cleanUps')));
  own(vscode.window.registerWebviewPanelSerializer(DETAILS_TYPE, filled('details')));
  own(vscode.window.registerWebviewPanelSerializer(GRAPHS_TYPE, filled('graphs')));
}

function registerTasks(load: () => Promise<Features>, own: Own): void {
  const loaded = (tasks: 'tasks' | 'composeTasks' | 'execTasks') => ({
    resolveTask: async (task: vscode.Task) => (await (await load())[tasks]()).resolveTask(task),
  });
  const provided = (tasks: 'tasks' | 'composeTasks') => ({
    ...loaded(tasks),
    provideTasks: async () => (await (await load())[tasks]()).provideTasks(),
  });

  own(vscode.tasks.registerTaskProvider(TASK_TYPE, provided('tasks')));
  own(vscode.tasks.registerTaskProvider(COMPOSE_TASK_TYPE, provided('composeTasks')));
  own(
    vscode.tasks.registerTaskProvider(EXEC_TASK_TYPE, {
      ...loaded('execTasks'),
      provideTasks: () => [],
    }),
  );
}

/** Registers what is shown in compose files and Dockerfiles, again when the setting changes. */
function registerLenses(
  load: () => Promise<Features>,
  own: Own,
  onDidChange: vscode.Event<void>,
): void {
  let shown = new DisposableStore();
  const update = (): void => {
    shown.dispose();
    shown = new DisposableStore();
    const mode = settings.codeLens();
    if (mode === 'off') return;
    shown.add(
      vscode.languages.registerCodeLensProvider(COMPOSE_SELECTOR, {
        onDidChangeCodeLenses: onDidChange,
        provideCodeLenses: async (document) =>
          (await (await load()).lenses()).provide(document, mode),
      }),
    );
    shown.add(
      vscode.languages.registerCodeLensProvider(DOCKERFILE_SELECTOR, {
        provideCodeLenses: async (document) => {
          const { provideDockerfileLenses } =
            await import('./app/lenses/provideDockerfileLenses.ts');
          return provideDockerfileLenses(document, mode);
        },
      }),
    );
  };
  update();
  own(settings.onDidChange('codeLens', update));
  own({ dispose: () => shown.dispose() });
  own(
    vscode.workspace.onDidSaveTextDocument((document) => {
      const isEnabled = settings.checkOnSave() && vscode.workspace.isTrusted;
      if (!isEnabled || vscode.languages.match(DOCKERFILE_SELECTOR, document) === 0) return;
      void load().then((features) => features.checkSaved(document.uri.fsPath));
    }),
  );
}

function followEngines(engines: Engines, load: () => Promise<Features>, own: Own): void {
  own(forwardFailures(engines.onDidFail, settings.notifyOnFailure, load));
  own(
    engines.onDidRemove(({ engine: { lastUrl } }) => {
      if (lastUrl === undefined) return;
      void load().then((features) => features.forget(lastUrl));
    }),
  );
}

/** Shows the projects of the workspace in the status bar, which is loaded after the first rows. */
function showStatus({ engines, orphans, knownWorktrees: worktrees }: Core, own: Own): void {
  const store = own(new DisposableStore());
  const show = once(async () => {
    const { ProjectStatus } = await import('./app/status/projectStatus.ts');
    store.add(new ProjectStatus(engines, { orphans, worktrees }));
  });
  store.listen(engines.onDidChangeInventory, ({ containers }) => {
    if (containers.size > 0 && workspaceFolders().length > 0) void show();
  });
}

/** Returns the handler of a command. `load` resolves to the actual handler, from which tests read the schema. */
function lazyCommand(id: CommandId, load: () => Promise<Features>) {
  const handler = async () => (await load()).commands.handlerOf(id);
  const run = async (...given: unknown[]): Promise<unknown> => (await handler())(...given);
  return Object.assign(run, { load: handler });
}
