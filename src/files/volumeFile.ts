import { open, stat, type FileHandle } from 'node:fs/promises';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { createGunzip, createGzip, createZstdDecompress } from 'node:zlib';
import { TarRules } from '../engine/archive/tarRules.ts';
import { summarized, TarSummary } from '../engine/archive/tarSummary.ts';
import { capabilitiesOf } from '../engine/capabilities/capabilities.ts';
import { EngineError } from '../engine/errors.ts';
import type { Connection } from '../engine/http/connection.ts';
import type { Volume } from '../engine/model.ts';
import type { Upload } from '../engine/http/engineRequest.ts';
import { counted, type VolumeCopy } from '../engine/volumes/cloneVolume.ts';
import { openVolume, type VolumeSource } from '../engine/volumes/openVolume.ts';
import type { VolumeContainers } from '../engine/volumes/volumeContainers.ts';
import { VolumeFileError, type VolumeFileProblem } from '../engine/volumes/volumeErrors.ts';
import { writeVolumeFiles } from '../engine/volumes/writeVolumeFiles.ts';
import { checkArchive, openArchiveUpload } from './archiveUpload.ts';
import { writeAtomically, type AtomicWriteOptions } from '../base/writeAtomically.ts';

/** A complete file with the files of a volume. */
export interface VolumeFile {
  /** Absolute. */
  readonly path: string;
  readonly summary: Pick<TarSummary, 'entries' | 'bytes' | 'root'>;
  /** A link out of the volume, which some engines refuse. */
  readonly linkOut: string | undefined;
  readonly packing: Packing | undefined;
  /** Of the file that was read. */
  readonly identity: FileIdentity;
}

/**
 * Writes the files of a volume to a file, completely or not at all: a `.tar` file if the name has that ending, else a
 * `.tar.gz` file.
 *
 * @returns the size of the file in bytes.
 * @throws as `openVolume` and `writeAtomically`.
 */
export async function exportVolume(
  connection: Connection,
  volume: string,
  { path, overwrite, token, onBytes, ...source }: VolumeExport,
  signal?: AbortSignal,
): Promise<{ readonly path: string; readonly size: number }> {
  await using files = await openVolume(connection, volume, source, signal);
  const tar = counted(files.tar, onBytes);
  const packed = /\.tar$/i.test(path) ? tar : through(tar, createGzip());
  const size = await writeAtomically(packed, path, { overwrite, token });
  await files.check();
  return { path, size };
}

export interface VolumeExport
  extends VolumeSource, Pick<AtomicWriteOptions, 'overwrite' | 'token'> {
  /** Absolute. */
  readonly path: string;
  /** Called with the number of bytes read from the volume. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Reads a tar archive, also one compressed with gzip or zstd, to its end, so that nothing is written to a volume from
 * a broken one, or from one that engines refuse.
 *
 * @param onBytes called with the number of bytes read from the file, and its size.
 * @throws VolumeFileError; FileProblemError; file system errors; the signal's reason.
 */
export function readVolumeFile(
  path: string,
  signal?: AbortSignal,
  onBytes?: (bytes: number, total: number) => void,
): Promise<VolumeFile> {
  return whileUnchanged(path, undefined, async (file, identity) => {
    const upload = await openArchiveUpload(file, onBytes);
    const packing = packingOf(await headOf(file));
    const rules = new TarRules();
    const summary = new TarSummary(rules);
    try {
      for await (const _ of summarized(unpacked(packing, upload), summary, NOWHERE))
        signal?.throwIfAborted();
    } catch (error) {
      if (!(error instanceof EngineError) && !isBadPacking(error)) throw error;
      // A tar can have its end where the compressed data is cut.
      const isOver = error instanceof EngineError && summary.hasEnd;
      const problem = isOver ? { kind: 'trailing' as const } : await problemOf(file, summary);
      throw new VolumeFileError(problem, error);
    }
    if (summary.unsafe !== undefined)
      throw new VolumeFileError({ kind: 'unsafe', name: summary.unsafe });
    if (rules.problem) throw new VolumeFileError({ kind: 'refused', entry: rules.problem });
    const { entries, bytes, root } = summary;
    const { linkOut } = rules;
    return { path, summary: { entries, bytes, root }, linkOut, packing, identity };
  });
}

/**
 * Checks right before a volume is changed that a file is still the one that was read, and that the engine accepts it.
 *
 * @throws VolumeFileError; file system errors; EngineError.
 */
export async function checkVolumeFile(
  connection: Connection,
  { path, identity, linkOut }: VolumeFile,
  signal?: AbortSignal,
): Promise<void> {
  if (linkOut !== undefined && !capabilitiesOf(await connection.info(signal)).extractsLinksOut) {
    const entry = { name: linkOut, why: 'link', type: '2' } as const;
    throw new VolumeFileError({ kind: 'refused', entry });
  }
  await whileUnchanged(path, identity, () => Promise.resolve());
}

/**
 * Writes the files of an archive to a volume. Files written before a failure stay.
 *
 * @param file read by {@link readVolumeFile}.
 * @throws EngineError; VolumeChangedError; VolumeFileError `changed`; UploadError if the file cannot be read; the
 * signal's reason.
 */
export function importVolume(
  connection: Connection,
  volume: string,
  { containers, file, found, onBytes }: VolumeImport,
  signal?: AbortSignal,
): Promise<VolumeCopy> {
  const { path, summary, packing, identity } = file;
  return whileUnchanged(path, identity, async (open) => {
    const upload = await openArchiveUpload(open, onBytes);
    const tar = () => unpacked(packing, upload);
    const target = { containers, tar, summary: () => summary, found };
    const lost = await writeVolumeFiles(connection, volume, target, signal);
    return { entries: summary.entries, bytes: summary.bytes, lost };
  });
}

export interface VolumeImport {
  readonly containers: VolumeContainers;
  readonly file: VolumeFile;
  /** The volume as it was found or created. */
  readonly found?: Volume | undefined;
  /** Called with the number of bytes read from the file, and its size. */
  readonly onBytes?: (bytes: number, total: number) => void;
}

const NOWHERE = { endpoint: '', operation: '' };

/** Identity of a file and its contents. */
interface FileIdentity {
  readonly contents: readonly bigint[];
  /** When its name, its rights or its dates were last changed, too. */
  readonly changedAt: bigint;
}

/**
 * Runs work on a file that stays open.
 *
 * @param identity what the file must be.
 * @throws VolumeFileError `changed` if it is another file, before the work, or was changed during it; FileProblemError;
 *   file system errors; errors of the work.
 */
async function whileUnchanged<T>(
  path: string,
  identity: FileIdentity | undefined,
  work: (file: FileHandle, identity: FileIdentity) => Promise<T>,
): Promise<T> {
  checkArchive(await stat(path));
  await using file = await open(path, 'r');
  const before = await identityOf(file);
  if (identity && !isDeepStrictEqual(identity, before)) throw changed();
  const check = async (error?: unknown): Promise<void> => {
    // It may have been renamed since.
    const { contents } = before;
    const { contents: now } = await identityOf(file);
    if (!isDeepStrictEqual(now, contents)) throw changed(error);
  };
  const result = await work(file, before).catch(async (error: unknown) => {
    await check(error);
    throw error;
  });
  await check();
  return result;
}

async function identityOf(file: FileHandle): Promise<FileIdentity> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
  return { contents: [dev, ino, size, mtimeNs], changedAt: ctimeNs };
}

function changed(cause?: unknown): VolumeFileError {
  return new VolumeFileError({ kind: 'changed' }, cause);
}

async function headOf(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0);
  return buffer.subarray(0, bytesRead);
}

/** Beginnings of files that a program compressed. */
const PACKINGS = {
  gzip: [0x1f, 0x8b],
  zstd: [0x28, 0xb5, 0x2f, 0xfd],
  xz: [0xfd, 0x37, 0x7a, 0x58, 0x5a],
  bzip2: [0x42, 0x5a, 0x68],
  lz4: [0x04, 0x22, 0x4d, 0x18],
  lzip: [0x4c, 0x5a, 0x49, 0x50],
  compress: [0x1f, 0x9d],
  zip: [0x50, 0x4b, 0x03, 0x04],
  '7z': [0x37, 0x7a, 0xbc, 0xaf],
} as const;

type Packing = keyof typeof PACKINGS;

function packingOf(head: Buffer): Packing | undefined {
  const all = Object.keys(PACKINGS) as readonly Packing[];
  return all.find((one) => PACKINGS[one].every((byte, at) => head[at] === byte));
}

/** Yields the bytes of the tar in a file. What is compressed otherwise than with gzip or zstd is left as it is. */
function unpacked(packing: Packing | undefined, upload: Upload): AsyncIterable<Uint8Array> {
  if (packing === 'gzip') return through(upload.open(), createGunzip());
  return packing === 'zstd' ? whole(upload) : upload.open();
}

/**
 * Yields what a file has that was compressed with zstd.
 *
 * @throws VolumeFileError `packed` if it has several frames, of which Node reads the first one only.
 */
async function* whole(upload: Upload): AsyncGenerator<Uint8Array> {
  const transform = createZstdDecompress();
  yield* through(upload.open(), transform);
  if (transform.bytesWritten !== upload.size)
    throw new VolumeFileError({ kind: 'packed', format: 'zstd' });
}

/** Why a file is not a complete tar archive. A name in a tar can begin like a compressed file. */
async function problemOf(file: FileHandle, summary: TarSummary): Promise<VolumeFileProblem> {
  const format = packingOf(await headOf(file));
  const isRead = format === undefined || format === 'gzip' || format === 'zstd';
  return isRead || summary.entries > 0 ? { kind: 'incomplete' } : { kind: 'packed', format };
}

function isBadPacking(error: unknown): boolean {
  const { code = '' } = error as { readonly code?: string };
  return /^(?:Z_|ZSTD_|ERR_BUFFER|ERR_PADDING|ERR_ZSTD)/.test(code);
}

/** Yields what a transform makes of the source. Reads no further ahead than the reader. */
async function* through(
  source: AsyncIterable<Uint8Array>,
  transform: Transform,
): AsyncGenerator<Uint8Array> {
  const done = pipeline(source, transform);
  done.catch(() => undefined);
  // Destroys the transform if the reader stops.
  for await (const chunk of transform) yield chunk as Uint8Array;
  await done;
}
