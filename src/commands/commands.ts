import type * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../lifetime.ts';
import { openInBrowserCommand } from './browserCommand.ts';
import { clipboardCommands } from './clipboardCommands.ts';
import { registerContainerVerbs } from './containerCommands.ts';
import { commitCommand, logsCommand } from './containerStreams.ts';
import type { CommandContext } from './context.ts';
import { createCommand } from './createCommand.ts';
import { Documents } from './documents.ts';
import { removeImageCommand, tagCommand } from './imageCommands.ts';
import { inspectContainerCommand, inspectImageCommand } from './inspectCommands.ts';
import { listContainersCommand, listImagesCommand } from './listCommands.ts';
import { pullCommand } from './pullCommand.ts';
import { CommandRegistry } from './registry.ts';
import { registerViewCommands } from './viewCommands.ts';
import { waitCommand } from './waitCommand.ts';

/** Registers every command of the manifest. */
export function registerCommands(
  context: CommandContext,
  log: vscode.LogOutputChannel,
): Disposable {
  const store = new DisposableStore();
  const registry = store.add(new CommandRegistry(context));
  const documents = store.add(new Documents());
  registry.plain(createCommand);
  registry.plain(listContainersCommand);
  registry.plain(listImagesCommand);
  registry.plain(pullCommand);
  registerContainerVerbs(registry);
  registry.target(waitCommand);
  registry.target(logsCommand);
  registry.target(commitCommand);
  registry.target(openInBrowserCommand);
  registry.target(inspectContainerCommand(documents));
  registry.target(inspectImageCommand(documents));
  registry.target(tagCommand);
  registry.target(removeImageCommand);
  for (const command of clipboardCommands) registry.target(command);
  registerViewCommands(registry, context, log);
  return store;
}
