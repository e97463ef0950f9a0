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
import type { Disposable } from '../../lifetime.ts';
import type { SpillLocation } from './storeSnapshot.ts';

/** Room is given out in pieces of this size, so that what is free fits what comes. */
const PIECE = 64 * 1024;
const NAME = /^log-lines-(\d+)-[0-9a-f-]+$/;

/** One file of this process for page images; room that is given back is used again. Made at the first image. */
export class SpillFile implements Disposable {
  readonly #folder: string;
  /** What is in use, in the order of the positions. */
  readonly #used: SpillLocation[] = [];
  #open: { readonly path: string; readonly descriptor: number } | undefined;
  #bytes = 0;

  /** @param folder is made when it is missing; nobody else can read it or the file. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get path(): string | undefined {
    return this.#open?.path;
  }

  /** In use. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Writes an image into the first room that is large enough. @throws the file system's error. */
  write(pieces: readonly Buffer[]): SpillLocation {
    const { descriptor } = (this.#open ??= this.#create());
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const { index, position } = this.#roomFor(size);
    let at = position;
    for (const piece of pieces) at += writeWhole(descriptor, piece, at);
    const place = { position, size };
    this.#used.splice(index, 0, place);
    this.#bytes += roomOf(size);
    return place;
  }

  /** @throws the file system's error, or an Error where the file has been cut. */
  read({ position, size }: SpillLocation, into: Uint8Array): void {
    if (!this.#open) throw new Error('Nothing has been written yet');
    readWhole(this.#open.descriptor, into.subarray(0, size), position);
  }

  /** Gives room back. */
  free(place: SpillLocation): void {
    const index = this.#used.indexOf(place);
    if (index < 0) return;
    this.#used.splice(index, 1);
    this.#bytes -= roomOf(place.size);
  }

  /** Removes the file; the next image makes a new one. */
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
    for (const [index, place] of this.#used.entries()) {
      if (place.position - position >= roomOf(size)) return { index, position };
      position = place.position + roomOf(place.size);
    }
    return { index: this.#used.length, position };
  }
}

/** Bytes of the file that an image takes. */
export function roomOf(size: number): number {
  return Math.ceil(size / PIECE) * PIECE;
}

/** Reads exactly as much as `into` holds. @throws the file system's error, or an Error at the file's end. */
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

/** Removes the files of processes that were killed. Those of living ones, and all else, stay. */
export function removeLeftSpillFiles(folder: string): void {
  for (const name of namesIn(folder)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      unlinkSync(join(folder, name));
    } catch {
      // Somebody else removes it, too, or may not; then the next start tries again.
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Alive, but another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
