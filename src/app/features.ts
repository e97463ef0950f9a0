import * as vscode from 'vscode';
import { isDockerfile } from '../builds/dockerfiles.ts';
import { CommandContexts } from './commandContexts.ts';
import type { OpenedBuilds } from './openBuilds.ts';
import { openCleanUps, openDetails, openGraphs, openViewers } from './openPages.ts';
import type { SavedChecks } from './savedChecks.ts';
import { Commands } from '../commands/commands.ts';
import type {
  CommandContext,
  FilesAccess,
  WindowServices,
} from '../commands/frame/commandContext.ts';
import type { CommandDependencies } from '../commands/frame/commandDependencies.ts';
import type { Core } from './core.ts';
import { Documents } from './documents.ts';
import type { CommandId, Ui } from '../commands/ui/ui.ts';
import { EngineChoice } from '../commands/frame/engineChoice.ts';
import { notifyOfFailure } from '../commands/containers/notifyOfFailure.ts';
import { Consent } from '../commands/credentials/consent.ts';
import type { RegistryAccess } from '../commands/credentials/registryAccess.ts';
import { recordBuilds, recordTransfers } from './recordWork.ts';
import { showEngineDetails } from '../commands/engines/viewCommands.ts';
import { editorUi } from './editorUi.ts';
import type { EngineFailure } from '../engines/engines.ts';
import type { EngineUnit } from '../engines/engineUnit.ts';
import { installationSecret } from '../files/sweepLeftovers.ts';
import { DisposableStore, once, type Disposable } from '../base/lifetime.ts';
import { isUp } from '../engine/model.ts';
import type { FileRoot } from '../files/fileRoot.ts';
import type { ContainerFileSystem } from '../files/containerFileSystem.ts';
import { LogPositions } from '../logviewer/logPositions.ts';
import { TransferNotifications } from '../output/transferNotifications.ts';
import type { ReviewController } from '../review/reviewController.ts';
import type { ComposeLensProvider } from './lenses/composeLensProvider.ts';
import type { CliTasks } from '../tasks/cliTasks.ts';
import type { ComposeTasks } from '../tasks/composeTasks.ts';
import type { ExecTasks } from '../tasks/execTasks.ts';
import type { ContainerTasks } from '../tasks/containerTasks.ts';
import type { Terminals } from '../output/terminal/terminals.ts';
import type { FilesView } from '../files/filesView.ts';
import { UnfinishedWork } from '../files/unfinishedWork.ts';
import type { BuildsTree } from '../views/builds/buildsTree.ts';
import { ContainerNode } from '../views/containers/containerNode.ts';
import type { TreeNode } from '../views/treeNode.ts';
import { windowServices } from './windowServices.ts';

/**
 * Everything that the views do not need to show their rows. Loaded when the first of it is used; what is a
 * function here is loaded separately, at its own first use.
 */
export class Features implements Disposable {
  readonly #core: Core;
  readonly #store = new DisposableStore();
  /** Work that has to end before the window closes. */
  readonly #endings: (() => Promise<void>)[] = [];
  readonly #contexts: CommandContexts;
  readonly #choice: EngineChoice;
  readonly #consent: Consent;
  readonly #work: UnfinishedWork;
  readonly #ui: Ui;
  readonly #positions = new LogPositions();
  #filesView: FilesView | undefined;
  /** The handlers of the commands. */
  readonly commands: Commands;

  readonly files = once(() => this.#openFiles());
  readonly fileSystem = once(() => this.#openFileSystem());
  readonly viewers = once(() => openViewers(this.#core, this.#pages));
  readonly cleanUps = once(() => openCleanUps(this.#core, this.#pages));
  readonly details = once(() => openDetails(this.#core, this.#pages));
  readonly graphs = once(() => openGraphs(this.#core, this.#pages));
  readonly reviews = once(() => this.#openReviews());
  readonly registries = once(() => this.#openRegistries());
  readonly terminals = once(() => this.#openTerminals());
  readonly tasks = once(() => this.#openTasks());
  readonly composeTasks = once(() => this.#openComposeTasks());
  readonly execTasks = once(() => this.#openExecTasks());
  readonly #cliTasks = once(() => this.#openCliTasks());
  readonly lenses = once(() => this.#openLenses());
  readonly builds = once(() => this.#openBuilds());
  readonly buildRows = once(() => this.#openBuildRows());
  readonly #savedChecks = once(() => this.#openSavedChecks());

  constructor(core: Core) {
    this.#core = core;
    const { engines, views, log } = core;
    const { globalState, workspaceState } = core.context;
    this.#work = new UnfinishedWork(workspaceState);
    this.#ui = editorUi({
      documents: this.#store.add(new Documents()),
      viewers: this.viewers,
      own: (item) => this.#store.add(item),
      tasks: this.#cliTasks,
      execTasks: this.execTasks,
    });
    this.#consent = new Consent(globalState, this.#ui);
    const showDetails = (): void => void showEngineDetails(this.#ui, engines, log);
    this.#contexts = this.#store.add(
      new CommandContexts(engines, views, {
        ui: this.#ui,
        showDetails,
        window: this.#window(),
        viewers: this.viewers,
        cleanUps: this.cleanUps,
        details: this.details,
        graphs: this.graphs,
        terminals: this.terminals,
        logUri: core.context.logUri,
      }),
    );
    this.#store.add(recordTransfers(core.transfers, this.#work, (id) => engines.get(id)?.name));
    const contextOf = (unit: EngineUnit): CommandContext => this.#contexts.of(unit);
    this.#choice = new EngineChoice({ ...core, ui: this.#ui, contextOf });
    this.commands = new Commands({
      ...core,
      ui: this.#ui,
      choice: this.#choice,
      selection: this.#selectionOf,
      rows: views.rows,
      showDetails,
      reviews: this.reviews,
    });
  }

  /** Notifies the user of what went wrong with a container. */
  notifyOfFailure(failure: EngineFailure): void {
    void notifyOfFailure(failure, this.#contexts.of(failure.unit));
  }

  /** Offers to take down a project whose worktree is gone. */
  async offerDown(project: string): Promise<void> {
    const { offerDown } = await import('../commands/worktrees/offerDown.ts');
    const handlerOf = (id: CommandId) => this.commands.handlerOf(id);
    offerDown(project, { ...this.#core, ui: this.#ui, handlerOf });
  }

  /** Says what the end of an earlier window has interrupted, and removes what that left. */
  async reportInterrupted(): Promise<void> {
    const { reportInterrupted } = await import('./reportInterrupted.ts');
    await reportInterrupted(this.#work, this.#ui, {
      handlerOf: (id) => this.commands.handlerOf(id),
      execute: (command, argument) => vscode.commands.executeCommand(command, argument),
      showEnded: async (...given) => (await this.terminals()).showEnded(...given),
    });
  }

  /** Shows the files of an earlier window again. */
  async restoreFiles(): Promise<void> {
    const { view } = await this.files();
    await view.restore((id) => this.#contextOf(id)?.titleOf);
  }

  /** Connects containers to a network, as a drop of their rows on it asks. */
  async connect([network, ...containers]: readonly TreeNode[]): Promise<void> {
    const handler = await this.commands.handlerOf('gantry.networks.connect');
    await handler(network, [network, ...containers]);
  }

  /** Checks a Dockerfile that was saved, silently. @param path absolute path. */
  async checkSaved(path: string): Promise<void> {
    if (isDockerfile(path)) (await this.#savedChecks()).saved(path);
  }

  /** Drops what the user allowed for the engine at this address. */
  forget(url: string): void {
    void this.#consent.forget(url);
  }

  /** Ends the terminals and tasks, with their last requests. */
  async end(): Promise<void> {
    this.#work.close();
    await Promise.all(this.#endings.map((end) => end()));
  }

  dispose(): void {
    this.#store.dispose();
  }

  #contextOf(engine: string): CommandContext | undefined {
    const unit = this.#core.engines.get(engine);
    return unit && this.#contexts.of(unit);
  }

  readonly #selectionOf: CommandDependencies['selection'] = (kind, isFocused) =>
    kind === 'file'
      ? (this.#filesView?.selection ?? [])
      : this.#core.views.selection(kind, isFocused);

  #window(): WindowServices {
    const { transfers, describe } = this.#core;
    return windowServices(this.#core, {
      builds: this.builds,
      files: this.files,
      registries: this.registries,
      work: this.#work,
      consent: this.#consent,
      pulls: this.#store.add(new TransferNotifications(transfers, describe)),
    });
  }

  /** What the pages need of this. */
  get #pages() {
    return {
      store: this.#store,
      contextOf: (id: string) => this.#contextOf(id),
      handlerOf: (id: CommandId) => this.commands.handlerOf(id),
      positions: this.#positions,
    };
  }

  async #openRegistries(): Promise<RegistryAccess> {
    const { context, maker, log } = this.#core;
    const { openRegistryAccess } = await import('../commands/registries/openRegistryAccess.ts');
    return openRegistryAccess(this.#ui, {
      secrets: context.secrets,
      machine: maker.machine,
      consent: this.#consent,
      log,
    });
  }

  async #openFiles(): Promise<FilesAccess> {
    const { engines, owner, describe, context } = this.#core;
    const [{ AllFiles }, { FilesView }, { uploadDropped }] = await Promise.all([
      import('../files/allFiles.ts'),
      import('../files/filesView.ts'),
      import('../commands/files/uploadCommand.ts'),
    ]);
    const all = this.#store.add(new AllFiles(engines, owner(), Date.now));
    const memory = context.workspaceState;
    const onShow = (): void => engines.start();
    const view = this.#store.add(new FilesView(all, { describe, memory, onShow }));
    this.#filesView = view;
    this.#store.add(uploadDropped(this.#ui, this.#choice, view));
    return { all, view, volumes: all.volumes };
  }

  async #openFileSystem(): Promise<ContainerFileSystem> {
    const { all } = await this.files();
    const { ContainerFileSystem } = await import('../files/containerFileSystem.ts');
    const commit = (root: FileRoot): void => void this.#commit(root);
    const ui = { ...this.#ui, commit };
    return this.#store.add(new ContainerFileSystem(all, this.#core.describe, ui));
  }

  async #commit({ engine, id }: FileRoot): Promise<void> {
    const container = this.#core.engines.get(engine)?.inventory.containers.get(id);
    if (!container) return;
    const handler = await this.commands.handlerOf('gantry.containers.commit');
    await handler(new ContainerNode(engine, container, isUp(container)));
  }

  async #openReviews(): Promise<ReviewController> {
    const { ReviewController } = await import('../review/reviewController.ts');
    return this.#store.add(new ReviewController(this.#core.owner(), this.#core.engines));
  }

  async #openTerminals(): Promise<Terminals> {
    const { Terminals } = await import('../output/terminal/terminals.ts');
    const terminals = this.#store.add(new Terminals());
    this.#endings.push(() => terminals.end());
    return terminals;
  }

  async #openTasks(): Promise<ContainerTasks> {
    const [{ ContainerTasks }, removals] = await Promise.all([
      import('../tasks/containerTasks.ts'),
      this.#core.removals(),
    ]);
    const tasks = new ContainerTasks(this.#choice, removals, this.#work);
    this.#endings.push(() => tasks.end());
    return tasks;
  }

  async #openComposeTasks(): Promise<ComposeTasks> {
    const { ComposeTasks } = await import('../tasks/composeTasks.ts');
    const tasks = new ComposeTasks(this.#choice, this.#work);
    this.#endings.push(() => tasks.end());
    return tasks;
  }

  async #openExecTasks(): Promise<ExecTasks> {
    const { ExecTasks } = await import('../tasks/execTasks.ts');
    const tasks = new ExecTasks(this.#choice, this.#work);
    this.#endings.push(() => tasks.end());
    return tasks;
  }

  async #openLenses(): Promise<ComposeLensProvider> {
    const { ComposeLensProvider } = await import('./lenses/composeLensProvider.ts');
    const { engines, orphans, lensChanges } = this.#core;
    const parts = { engines, orphans, onDidChange: () => lensChanges.fire() };
    return this.#store.add(new ComposeLensProvider(parts));
  }

  async #openBuilds(): Promise<OpenedBuilds> {
    const { openBuilds } = await import('./openBuilds.ts');
    const { engines, describe, context, owner } = this.#core;
    const memory = context.workspaceState;
    const installation = () => installationSecret(context.globalState);
    const parts = { engines, describe, memory, installation, owner };
    const opened = this.#store.add(openBuilds(parts));
    this.#store.add(recordBuilds(opened.builds, this.#work, (id) => engines.get(id)?.name));
    return opened;
  }

  async #openSavedChecks(): Promise<SavedChecks> {
    const [{ SavedChecks }, { checkSaved }] = await Promise.all([
      import('./savedChecks.ts'),
      import('../commands/builds/checkBuildCommand.ts'),
    ]);
    // With several engines and none preferred, none is asked.
    const check = async (path: string, signal: AbortSignal): Promise<void> =>
      checkSaved(this.#choice.forArgument(undefined), path, signal);
    return this.#store.add(new SavedChecks(check));
  }

  async #openBuildRows(): Promise<BuildsTree> {
    const { engines, describe, buildTree } = this.#core;
    const work = this.#work;
    const [{ BuildsTree }, access] = await Promise.all([
      import('../views/builds/buildsTree.ts'),
      this.builds(),
    ]);
    return this.#store.add(new BuildsTree(buildTree, { ...access, engines, describe, work }));
  }

  async #openCliTasks(): Promise<CliTasks> {
    const { CliTasks } = await import('../tasks/cliTasks.ts');
    const tasks = new CliTasks();
    this.#endings.push(() => tasks.end());
    return tasks;
  }
}
