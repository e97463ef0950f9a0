import * as vscode from 'vscode';
import { registerCommands } from './commands/registerCommands.ts';
import { showEngineDetails } from './commands/registerViewCommands.ts';
import { Consent } from './commands/registries/consent.ts';
import type { CommandContext } from './commands/context.ts';
import { CreateHistory } from './commands/create/createHistory.ts';
import { once } from './commands/mapConcurrently.ts';
import { EngineChoice } from './commands/engines/engineChoice.ts';
import { ContainerExits } from './commands/containers/containerExits.ts';
import { FailureNotices } from './commands/failureNotices.ts';
import { confirm } from './commands/notifications.ts';
import { PreferredEngine } from './commands/engines/preferredEngine.ts';
import { RecentReferences } from './commands/forms/recentReferences.ts';
import type { SelectedNodes } from './commands/commandRegistry.ts';
import { RegistryAccess } from './commands/registries/registryAccess.ts';
import { errorMessage } from './commands/errorMessages.ts';
import { SignInService } from './commands/registries/signInService.ts';
import { exposureOf, type Machine } from './engine/discovery/endpoint.ts';
import { temporaryOwner } from './engine/images/withTemporaryContainer.ts';
import type { EngineUnit } from './engines/engineUnit.ts';
import { DEFAULT_ENGINE, type Engines } from './engines/engines.ts';
import type { Disposable } from './lifetime.ts';
import { wallClock } from './time.ts';
import { installationSecret } from './files/sweepLeftovers.ts';
import { createFileServices } from './files/createFileServices.ts';
import { LogViewers } from './logviewer/logViewers.ts';
import type { ViewerEngine } from './logviewer/session/openLogSet.ts';
import { WorkspaceSources } from './logviewer/workspaceSources.ts';
import { disposedAfter, createEngineFactory, createEngines } from './engines/createEngines.ts';
import { LogChannels } from './output/logChannels.ts';
import { TransferNotifications } from './output/transferNotifications.ts';
import { ReviewController } from './review/reviewController.ts';
import { CredentialHelpers } from './registries/credentialHelpers.ts';
import { findCredentials } from './registries/findCredentials.ts';
import { SignIns } from './registries/signIns.ts';
import { settings } from './settings.ts';
import { ContainerTasks } from './tasks/containerTasks.ts';
import { PendingRemovals, sweepPendingRemovals } from './tasks/pendingRemovals.ts';
import { EngineTerminals, Terminals } from './terminal/terminals.ts';
import { NewerImages } from './transfers/newerImages.ts';
import { Transfers } from './transfers/transfers.ts';
import { createViews, type Views, type ViewsOptions } from './views/views.ts';

/** What is still to be done when the window closes, and the editor waits for. */
const lastCalls = new Set<() => Promise<void>>();

/** Composition root: builds the pieces and hands them to one another. Asks nothing of any engine. */
export function activate(context: vscode.ExtensionContext): void {
  const { subscriptions, globalState, workspaceState } = context;
  const own = <T extends Disposable>(item: T): T => {
    subscriptions.push(item);
    return item;
  };
  const terminals = own(new Terminals());
  const endTerminals = once(async () => {
    await Promise.all([terminals.end(), tasks.end()]);
  });
  lastCalls.add(endTerminals);
  const log = vscode.window.createOutputChannel('Gantry', { log: true });
  // The last requests are written down, too: a channel that is closed by then makes them fail.
  own(disposedAfter(endTerminals, log));
  const maker = createEngineFactory(context, log);
  const engines = createEngines(context, wallClock, maker, endTerminals);
  const preferred = new PreferredEngine(workspaceState);
  const transfers = own(new Transfers(wallClock));
  const newer = own(new NewerImages());
  const foldMemory = workspaceState;
  const views = own(viewsOf({ engines, preferred, transfers, newer, foldMemory }));
  own(
    preferred.onDidChange(() => {
      views.repaintEngines();
    }),
  );
  const describe = (error: unknown): string => errorMessage(error, vscode.l10n);
  const viewers = own(
    new LogViewers({
      describe,
      extensionUri: context.extensionUri,
      spillFolder: vscode.Uri.joinPath(context.globalStorageUri, 'logs').fsPath,
      memento: globalState,
      engineOf: (id) => {
        const unit = engines.get(id);
        return unit && viewerEngineOf(unit, engines);
      },
    }),
  );
  const owner = temporaryOwner(installationSecret(globalState));
  const { files, filesView } = own(createFileServices(engines, owner, describe, Date.now));
  const consent = new Consent(globalState, confirm, vscode.l10n);
  own(
    engines.onDidRemove(({ engine }) => {
      if (engine.lastUrl !== undefined) void consent.forget(engine.lastUrl);
    }),
  );
  const shared = {
    files,
    filesView,
    viewers,
    pulls: own(new TransferNotifications(transfers, describe)),
    ...{ transfers, newer },
    registries: registryAccess(context, maker.machine, consent, log),
    consent,
    creates: new CreateHistory(workspaceState, globalState),
    recent: new RecentReferences(globalState),
    terminals,
    logUri: context.logUri,
  };
  const showDetails = (): void => void showEngineDetails(engines, log);
  const contexts = own(new Contexts(engines, views, { ...shared, showDetails }));
  const contextOf = (unit: EngineUnit): CommandContext => contexts.of(unit);
  own(new FailureNotices(engines, contextOf));
  const reviews = own(new ReviewController(owner, engines));
  const choice = new EngineChoice({ engines, preferred, contextOf });
  const removals = new PendingRemovals(workspaceState);
  own(sweepPendingRemovals(engines, removals));
  const tasks = own(new ContainerTasks(choice, removals));
  const selection = selectionOf(views);
  own(
    registerCommands({
      choice,
      selection,
      engines,
      preferred,
      showDetails,
      maker,
      imageView: views,
      filesView,
      reviews,
      tabs: viewers,
    }),
  );
}

/** The editor waits for what this does, if not for long. */
export async function deactivate(): Promise<void> {
  const calls = [...lastCalls];
  lastCalls.clear();
  await Promise.all(calls.map((call) => call()));
}

function registryAccess(
  { secrets }: vscode.ExtensionContext,
  machine: Machine,
  consent: Consent,
  log: vscode.LogOutputChannel,
): RegistryAccess {
  const helpers = new CredentialHelpers(machine);
  const signIns = new SignIns(secrets);
  const parts = { machine, helpers, signIn: (registry: string) => signIns.find(registry) };
  return new RegistryAccess({
    find: (place, signal) => findCredentials(place, parts, signal),
    signInService: new SignInService({ machine, signIns, helpers, consent }),
    ...{ consent, log },
  });
}

function viewsOf({
  engines,
  preferred,
  transfers,
  newer,
  foldMemory,
}: Pick<ViewsOptions, 'transfers' | 'newer' | 'foldMemory'> & {
  readonly engines: Engines;
  readonly preferred: PreferredEngine;
}): Views {
  return createViews({
    ...{ engines, transfers, newer, foldMemory },
    clock: wallClock,
    settings,
    l10n: vscode.l10n,
    flagsOf: ({ id }) => ({
      isUnchecked: isUnchecked(engines.get(id)),
      isPreferred: id === preferred.id,
      isAdded: id !== DEFAULT_ENGINE,
    }),
    describe: (error) => errorMessage(error, vscode.l10n),
    onFirstVisible: () => {
      engines.start();
    },
  });
}

function isUnchecked(unit: EngineUnit | undefined): boolean {
  const endpoint = unit?.engine.endpoint;
  return endpoint !== undefined && exposureOf(endpoint) === 'unchecked';
}

function selectionOf(views: Views): SelectedNodes {
  return (kind, isFocused) =>
    isFocused || views.lastUsed === `${kind}s` ? views.selection(`${kind}s`) : [];
}

function viewerEngineOf(unit: EngineUnit, engines: Engines): ViewerEngine {
  const { id, engine, inventory } = unit;
  return {
    ...{ id, inventory },
    connect: (signal) => engine.connect(signal),
    watch: () => {
      unit.start();
    },
    titleOf: (name) => (engines.areSeveral ? `${name} (${unit.name})` : name),
  };
}

type Shared = Pick<
  CommandContext,
  | 'files'
  | 'filesView'
  | 'pulls'
  | 'transfers'
  | 'newer'
  | 'registries'
  | 'consent'
  | 'creates'
  | 'recent'
  | 'showDetails'
> & {
  readonly viewers: LogViewers;
  readonly terminals: Terminals;
  readonly logUri: vscode.Uri;
};

/** What commands stand on, for each engine its own; it ends with its engine. */
class Contexts implements Disposable {
  readonly #engines: Engines;
  readonly #views: Views;
  readonly #shared: Shared;
  readonly #contexts = new Map<EngineUnit, CommandContext>();
  readonly #subscription: Disposable;

  constructor(engines: Engines, views: Views, shared: Shared) {
    this.#engines = engines;
    this.#views = views;
    this.#shared = shared;
    this.#subscription = engines.onDidChange(() => {
      for (const unit of this.#contexts.keys()) if (!engines.all.includes(unit)) this.#drop(unit);
    });
  }

  of(unit: EngineUnit): CommandContext {
    const known = this.#contexts.get(unit);
    if (known) return known;
    const context = this.#make(unit);
    this.#contexts.set(unit, context);
    return context;
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const unit of [...this.#contexts.keys()]) this.#drop(unit);
  }

  #make(unit: EngineUnit): CommandContext {
    const { engine, inventory, activity } = unit;
    const { viewers, logUri, terminals: all, ...shared } = this.#shared;
    const viewed = viewerEngineOf(unit, this.#engines);
    const { titleOf, connect, watch } = viewed;
    const { onDidChange: onDidChangeContainers } = inventory;
    const parts = { connect, onDidChangeContainers, titleOf, watch };
    const places = new WorkspaceSources(connect);
    const outputLines = settings.logOutputLines;
    const logs = new LogChannels({ ...parts, sources: places, logUri, outputLines });
    const terminals = new EngineTerminals(all, { ...parts, places });
    return {
      ...shared,
      ...{ unit, engine, inventory, activity, logs, terminals, titleOf },
      openViewer: (selection, names) =>
        viewers.open(viewed, { ...selection, engine: unit.id }, names),
      exits: new ContainerExits(),
      reveal: (id, reference) => {
        this.#views.reveal(unit.id, id, reference);
      },
      renew: () => {
        unit.renew();
      },
    };
  }

  #drop(unit: EngineUnit): void {
    const context = this.#contexts.get(unit);
    context?.exits.dispose();
    context?.logs.dispose();
    context?.terminals.dispose();
    this.#shared.transfers.drop(unit.id);
    this.#contexts.delete(unit);
  }
}
