import * as l10n from '@vscode/l10n';
import { access } from 'node:fs/promises';
import type { Connection } from '../../engine/http/connection.ts';
import { engineEnvironment, engineVariables } from '../../engine/cli/engineVariables.ts';
import { listContainers } from '../../engine/containers/containers.ts';
import { InputError, RestrictedModeError } from '../../engine/errors.ts';
import type { ComposeRequest } from '../../projects/cli/composeArguments.ts';
import type { ComposeRun } from '../../projects/cli/composeRun.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName } from '../ui/formatNames.ts';
import { RefusedProjectError } from '../../projects/worktrees/resolveProject.ts';
import {
  separateProject,
  type SeparatedProject,
} from '../../projects/worktrees/separateProject.ts';
import { fillVolumes } from '../worktrees/fillVolumes.ts';
import { readComposeMistake } from '../../projects/cli/composeErrors.ts';
import { allowFiles } from './allowFiles.ts';
import { findRequest, pathsNamedByLabels, type ComposeArguments } from './findRequest.ts';

/**
 * Prepares a run: finds the files, the CLI, and how it reaches the engine. Asks before files outside of the workspace
 * are used that labels name, also for a caller. The run is canceled if the user does not agree.
 *
 * @throws InputError if the workspace is not trusted, the files are not on this machine, or there is no CLI;
 * EngineError.
 */
export async function prepareCompose(
  args: ComposeArguments,
  context: CommandContext,
  signal: AbortSignal,
): Promise<PreparedCompose> {
  const { engine, ui } = context;
  if (!ui.isTrusted()) {
    throw new RestrictedModeError(
      l10n.t('This workspace is in Restricted Mode. Trust the workspace to run its compose files.'),
    );
  }
  checkServices(args);
  const connection = await engine.connect(signal);
  const isKnown = args.project !== undefined && args.files === undefined;
  const containers = isKnown ? await listContainers(connection, { all: true }, signal) : undefined;
  const { request, isOfWorktree } = await findRequest(args, containers ?? [], context);
  if (!(await allowFiles(pathsNamedByLabels(args, request), context)))
    throw new DOMException('Canceled', 'AbortError');
  await checkFiles(request);
  const cli = await context.window.findCompose();
  signal.throwIfAborted();
  if (!cli) {
    throw new InputError(
      l10n.t('Compose is not installed. Install the Docker CLI with its Compose plugin.'),
    );
  }
  const variables = engineVariables(connection.endpoint);
  const env = engineEnvironment(process.env, variables);
  const callOf: PreparedCompose['callOf'] = (words) => {
    return { file: cli.file, args: words, env, variables };
  };
  const prepared = { cli, request, containers, callOf };
  if (!isOfWorktree) return prepared;
  return separated(prepared, connection, context, signal);
}

/** Prepared run of the compose CLI. */
export interface PreparedCompose extends ComposeRun {
  /** What separates it from the projects of other worktrees, if it is that of a worktree. */
  readonly separated?: SeparatedProject;
}

/** Separates the project from those of other worktrees. */
async function separated(
  run: ComposeRun,
  connection: Connection,
  context: CommandContext,
  signal: AbortSignal,
): Promise<PreparedCompose> {
  const { ui, window } = context;
  const containers = run.containers ?? (await listContainers(connection, { all: true }, signal));
  const overrides = await window.worktrees();
  try {
    const prepared = await separateProject(run, { connection, containers, overrides }, signal);
    await fillVolumes(prepared.separated, context, signal);
    return prepared;
  } catch (error) {
    if (error instanceof RefusedProjectError)
      await ui.showComposeProblem(run.request.files, readComposeMistake(error.output));
    throw error;
  }
}

/** The CLI would take a name that begins with a hyphen for an option. */
function checkServices({ services = [] }: ComposeArguments): void {
  const wrong = services.find((name) => !/^[A-Za-z0-9._][A-Za-z0-9._-]*$/.test(name));
  if (wrong === undefined) return;
  throw new InputError(l10n.t('"{0}" is not the name of a service.', formatName(wrong)));
}

/** The labels of a project on another machine name files of that machine. */
async function checkFiles({ files }: ComposeRequest): Promise<void> {
  for (const file of files) {
    try {
      await access(file);
    } catch {
      throw new InputError(l10n.t('File not found: {0}.', formatName(file)));
    }
  }
}
