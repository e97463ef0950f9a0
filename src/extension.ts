import * as vscode from 'vscode';
import { registerCommands } from './commands/registerCommands.ts';
import { showEngineDetails } from './commands/viewCommands.ts';
import { Consent } from './commands/registries/consent.ts';
import type { CommandContext } from './commands/context.ts';
import { CreateHistory } from './commands/create/createHistory.ts';
import { once } from './commands/mapConcurrently.ts';
import { EngineChoice } from './commands/engines/engineChoice.ts';
import { notifyOfFailures } from './commands/notifyOfFailures.ts';
import { CommandContexts, viewerEngineOf } from './commandContexts.ts';
import { editorUi } from './editorUi.ts';
import { PreferredEngine } from './commands/engines/preferredEngine.ts';
import { RecentReferences } from './commands/forms/recentReferences.ts';
import { RegistryAccess } from './commands/registries/registryAccess.ts';
import { errorMessage } from './commands/errorMessages.ts';
import { SignInService } from './commands/registries/signInService.ts';
import { temporaryOwner } from './engine/images/withTemporaryContainer.ts';
import type { EngineUnit } from './engines/engineUnit.ts';
import type { Disposable } from './lifetime.ts';
import { wallClock } from './time.ts';
import { AllFiles } from './files/allFiles.ts';
import { installationSecret, sweepLeftovers } from './files/sweepLeftovers.ts';
import { ContainerFileSystem } from './files/containerFileSystem.ts';
import { FilesView } from './files/filesView.ts';
import { LogViewers } from './logviewer/logViewers.ts';
import { disposedAfter, createEngineFactory, createEngines } from './engines/createEngines.ts';
import { TransferNotifications } from './output/transferNotifications.ts';
import { ReviewController } from './review/reviewController.ts';
import { CredentialHelpers } from './registries/credentialHelpers.ts';
import { findCredentials } from './registries/findCredentials.ts';
import { SignIns } from './registries/signIns.ts';
import { ContainerTasks } from './tasks/containerTasks.ts';
import { PendingRemovals, sweepPendingRemovals } from './tasks/pendingRemovals.ts';
import { Terminals } from './terminal/terminals.ts';
import { NewerImages } from './transfers/newerImages.ts';
import { Transfers } from './transfers/transfers.ts';
import { Views } from './views/views.ts';

/** The cleanup that VS Code waits for when the window closes. */
const lastCalls = new Set<() => Promise<void>>();

/** Composition root: creates the parts and connects them. Sends no request to any engine. */
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
  // The last requests are logged, too; they would fail if the channel was already closed.
  own(disposedAfter(endTerminals, log));
  const maker = createEngineFactory(context, log);
  const engines = createEngines(context, wallClock, maker, endTerminals);
  const preferred = new PreferredEngine(workspaceState);
  const transfers = own(new Transfers(wallClock));
  const newer = own(new NewerImages());
  const describe = (error: unknown): string => errorMessage(error, vscode.l10n);
  const foldMemory = workspaceState;
  const views = own(new Views({ engines, preferred, transfers, newer, foldMemory, describe }));
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
  own(sweepLeftovers(engines, owner));
  const files = own(new AllFiles(engines, owner, Date.now));
  own(new ContainerFileSystem(files, describe));
  const filesView = own(new FilesView(files, describe));
  const consent = new Consent(globalState, editorUi);
  own(
    engines.onDidRemove(({ engine }) => {
      if (engine.lastUrl !== undefined) void consent.forget(engine.lastUrl);
    }),
  );
  const { machine } = maker;
  const helpers = new CredentialHelpers(machine);
  const signIns = new SignIns(context.secrets);
  const signIn = signIns.find.bind(signIns);
  const registries = new RegistryAccess(editorUi, {
    find: (place, signal) => findCredentials(place, { machine, helpers, signIn }, signal),
    signInService: new SignInService(vscode.l10n, { machine, signIns, helpers, consent }),
    ...{ consent, log },
  });
  const shared = {
    files,
    filesView,
    viewers,
    pulls: own(new TransferNotifications(transfers, describe)),
    ...{ transfers, newer },
    ui: editorUi,
    registries,
    consent,
    creates: new CreateHistory(workspaceState, globalState),
    recent: new RecentReferences(globalState),
    terminals,
    logUri: context.logUri,
  };
  const showDetails = (): void => void showEngineDetails(editorUi, engines, log);
  const contexts = own(new CommandContexts(engines, views, { ...shared, showDetails }));
  const contextOf = (unit: EngineUnit): CommandContext => contexts.of(unit);
  own(notifyOfFailures(editorUi, engines, contextOf));
  const reviews = own(new ReviewController(owner, engines));
  const choice = new EngineChoice({ ui: editorUi, engines, preferred, contextOf });
  const removals = new PendingRemovals(workspaceState);
  own(sweepPendingRemovals(engines, removals));
  const tasks = own(new ContainerTasks(choice, removals));
  own(
    registerCommands({
      ui: editorUi,
      choice,
      selection: (kind, isFocused) => views.selection(kind, isFocused),
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

/** Runs the cleanup. VS Code waits for it, but not for long. */
export async function deactivate(): Promise<void> {
  const calls = [...lastCalls];
  lastCalls.clear();
  await Promise.all(calls.map((call) => call()));
}
