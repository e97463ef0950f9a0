import { VolumeFileError } from '../engine/volumes/volumeErrors.ts';
import { open } from 'node:fs/promises';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { summarized, TarSummary } from '../engine/archive/tarSummary.ts';
import { EngineError } from '../engine/errors.ts';
import type { Connection } from '../engine/http/connection.ts';
import { counted, type VolumeCopy } from '../engine/volumes/cloneVolume.ts';
import { readVolumeFiles, type VolumeSource } from '../engine/volumes/readVolumeFiles.ts';
import type { VolumeContainers } from '../engine/volumes/volumeContainers.ts';
import { writeVolumeFiles } from '../engine/volumes/writeVolumeFiles.ts';
import { archiveUpload } from './archiveUpload.ts';
import { writeAtomically, type AtomicWriteOptions } from './writeAtomically.ts';

/** A complete file with the files of a volume. */
export interface VolumeFile {
  /** Absolute. */
  readonly path: string;
  readonly summary: TarSummary;
}

/**
 * Writes the files of a volume to a `.tar.gz` file, completely or not at all.
 *
 * @returns the size of the file in bytes.
 * @throws as `readVolumeFiles` and `writeAtomically`.
 */
export function exportVolume(
  connection: Connection,
  volume: string,
  { path, overwrite, onBytes, ...source }: VolumeExport,
  signal?: AbortSignal,
): Promise<{ readonly path: string; readonly size: number }> {
  const write = async (files: AsyncIterable<Uint8Array>) => {
    const packed = through(counted(files, onBytes), createGzip());
    return { path, size: await writeAtomically(packed, path, { overwrite }) };
  };
  return readVolumeFiles(connection, volume, source, write, signal);
}

/** The file to write. */
export interface VolumeExport extends VolumeSource, Pick<AtomicWriteOptions, 'overwrite'> {
  /** Absolute. */
  readonly path: string;
  /** Called with the number of bytes read from the volume. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Reads a `.tar.gz` or `.tar` file to its end, so that nothing is written to a volume from a broken one.
 *
 * @param onBytes called with the number of bytes read from the file, and its size.
 * @throws VolumeFileError; FileProblemError; file system errors; the signal's reason.
 */
export async function readVolumeFile(
  path: string,
  signal?: AbortSignal,
  onBytes?: (bytes: number, total: number) => void,
): Promise<VolumeFile> {
  const upload = await archiveUpload(path, '', onBytes);
  const summary = new TarSummary();
  try {
    for await (const _ of summarized(await unpacked(path, upload.open()), summary, NOWHERE))
      signal?.throwIfAborted();
  } catch (error) {
    if (error instanceof EngineError || isBadGzip(error))
      throw new VolumeFileError(undefined, error);
    throw error;
  }
  if (summary.unsafe !== undefined) throw new VolumeFileError(summary.unsafe);
  return { path, summary };
}

/**
 * Writes the files of an archive to a volume. Files written before a failure stay.
 *
 * @param file read by {@link readVolumeFile}.
 * @throws EngineError; UploadError if the file cannot be read; the signal's reason.
 */
export async function importVolume(
  connection: Connection,
  volume: string,
  {
    containers,
    file,
    onBytes,
  }: {
    readonly containers: VolumeContainers;
    readonly file: VolumeFile;
    /** Called with the number of bytes read from the file, and its size. */
    readonly onBytes?: (bytes: number, total: number) => void;
  },
  signal?: AbortSignal,
): Promise<VolumeCopy> {
  const { path, summary } = file;
  const upload = await archiveUpload(path, '', onBytes);
  const packed = await isPacked(path);
  const tar = () => (packed ? through(upload.open(), createGunzip()) : upload.open());
  const target = { containers, tar, summary: () => summary };
  const lost = await writeVolumeFiles(connection, volume, target, signal);
  return { entries: summary.entries, bytes: summary.bytes, lost };
}

const NOWHERE = { endpoint: '', operation: '' };

async function unpacked(
  path: string,
  source: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  return (await isPacked(path)) ? through(source, createGunzip()) : source;
}

/** Whether the file is in the gzip format. */
async function isPacked(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.readUInt16BE() === GZIP;
  } finally {
    await file.close();
  }
}

/** The first two bytes of a file in the gzip format. */
const GZIP = 0x1f8b;

function isBadGzip(error: unknown): boolean {
  const { code = '' } = error as { readonly code?: string };
  return /^(?:Z_|ERR_BUFFER|ERR_PADDING)/.test(code);
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
