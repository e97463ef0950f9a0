import type { BuildRequest } from '../../engine/builds/model.ts';
import type { Buildx } from './findBuildx.ts';

/** Every value is in one argument with its option, so that none passes for an option. */
export function buildxArguments(
  { prefix }: Buildx,
  request: BuildRequest,
  { builder, secrets, hidden, output, metadata }: BuildxOptions,
): readonly string[] {
  const { dockerfile, tags, target, args = {}, labels = {}, platforms = [] } = request;
  const { ssh, noCache, pull, network, addHosts = [], context } = request;
  return [
    ...[...prefix, 'build', '--progress=rawjson', `--builder=${builder}`, OUTPUTS[output]],
    ...[`--metadata-file=${metadata}`, `--file=${dockerfile}`],
    ...tags.map((tag) => `--tag=${tag}`),
    ...(target === undefined ? [] : [`--target=${target}`]),
    ...(platforms.length > 0 ? [`--platform=${platforms.join(',')}`] : []),
    ...Object.entries(args).map(([name, value]) =>
      hidden.has(name) ? `--build-arg=${name}` : `--build-arg=${name}=${value}`,
    ),
    ...Object.entries(labels).map(([name, value]) => `--label=${name}=${value}`),
    ...Object.entries(secrets).map(([id, source]) => `--secret=${secretFields(id, source)}`),
    ...(ssh === true ? ['--ssh=default'] : []),
    ...(noCache === true ? ['--no-cache'] : []),
    ...(pull === true ? ['--pull'] : []),
    ...(network === undefined ? [] : [`--network=${network}`]),
    ...addHosts.map((host) => `--add-host=${host}`),
    context,
  ];
}

/** Options of buildx besides the image. */
export interface BuildxOptions {
  readonly builder: string;
  /** Where each secret is: a file (an absolute path) or an environment variable. */
  readonly secrets: Readonly<Record<string, BuildxSecret>>;
  /** The arguments whose values are in the environment, so that the command does not show them. */
  readonly hidden: ReadonlySet<string>;
  /** Where the image goes: to the engine, to its registry, or nowhere but into the cache of the builder. */
  readonly output: 'load' | 'push' | 'cache';
  /** The file that gets the digest of the image. */
  readonly metadata: string;
}

export type BuildxSecret = { readonly file: string } | { readonly env: string };

const OUTPUTS: Readonly<Record<BuildxOptions['output'], string>> = {
  load: '--load',
  push: '--push',
  cache: '--output=type=image',
};

export interface BakeOptions {
  /** Targets; if there are none, those of the group `default`. */
  readonly targets?: readonly string[];
  readonly builder?: string;
  /** Build, which is the default, or write something about the file. */
  readonly mode?: '--progress=rawjson' | '--print' | '--list=type=targets,format=json';
}

/** Returns the arguments that run bake on targets of a file. */
export function bakeArguments(
  { prefix }: Buildx,
  file: string,
  { targets = [], builder, mode = '--progress=rawjson' }: BakeOptions,
): readonly string[] {
  return [
    ...[...prefix, 'bake', mode, `--file=${file}`],
    ...(builder === undefined ? [] : [`--builder=${builder}`]),
    ...targets,
  ];
}

function secretFields(id: string, source: BuildxSecret): string {
  const from = 'file' in source ? `src=${source.file}` : `env=${source.env}`;
  return [`id=${id}`, from].map(csvField).join(',');
}

/** buildx reads the option as a line of CSV. */
function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
