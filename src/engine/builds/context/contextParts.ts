import type { BigIntStats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { once } from '../../../base/lifetime.ts';
import type { BuildRequest } from '../model.ts';
import type { CallStream } from '../grpc/callStream.ts';
import { GRPC_CODE, GrpcError } from '../grpc/grpcError.ts';
import { ContextError } from './contextError.ts';
import { identityOf, realRoot } from './contextRoot.ts';
import { asPattern, followPaths } from './followPaths.ts';
import { dockerfileInContext, readIgnoreRules } from './readIgnoreFile.ts';
import { walkContext, type ContextEntry, type WalkFilter } from './walkContext.ts';

const IGNORE_FILE = '.dockerignore';

/**
 * Parts of the folders of a build that an engine may get. The folders are those of when it is created, the ignore file
 * is that of the first call.
 */
export class ContextParts {
  readonly #request: ContextRequest;
  readonly #isCheck: boolean;
  readonly #roots: Readonly<Record<ContextPart, string>>;
  readonly #ignored: () => Promise<readonly string[]>;

  /** @param isCheck whether the context is only its ignore file. */
  constructor(request: ContextRequest, isCheck: boolean) {
    this.#request = request;
    this.#isCheck = isCheck;
    // Now, and not in a later turn: the engine decides when it calls.
    this.#roots = {
      context: realRoot(request.context),
      dockerfile: realRoot(dirname(request.dockerfile)),
    };
    this.#ignored = once(async () => (await readIgnoreRules(request)).patterns);
  }

  /**
   * Resolves to a folder, and what a call asks for and may get of it.
   *
   * @throws ContextError; the reason of the signal of the call.
   */
  async open(part: ContextPart, call: CallStream): Promise<OpenedPart> {
    const root = this.#roots[part];
    // It has been replaced by a link since then.
    if (realRoot(root) !== root) throw new ContextError('changed', '.');
    if (part === 'dockerfile') return { root, entries: await this.#nearDockerfile(root) };
    const ignored = await this.#ignored();
    if (this.#isCheck) return { root, entries: await exactFile(root, IGNORE_FILE) };
    const filter = await filterOf(root, call);
    const whole = isSame(filter.excludes ?? [], ignored)
      ? filter
      : { ...filter, ignored: [...ignored, ...this.#exceptions()] };
    return { root, entries: walkContext(root, whole, call.signal) };
  }

  /** The engine gets these anyway. */
  #exceptions(): readonly string[] {
    const dockerfile = dockerfileInContext(this.#request);
    const own = dockerfile === undefined ? [] : [dockerfile, `${dockerfile}.dockerignore`];
    return [IGNORE_FILE, ...own].map((name) => `!${asPattern(name)}`);
  }

  /** Of the folder of the Dockerfile, only the Dockerfile and its ignore file are ever sent. */
  async #nearDockerfile(root: string): Promise<readonly ContextEntry[]> {
    const name = basename(this.#request.dockerfile);
    return [...(await linkedFile(root, name)), ...(await exactFile(root, `${name}.dockerignore`))];
  }
}

/** The folders that an engine knows. */
export type ContextPart = 'context' | 'dockerfile';

type ContextRequest = Pick<BuildRequest, 'context' | 'dockerfile'>;

interface OpenedPart {
  /** From `realRoot`. */
  readonly root: string;
  readonly entries: AsyncIterable<ContextEntry> | readonly ContextEntry[];
}

/** Returns a file of a folder, but no link. */
async function exactFile(root: string, path: string): Promise<readonly ContextEntry[]> {
  const stats = await lstat(join(root, path), { bigint: true }).catch(() => undefined);
  return stats?.isFile() === true ? [fileEntry(path, stats)] : [];
}

/** The same, or the file of this folder that a link leads to, under the name of the link. */
async function linkedFile(root: string, name: string): Promise<readonly ContextEntry[]> {
  const real = await realpath(join(root, name)).catch(() => undefined);
  const source = real === undefined ? '' : relative(root, real);
  if (source === '' || source === '..' || source.startsWith(`..${sep}`)) return [];
  const stats = await stat(join(root, source), { bigint: true }).catch(() => undefined);
  return stats?.isFile() === true ? [{ ...fileEntry(name, stats), source }] : [];
}

function fileEntry(path: string, stats: BigIntStats): ContextEntry {
  return {
    path,
    kind: 'file',
    mode: Number(stats.mode) & 0o7777,
    size: Number(stats.size),
    modifiedAt: stats.mtimeNs,
    identity: identityOf(stats),
  };
}

async function filterOf(root: string, call: CallStream): Promise<WalkFilter> {
  const paths = listOf(call, 'followpaths');
  const own = listOf(call, 'include-patterns');
  const followed = paths.length > 0 ? await followPaths(root, paths, call.signal) : undefined;
  // With no path to follow, everything may be needed.
  const includes = paths.length > 0 && !followed ? undefined : [...own, ...(followed ?? [])];
  return { includes, excludes: listOf(call, 'exclude-patterns') };
}

/** Each by itself: a pattern of the engine may contain a line break. */
function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at]);
}

/** Returns the values of a key. */
function listOf(call: CallStream, key: string): readonly string[] {
  const values = call.metadata(key);
  const [encoded] = call.metadata(`${key}-encoded`);
  return encoded === '1' || encoded === 'true' ? values.map(decoded) : values;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    throw new GrpcError(GRPC_CODE.unknown, 'invalid encoding');
  }
}
