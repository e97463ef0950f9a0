import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { abortReason } from '../../base/lifetime.ts';
import { delay } from '../../base/time.ts';
import { archiveContainer, wholePath, writeArchive, type ArchiveRoot } from '../archive/archive.ts';
import { hasReplacement } from '../archive/hasReplacement.ts';
import { NameEncodingError } from '../archive/pathStat.ts';
import type { TarOwner } from '../archive/readTar.ts';
import { writeTar } from '../archive/writeTar.ts';
import { capabilitiesOf } from '../capabilities/capabilities.ts';
import { EngineError, unlessNotFound } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { ByteStore } from '../wire/byteStore.ts';
import {
  FileConflictError,
  FileReadOnlyError,
  PathExistsError,
  FileWriteError,
  type FileLoss,
  type FileOutcome,
} from './fileErrors.ts';
import { statInside } from './fileFacts.ts';
import { judgeWrite, WRITE_LIMIT, type JudgeOptions, type WriteJudgement } from './judgeWrite.ts';
import { hashOf, readHash, type HashedFile } from './readHash.ts';
import { ownerAbove } from './ownerAbove.ts';
import { resolvePath } from './resolvePath.ts';
import { writeInPlace, type InPlaceWrite } from './writeInPlace.ts';

/**
 * Writes one file of a container, which may be running or stopped and needs no shell, or of a mounted volume. It keeps
 * its owner, group and mode. Links are followed and never replaced. What cannot be replaced without becoming another
 * file is written by a process in the container.
 *
 * @param path absolute and normalized.
 * @throws FileReadOnlyError, FileConflictError, PathExistsError, PathKindError, NameEncodingError: nothing was changed;
 *   FileWriteError: says what the file has now; EngineError before anything was written: `notFound` if the file or its
 *   folder does not exist.
 */
export async function writeFile(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  contents: Uint8Array,
  options: WriteOptions = {},
  signal?: AbortSignal,
): Promise<WrittenFile> {
  if (hasReplacement(path)) throw new NameEncodingError(path);
  if (contents.length > WRITE_LIMIT) throw new FileReadOnlyError(path, 'tooLarge');
  const target = await judgeWrite(connection, root, path, options, signal);
  if (target.reason) throw new FileReadOnlyError(path, target.reason, target.mount?.target);
  const old = new ByteStore();
  const before = await readExisting(connection, root, target, old, signal);
  if (!before && options.create !== true)
    throw new EngineError('notFound', { engineMessage: path });
  if (before && options.overwrite === false) throw new PathExistsError(path);
  if (options.expected !== undefined && before?.hash !== options.expected)
    throw new FileConflictError(path, before?.hash);
  const owner = await ownerFor(connection, root, { target, before, ...options }, signal);
  const judged: Work = { connection, root, path, target, contents, owner };
  const work = await withoutLoss(judged, before, options, signal);
  const hash = hashOf(contents);
  try {
    await put(work, signal);
  } catch (error) {
    await repair(work, before && { hash: before.hash, contents: old.drain() }, error);
  }
  return { ...(await readBack(work, hash, before?.hash, signal)), isNew: !before };
}

export interface WriteOptions extends Pick<JudgeOptions, 'links'> {
  /** Creates the file if there is none: it gets the owner of its folder, where that is known, else 0:0. */
  readonly create?: boolean;
  /** Whether a file that exists is replaced. Default: true. */
  readonly overwrite?: boolean;
  /** The permission bits with setuid, setgid and the sticky bit. Default: those of the file; for a new one, 0644. */
  readonly mode?: number | undefined;
  /** Asks whether what the engine drops may be lost. By default it may. */
  readonly confirmLoss?: (losses: readonly FileLoss[]) => Promise<boolean>;
  /** The hash that the file must still have: see `hashOf`. */
  readonly expected?: string | undefined;
}

/** A file that was written, read back, and found to have what was written. */
export interface WrittenFile {
  /** Without links. */
  readonly path: string;
  readonly size: number;
  /** Undefined where the engine does not report them, and no process in the container could. */
  readonly owner: number | undefined;
  readonly group: number | undefined;
  readonly mode: number;
  readonly hash: string;
  readonly isNew: boolean;
  /** The number of its names, if it is known. */
  readonly links: number | undefined;
  readonly judgement: WriteJudgement;
}

interface Work extends InPlaceWrite {
  readonly target: WriteJudgement;
  readonly connection: Connection;
  readonly root: ArchiveRoot;
  readonly owner: Owner;
}

/** `uid` and `gid` are undefined where they are unknown: then the engine decides. */
interface Owner extends Pick<TarOwner, 'mode'> {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
}

/** A process in the container keeps what the engine drops. @throws AbortError if the user does not want to lose it. */
async function withoutLoss(
  work: Work,
  before: HashedFile | undefined,
  { confirmLoss }: WriteOptions,
  signal: AbortSignal | undefined,
): Promise<Work> {
  const { connection, root, target, owner } = work;
  const { keepsSetuid } = capabilitiesOf(await connection.info(signal));
  const losses: FileLoss[] = [];
  if (!keepsSetuid && (owner.mode & SETUID) !== 0) losses.push('setuid');
  if (before?.owner?.hasAttributes === true) losses.push('attributes');
  if (losses.length === 0 || target.way === 'inPlace') return work;
  const id = archiveContainer(root);
  const isAsked = !target.facts && before !== undefined && target.container.state === 'running';
  const facts = isAsked
    ? await statInside(connection, id, wholePath(root, target.path), signal)
    : target.facts;
  if (facts) return { ...work, target: { ...target, facts, way: 'inPlace' } };
  if (confirmLoss && !(await confirmLoss(losses))) throw abortReason(AbortSignal.abort());
  return work;
}

/** Setuid and setgid. */
const SETUID = 0o6000;

async function readExisting(
  connection: Connection,
  root: ArchiveRoot,
  { stat, path }: WriteJudgement,
  store: ByteStore,
  signal: AbortSignal | undefined,
): Promise<HashedFile | undefined> {
  return stat && unlessNotFound(readHash(connection, root, path, signal, store));
}

async function ownerFor(
  connection: Connection,
  root: ArchiveRoot,
  {
    target,
    before,
    mode,
  }: Pick<WriteOptions, 'mode'> & { target: WriteJudgement; before: HashedFile | undefined },
  signal: AbortSignal | undefined,
): Promise<Owner> {
  const { keepsOwnersInArchives } = capabilitiesOf(await connection.info(signal));
  const known = target.facts ?? (keepsOwnersInArchives ? before?.owner : undefined);
  if (before) {
    const { uid, gid, mode: own = target.stat?.permissions ?? NEW_MODE } = known ?? {};
    return { uid, gid, mode: mode ?? own };
  }
  const above = await ownerAbove(connection, root, posix.dirname(target.path), target, signal);
  return { uid: above?.uid ?? 0, gid: above?.gid ?? 0, mode: mode ?? NEW_MODE };
}

const NEW_MODE = 0o644;

/** Replaces a file, or creates it. The engine writes a new one in its place. */
async function replace(
  { connection, root, target, contents, owner }: Work,
  signal: AbortSignal | undefined,
): Promise<void> {
  const entry = {
    name: posix.basename(target.path),
    kind: 'file',
    permissions: owner.mode,
    uid: owner.uid ?? 0,
    gid: owner.gid ?? 0,
    modifiedAt: Date.now(),
    size: contents.length,
    open: () => Readable.from(contents.length > 0 ? [contents] : []),
  } as const;
  const tar = () => writeTar([entry]);
  await writeArchive(connection, root, posix.dirname(target.path), tar, signal);
}

function put(work: Work, signal: AbortSignal | undefined): Promise<void> {
  if (work.target.way !== 'inPlace') return replace(work, signal);
  return writeInPlace(work.connection, work.root, work, signal);
}

/** Time to find out what a file has after a failure, and to repair it. */
const REPAIR_LIMIT_MS = 30_000;

/**
 * Writes again what was cut in the middle, also after a canceled write: a half file is neither the old nor the new one.
 * If that fails, as on a full disk, puts back the old contents.
 *
 * @throws FileWriteError if the file is not what was written; FileReadOnlyError if nothing was.
 */
async function repair(
  work: Work,
  old: { readonly hash: string; readonly contents: Buffer } | undefined,
  cause: unknown,
): Promise<void> {
  const written = hashOf(work.contents);
  const before = old?.hash;
  const signal = AbortSignal.timeout(REPAIR_LIMIT_MS);
  const now = await lookAfter(work, signal);
  const outcome = now === 'unknown' ? now : kindOf(now?.hash, written, before);
  if (cause instanceof FileReadOnlyError && outcome === 'old') throw cause;
  if (outcome === 'new' || outcome === 'old' || !isHalf(work, now))
    throw new FileWriteError(work.path, outcome, { cause });
  await put(work, signal).catch(async () => {
    if (old && isHalf(work, await lookAfter(work, signal)))
      await put({ ...work, contents: old.contents }, signal).catch(() => undefined);
    throw new FileWriteError(work.path, await outcomeOf(work, written, before), { cause });
  });
}

/** Whether a write was cut in the middle: the file is gone, or has only the beginning. */
function isHalf({ contents }: Work, now: Look): boolean {
  if (now === 'unknown') return false;
  return !now || hashOf(contents.subarray(0, now.size)) === now.hash;
}

/** Returns what the file has after a failure. Never rejects. */
async function outcomeOf(
  work: Work,
  written: string,
  before: string | undefined,
): Promise<FileOutcome> {
  const now = await lookAfter(work, AbortSignal.timeout(REPAIR_LIMIT_MS));
  return now === 'unknown' ? now : kindOf(now?.hash, written, before);
}

/**
 * Returns what the file has once that does not change any more: what an engine got of a request, it may write only after
 * the connection has ended. Never rejects.
 */
async function lookAfter(work: Work, signal: AbortSignal): Promise<Look> {
  let now = await look(work, signal);
  for (let same = 0; same < CALM_LOOKS && !signal.aborted;) {
    await delay(BETWEEN_LOOKS_MS, signal).catch(() => undefined);
    const next = await look(work, signal);
    same = hashIn(next) === hashIn(now) ? same + 1 : 0;
    now = next;
  }
  return now;
}

type Look = HashedFile | 'unknown' | undefined;

/** A file that is the same at so many later looks is taken for what it will be. */
const CALM_LOOKS = 4;
const BETWEEN_LOOKS_MS = 150;

function hashIn(now: Look): string | undefined {
  return now === 'unknown' ? now : now?.hash;
}

async function look({ connection, root, target }: Work, signal: AbortSignal): Promise<Look> {
  try {
    return await unlessNotFound(readHash(connection, root, target.path, signal));
  } catch {
    return 'unknown';
  }
}

function kindOf(now: string | undefined, written: string, before: string | undefined): FileOutcome {
  if (now === written) return 'new';
  if (now === before) return 'old';
  return now === undefined ? 'gone' : 'other';
}

/** @throws FileWriteError if the file is not what was written, or not where it was. */
async function readBack(
  work: Work,
  hash: string,
  before: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Omit<WrittenFile, 'isNew'>> {
  const { connection, root, path, target, owner, contents } = work;
  const [now, found, info] = await Promise.all([
    readHash(connection, root, target.path, signal),
    // What is read says itself if it is a link now.
    path === target.path
      ? resolvePath(connection, root, posix.dirname(path), signal)
      : resolvePath(connection, root, path, signal),
    connection.info(signal),
  ]).catch(async (error: unknown) => {
    throw new FileWriteError(path, await outcomeOf(work, hash, before), { cause: error });
  });
  const looked = path === target.path ? posix.dirname(path) : target.path;
  const movedTo = found.path === looked ? undefined : found.path;
  const outcome = kindOf(now.hash, hash, before);
  if (movedTo !== undefined || outcome !== 'new')
    throw new FileWriteError(path, outcome, movedTo === undefined ? {} : { movedTo });
  const { keepsOwnersInArchives } = capabilitiesOf(info);
  const { uid, gid } = (keepsOwnersInArchives ? now.owner : undefined) ?? owner;
  return {
    path: target.path,
    size: contents.length,
    owner: uid,
    group: gid,
    mode: now.owner?.mode ?? owner.mode,
    hash,
    links: target.way === 'archive' ? 1 : target.facts?.links,
    judgement: target,
  };
}
