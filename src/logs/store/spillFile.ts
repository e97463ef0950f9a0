import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isProcessAlive } from '../../base/program.ts';
import type { Disposable } from '../../base/lifetime.ts';
import type { SpillLocation } from './storeSnapshot.ts';

/** Space is allocated in pieces of this size, so that freed space fits new images. */
const PIECE = 64 * 1024;
const NAME = /^log-lines-(\d+)-[0-9a-f-]+$/;

/** A file of this process for page images. Freed space is reused. Created with the first image. */
export class SpillFile implements Disposable {
  readonly #folder: string;
  /** The allocated pieces, in the order of their positions. */
  readonly #used: SpillLocation[] = [];
  #open: { readonly path: string; readonly descriptor: number } | undefined;
  #bytes = 0;

  /** @param folder created if missing. Only the user can read the folder and the file. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get path(): string | undefined {
    return this.#open?.path;
  }

  /** The bytes in use. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Writes an image to the first free space that fits.
   *
   * @throws the error of the file system.
   */
  write(pieces: readonly Buffer[]): SpillLocation {
    const { descriptor } = (this.#open ??= this.#create());
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const { index, position } = this.#roomFor(size);
    let at = position;
    for (const piece of pieces) at += writeWhole(descriptor, piece, at);
    const location = { position, size };
    this.#used.splice(index, 0, location);
    this.#bytes += roomOf(size);
    return location;
  }

  /** @throws the error of the file system, or an Error if the file was truncated. */
  read({ position, size }: SpillLocation, into: Uint8Array): void {
    if (!this.#open) throw new Error('Nothing has been written yet');
    readWhole(this.#open.descriptor, into.subarray(0, size), position);
  }

  /** Frees the space of an image. */
  free(location: SpillLocation): void {
    const index = this.#used.indexOf(location);
    if (index < 0) return;
    this.#used.splice(index, 1);
    this.#bytes -= roomOf(location.size);
  }

  /** Deletes the file. The next image creates a new one. */
  dispose(): void {
    const open = this.#open;
    this.#open = undefined;
    this.#used.length = 0;
    this.#bytes = 0;
    if (!open) return;
    closeSync(open.descriptor);
    rmSync(open.path, { force: true });
  }

  #create(): { readonly path: string; readonly descriptor: number } {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, `log-lines-${process.pid}-${randomUUID()}`);
    return { path, descriptor: openSync(path, 'wx+', 0o600) };
  }

  #roomFor(size: number): { readonly index: number; readonly position: number } {
    let position = 0;
    for (const [index, location] of this.#used.entries()) {
      if (location.position - position >= roomOf(size)) return { index, position };
      position = location.position + roomOf(location.size);
    }
    return { index: this.#used.length, position };
  }
}

/** Returns how many bytes of the file an image takes. */
export function roomOf(size: number): number {
  return Math.ceil(size / PIECE) * PIECE;
}

/**
 * Reads exactly as many bytes as `into` holds.
 *
 * @throws the error of the file system, or an Error at the end of the file.
 */
export function readWhole(descriptor: number, into: Uint8Array, position: number): void {
  let done = 0;
  while (done < into.length) {
    const count = readSync(descriptor, into, done, into.length - done, position + done);
    if (count === 0) throw new Error('The file ends before its time');
    done += count;
  }
}

function writeWhole(descriptor: number, piece: Buffer, position: number): number {
  let done = 0;
  while (done < piece.length)
    done += writeSync(descriptor, piece, done, piece.length - done, position + done);
  return piece.length;
}

/** Deletes the files of processes that were killed. Keeps those of running processes, and all other files. */
export function removeLeftSpillFiles(folder: string): void {
  for (const name of namesIn(folder)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid === undefined || isProcessAlive(Number(pid))) continue;
    try {
      unlinkSync(join(folder, name));
    } catch {
      // Another process deletes it too, or the user may not delete it. The next start retries.
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
