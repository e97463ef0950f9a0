import type { ComposeCli } from './composeCli.ts';

/**
 * Returns the arguments of a run. Every value is in one argument with its option, so that none passes for an
 * option; the caller has checked the names of services.
 */
export function composeArguments(
  cli: ComposeCli,
  verb: ComposeVerb,
  request: ComposeRequest,
  isDryRun = false,
): readonly string[] {
  const { services = [], removeOrphans } = request;
  return [
    ...cli.prefix,
    ...(cli.hasJson ? ['--progress=json'] : []),
    ...(isDryRun ? ['--dry-run'] : []),
    ...projectArguments(cli, request),
    ...VERBS[verb],
    ...(removeOrphans === true && verb !== 'watch' ? ['--remove-orphans'] : []),
    ...services,
  ];
}

/** Target of a run of the compose CLI. */
export interface ComposeRequest {
  /** The name of the project; by default the CLI takes it from the files. */
  readonly project?: string;
  /** The folder of the project, an absolute path; by default that of the first file. */
  readonly folder?: string;
  /** Absolute paths, each overriding those before; at least one. */
  readonly files: readonly string[];
  /** All by default. */
  readonly services?: readonly string[];
  readonly profiles?: readonly string[];
  /** Absolute paths. */
  readonly envFiles?: readonly string[];
  /** Whether to remove the containers of services that are not in the files. */
  readonly removeOrphans?: boolean;
}

/**
 * Verb of the compose CLI on a project: create and start it, with new containers, with new images; or rebuild on
 * changes.
 */
export type ComposeVerb = 'up' | 'recreate' | 'build' | 'watch';

const VERBS: Readonly<Record<ComposeVerb, readonly string[]>> = {
  up: ['up', '--detach'],
  recreate: ['up', '--detach', '--force-recreate'],
  build: ['up', '--detach', '--build'],
  watch: ['watch'],
};

/**
 * Returns the arguments that print the hash of each service's configuration: one line with name and hash. Also of
 * services whose profiles are not enabled: Compose leaves their containers alone.
 */
export function hashArguments(cli: ComposeCli, request: ComposeRequest): readonly string[] {
  const whole = { ...request, profiles: [...(request.profiles ?? []), '*'] };
  return [...cli.prefix, ...projectArguments(cli, whole), 'config', '--hash=*'];
}

/** Returns the arguments that print the services that a run of all works on, one a line. */
export function servicesArguments(cli: ComposeCli, request: ComposeRequest): readonly string[] {
  return [...cli.prefix, ...projectArguments(cli, request), 'config', '--services'];
}

/** Returns the arguments that print the project as JSON, with everything that variables and other files add. */
export function configArguments(cli: ComposeCli, request: ComposeRequest): readonly string[] {
  return [...cli.prefix, ...projectArguments(cli, request), 'config', '--format=json'];
}

/** Returns the arguments that print the version of the CLI alone. */
export function versionArguments({ prefix }: ComposeCli): readonly string[] {
  return [...prefix, 'version', '--short'];
}

function projectArguments(
  { hasFolder }: ComposeCli,
  { project, folder, files, profiles = [], envFiles = [] }: ComposeRequest,
): readonly string[] {
  return [
    ...(project === undefined ? [] : [`--project-name=${project}`]),
    ...(folder === undefined || !hasFolder ? [] : [`--project-directory=${folder}`]),
    ...files.map((file) => `--file=${file}`),
    ...profiles.map((profile) => `--profile=${profile}`),
    ...envFiles.map((file) => `--env-file=${file}`),
  ];
}
