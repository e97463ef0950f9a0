import * as l10n from '@vscode/l10n';
import { access } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { CliCall } from '../../engine/cli/cliCall.ts';
import { engineEnvironment, engineVariables } from '../../engine/cli/engineVariables.ts';
import { listContainers } from '../../engine/containers/containers.ts';
import { InputError, RestrictedModeError } from '../../engine/errors.ts';
import type { Container } from '../../engine/model.ts';
import type { ComposeRequest } from '../../projects/cli/composeArguments.ts';
import type { ComposeCli } from '../../projects/cli/composeCli.ts';
import { findProject, type Project } from '../../projects/project.ts';
import { environmentFilesOf } from '../../projects/projectLabels.ts';
import type { ArgumentSchema } from '../ui/checkArguments.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName } from '../ui/formatNames.ts';
import type { Ui } from '../ui/ui.ts';
import { allowFiles } from './allowFiles.ts';

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
  const project = findProject(containers ?? [], args.project ?? '');
  const request = requestOf(args, project, ui);
  const named = [
    ...(args.files ? [] : request.files),
    ...(args.envFiles ? [] : (request.envFiles ?? [])),
    ...(request.folder === undefined ? [] : [request.folder]),
  ];
  if (!(await allowFiles(named, context))) throw new DOMException('Canceled', 'AbortError');
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
  return { cli, request, containers, callOf };
}

/** Target of a run of the compose CLI: a project that exists, files, or both. */
export interface ComposeArguments {
  readonly project?: string;
  /** Absolute paths, or relative to the first workspace folder. By default those that created the project. */
  readonly files?: readonly string[];
  /** All by default. */
  readonly services?: readonly string[];
  readonly profiles?: readonly string[];
  readonly envFiles?: readonly string[];
  readonly removeOrphans?: boolean;
}

export const composeSchema: ArgumentSchema = {
  project: { kind: 'text' },
  files: { kind: 'texts' },
  services: { kind: 'texts' },
  profiles: { kind: 'texts' },
  envFiles: { kind: 'texts' },
  removeOrphans: { kind: 'boolean' },
};

/** Prepared run of the compose CLI. */
export interface PreparedCompose {
  readonly cli: ComposeCli;
  readonly request: ComposeRequest;
  /** All containers of the engine, if they were asked for to find the project. */
  readonly containers: readonly Container[] | undefined;
  /** Returns a run with these arguments. */
  readonly callOf: (args: readonly string[]) => CliCall;
}

function requestOf(args: ComposeArguments, known: Project | undefined, ui: Ui): ComposeRequest {
  const files = args.files?.map((file) => absolutePath(file, ui)) ?? known?.files ?? [];
  if (files.length === 0) {
    throw new InputError(
      args.project === undefined
        ? l10n.t('Set "project" or "files".')
        : l10n.t(
            'The files of project {0} are not known. Use a compose file instead.',
            formatName(args.project),
          ),
    );
  }
  const { services, profiles, removeOrphans } = args;
  const envFiles = args.envFiles?.map((file) => absolutePath(file, ui));
  return {
    files,
    services,
    profiles,
    removeOrphans,
    ...(args.project !== undefined && { project: args.project }),
    ...(args.files === undefined &&
      known?.workingDir !== undefined && { folder: known.workingDir }),
    envFiles:
      envFiles ??
      (known ? environmentFilesOf(known.services.flatMap(({ containers }) => containers)) : []),
  };
}

function absolutePath(path: string, ui: Ui): string {
  if (isAbsolute(path)) return path;
  const [folder] = ui.workspaceFolders();
  if (folder === undefined) {
    throw new InputError(l10n.t('"{0}" is not an absolute path.', formatName(path)));
  }
  return join(folder, path);
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
