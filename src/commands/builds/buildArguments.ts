/** Checks the argument of a build, and makes a request of it. */

import * as l10n from '@vscode/l10n';
import { stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isBuilderName } from '../../builds/buildx/readBuilders.ts';
import { DOCKERFILE_NAMES } from '../../builds/dockerfiles.ts';
import type { BuildRequest } from '../../engine/builds/model.ts';
import { InputError } from '../../engine/errors.ts';
import { checkPlatform } from '../../engine/options/optionChecks.ts';
import { parseRepositoryAndTag, requireValid } from '../../engine/options/reference.ts';
import { isUtf16, readLocalFile, realFileOutside } from '../../base/readLocalFile.ts';
import { isPlainObject, type ArgumentSchema } from '../ui/checkArguments.ts';
import { formatName, formatPath } from '../ui/formatNames.ts';
import type { FileUri } from '../ui/ui.ts';
import type { SecretSource } from '../../builds/buildMemory.ts';

/** Arguments of a build, as callers write them. */
export interface BuildArguments {
  /** The folder that the Dockerfile may copy from: an absolute path, or a URI of a file. */
  readonly context: string | FileUri;
  /** Like `context`, or relative to it; by default `Dockerfile` or `Containerfile`. */
  readonly dockerfile?: string | FileUri;
  readonly tags?: readonly string[];
  readonly target?: string;
  readonly args?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** `os/arch[/variant]`. */
  readonly platform?: string | readonly string[];
  readonly secrets?: Readonly<Record<string, SecretSource>>;
  /** Whether the build may use the SSH agent. */
  readonly ssh?: boolean;
  readonly noCache?: boolean;
  readonly pull?: boolean;
  readonly network?: string;
  /** Each `name:address`. */
  readonly addHosts?: readonly string[];
  /** The name of a builder of `docker buildx`, which then builds. By default, the engine does. */
  readonly builder?: string;
  /** Whether that builder pushes the image instead of storing it on the engine. */
  readonly push?: boolean;
}

/** Returns the fields of a check, which only the engine makes. */
export const checkSchema = (): ArgumentSchema => ({
  context: {
    kind: { check: isPath, expected: l10n.t('an absolute path or a URI') },
    required: true,
  },
  dockerfile: { kind: { check: isPath, expected: l10n.t('a path or a URI') } },
  tags: { kind: 'texts' },
  target: { kind: 'text' },
  args: { kind: 'textMap' },
  labels: { kind: 'textMap' },
  platform: { kind: { check: isPlatform, expected: l10n.t('a string or an array of strings') } },
  secrets: { kind: { check: areSecrets, expected: l10n.t('{ id: { file } } or { id: { env } }') } },
  ssh: { kind: 'boolean' },
  noCache: { kind: 'boolean' },
  pull: { kind: 'boolean' },
  network: { kind: { oneOf: ['default', 'host', 'none'] } },
  addHosts: { kind: 'texts' },
});

/** Returns the fields of {@link BuildArguments}. */
export const buildSchema = (): ArgumentSchema => ({
  ...checkSchema(),
  builder: { kind: { check: isBuilderName, expected: l10n.t('the name of a builder') } },
  push: { kind: 'boolean' },
});

/**
 * Checks an argument and finds its files.
 *
 * @throws InputError that describes the problem.
 */
export async function readBuildArguments(args: BuildArguments): Promise<BuildRequest> {
  const context = localPath(args.context);
  if (!isAbsolute(context))
    throw new InputError(l10n.t('"{0}" must be an absolute path.', 'context'));
  if (!(await isKind(context, 'folder')))
    throw new InputError(l10n.t('Folder {0} not found.', context));
  const { tags = [], platform = [], secrets = {}, network } = args;
  for (const tag of tags) requireValid(parseRepositoryAndTag(tag));
  const platforms = typeof platform === 'string' ? [platform] : platform;
  for (const one of platforms) checkPlatform(one);
  for (const host of args.addHosts ?? []) checkHost(host);
  const ids = Object.keys(secrets);
  const dockerfile = await findDockerfile(context, args.dockerfile);
  const other = await realFileOutside(dockerfile);
  if (other !== undefined)
    throw new InputError(
      l10n.t('{0} is a link out of its folder. Use {1}.', dockerfile, formatPath(other)),
    );
  await checkEncoding(dockerfile, [context]);
  return {
    context,
    dockerfile,
    tags,
    ...pickFields(args, ['target', 'args', 'labels', 'ssh', 'noCache', 'pull', 'addHosts']),
    ...(platforms.length > 0 && { platforms }),
    ...(ids.length > 0 && { secrets: ids }),
    ...(network !== undefined && { network: network as NonNullable<BuildRequest['network']> }),
  };
}

/** Returns the argument for a Dockerfile in a menu. Its folder is the context. */
export function buildOf(dockerfile: string): BuildArguments {
  return { context: dirname(dockerfile), dockerfile };
}

/** Proposes a name for the image: that of the folder, as far as it is one. */
export function proposedTag(context: string): string {
  const name = basename(context)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return name === '' ? 'image' : name;
}

export function buildTitle({ tags, target, context, dockerfile }: BuildRequest): string {
  const name = tags[0] ?? (basename(context) || basename(dockerfile));
  return target === undefined || tags.length > 0 ? name : `${name} · ${target}`;
}

/** @throws InputError if there is no such file. */
export async function findDockerfile(
  context: string,
  given: string | FileUri | undefined,
): Promise<string> {
  if (given !== undefined) {
    const path = resolve(context, localPath(given));
    if (await isKind(path, 'file')) return path;
    throw new InputError(l10n.t('File {0} not found.', path));
  }
  for (const name of DOCKERFILE_NAMES)
    if (await isKind(join(context, name), 'file')) return join(context, name);
  throw new InputError(l10n.t('No Dockerfile in {0}.', context));
}

/**
 * Engines do not understand UTF-16, which PowerShell writes: the build fails without a reason, and an ignore file has
 * no effect.
 *
 * @param contexts the folders that are sent, each with an ignore file of its own.
 * @throws InputError if the Dockerfile or an ignore file is not UTF-8; the reason of the signal.
 */
export async function checkEncoding(
  dockerfile: string | undefined,
  contexts: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const [context, ...others] = contexts;
  const own = `${dockerfile}.dockerignore`;
  const hasOwn = dockerfile !== undefined && (await isKind(own, 'file'));
  const usual = context === undefined ? [] : [join(context, '.dockerignore')];
  const named = others.map((folder) => join(folder, '.dockerignore'));
  for (const path of [dockerfile ?? [], hasOwn ? own : usual, named].flat()) {
    // A Bake file may have very many.
    signal?.throwIfAborted();
    // The builder reports a file that cannot be read.
    const bytes = await readLocalFile(path).catch(() => Buffer.alloc(0));
    if (!isUtf16(bytes)) continue;
    throw new InputError(l10n.t('{0} is encoded in UTF-16. Save it as UTF-8.', formatName(path)));
  }
}

async function isKind(path: string, kind: 'file' | 'folder'): Promise<boolean> {
  try {
    const found = await stat(path);
    return kind === 'file' ? found.isFile() : found.isDirectory();
  } catch {
    return false;
  }
}

function localPath(given: string | FileUri): string {
  if (typeof given === 'string') return given;
  if (given.scheme === 'file') return given.fsPath;
  throw new InputError(l10n.t('{0} is not a local file.', given.toString()));
}

function checkHost(entry: string): void {
  if (/^[^\s:=,]+[:=][^\s,]+$/.test(entry)) return;
  throw new InputError(l10n.t('"{0}" does not have the form name:address.', entry));
}

function pickFields<Key extends keyof BuildArguments & keyof BuildRequest>(
  args: BuildArguments,
  keys: readonly Key[],
): Pick<BuildRequest, Key> {
  const set = keys
    .filter((key) => args[key] !== undefined && args[key] !== '')
    .map((key) => [key, args[key]]);
  return Object.fromEntries(set) as Pick<BuildRequest, Key>;
}

function isPath(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  return typeof value === 'object' && value !== null && 'scheme' in value && 'fsPath' in value;
}

function isPlatform(value: unknown): boolean {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.length > 0 && all.every((one) => typeof one === 'string');
}

function areSecrets(value: unknown): boolean {
  return isPlainObject(value) && Object.values(value).every(isSecret);
}

function isSecret(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const [entry, ...others] = Object.entries(value);
  if (!entry || others.length > 0) return false;
  const [kind, from] = entry;
  return (kind === 'file' || kind === 'env') && typeof from === 'string' && from !== '';
}
