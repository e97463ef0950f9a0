import type * as vscode from 'vscode';
import type { Engines } from '../engines/engines.ts';
import { DisposableStore, type Disposable } from '../lifetime.ts';
import { addEngineCommand } from './addEngine.ts';
import { openInBrowserCommand } from './browserCommand.ts';
import { clipboardCommands } from './clipboardCommands.ts';
import { duplicateCommand, runAgainCommand } from './againCommands.ts';
import { registerContainerVerbs } from './containerCommands.ts';
import { commitCommand, logsCommand } from './containerStreams.ts';
import { createCommand } from './createCommand.ts';
import { diagnoseCommand } from './diagnoseCommand.ts';
import { Documents } from './documents.ts';
import type { EngineChoice } from './engineChoice.ts';
import { registerEngineCommands } from './engineCommands.ts';
import type { EngineMaker } from '../engines/engineMaker.ts';
import { removeImageCommand, tagCommand } from './imageCommands.ts';
import { inspectContainerCommand, inspectImageCommand } from './inspectCommands.ts';
import { listContainersCommand, listImagesCommand } from './listCommands.ts';
import { pullCommand } from './pullCommand.ts';
import { openLogViewerCommand } from './logViewerCommand.ts';
import type { PreferredEngine } from './preferredEngine.ts';
import { CommandRegistry, type Selection } from './registry.ts';
import { attachCommand, openShellCommand } from './terminalCommands.ts';
import { registerViewCommands } from './viewCommands.ts';
import { registerViewerTabCommands, type ViewerTabs } from './viewerTabCommands.ts';
import { waitCommand } from './waitCommand.ts';

/** What the commands stand on. */
export interface CommandParts {
  readonly choice: EngineChoice;
  readonly selection: Selection;
  readonly engines: Engines;
  readonly preferred: PreferredEngine;
  readonly log: vscode.LogOutputChannel;
  readonly maker: EngineMaker;
  readonly tabs: ViewerTabs;
}

/** Registers every command of the manifest. */
export function registerCommands({
  choice,
  selection,
  engines,
  preferred,
  log,
  maker,
  tabs,
}: CommandParts): Disposable {
  const store = new DisposableStore();
  const registry = store.add(new CommandRegistry(choice, selection));
  const documents = store.add(new Documents());
  registry.plain(createCommand);
  registry.plain(runAgainCommand);
  registry.plain(duplicateCommand);
  registry.plain(listContainersCommand);
  registry.plain(listImagesCommand);
  registry.plain(pullCommand);
  registerContainerVerbs(registry);
  registry.target(waitCommand);
  registry.target(logsCommand);
  registry.plain(openLogViewerCommand);
  registry.target(openShellCommand);
  registry.target(attachCommand);
  registry.target(commitCommand);
  registry.target(openInBrowserCommand);
  registry.target(inspectContainerCommand(documents));
  registry.target(inspectImageCommand(documents));
  registry.target(tagCommand);
  registry.target(removeImageCommand);
  for (const command of clipboardCommands) registry.target(command);
  registerEngineCommands(registry, engines, preferred);
  registry.window(addEngineCommand(engines, maker));
  registry.window(diagnoseCommand({ engines, maker, documents, choice }));
  registerViewCommands(registry, engines, log);
  registerViewerTabCommands(registry, tabs);
  return store;
}
