import { closeSync, openSync } from 'node:fs';
import type { Disposable } from '../../base/lifetime.ts';
import { blockIndexOf } from '../store/block.ts';
import { Page } from '../store/page.ts';
import type { BlockLocation, StoreSnapshot } from '../store/storeSnapshot.ts';
import { readWhole } from '../store/spillFile.ts';
import type { FindReport, LineFilter, LineQuery, MarkReport } from './lineQuery.ts';

/** The worker thread's view of the store. */
export class StoreMirror implements Disposable {
  readonly #locations = new Map<number, BlockLocation>();
  #blocks: readonly BlockLocation[] = [];
  #file: { readonly path: string; readonly descriptor: number } | undefined;
  #path: string | undefined;
  /** The last two pages, because a trace may begin in the page before. */
  #lastRead: readonly { readonly location: BlockLocation; readonly page: Page }[] = [];
  generation = 0;
  firstId = 0;
  endId = 0;

  apply(change: StoreChange): void {
    for (const serial of change.gone) this.#locations.delete(serial);
    for (const location of change.changed) this.#locations.set(location.serial, location);
    this.#blocks = [...this.#locations.values()].sort((a, b) => a.firstId - b.firstId);
    this.generation = change.generation;
    this.firstId = change.firstId;
    this.endId = change.endId;
    this.#path = change.file;
    if (this.#file?.path !== change.file) this.#openFile();
  }

  /** Returns the block that contains this line ID. */
  blockOf(id: number): BlockLocation | undefined {
    const location = this.#blocks[blockIndexOf(this.#blocks, id)];
    return location && id >= location.firstId && id < location.firstId + location.count
      ? location
      : undefined;
  }

  /**
   * Returns the page of a block. The store may reuse the memory for another block at any time: check {@link
   * isValid} after reading.
   *
   * @returns undefined if the block is no longer at this location. An update from the store will follow.
   * @throws the error of the file system.
   */
  open(location: BlockLocation): Page | undefined {
    const known = this.#lastRead.find((open) => open.location === location);
    if (known) return known.page;
    const page = location.memory ? new Page(location.memory, location) : this.#read(location);
    if (page.serial !== location.serial) return undefined;
    this.#lastRead = [{ location, page }, ...this.#lastRead.slice(0, 1)];
    return page;
  }

  /** Whether a page that was read still contained the line with this ID. */
  isValid(id: number, page: Page): boolean {
    return page.serial === this.blockOf(id)?.serial;
  }

  dispose(): void {
    this.#lastRead = [];
    if (this.#file) closeSync(this.#file.descriptor);
    this.#file = undefined;
  }

  #read(location: BlockLocation): Page {
    const { position, size } = location.image ?? { position: 0, size: 0 };
    const memory = new ArrayBuffer(size);
    // An incomplete read leaves zeros, which make the page invalid.
    if (this.#file) readWhole(this.#file.descriptor, new Uint8Array(memory), position);
    return new Page(memory, location);
  }

  #openFile(): void {
    this.dispose();
    if (this.#path === undefined) return;
    try {
      this.#file = { path: this.#path, descriptor: openSync(this.#path, 'r') };
    } catch {
      // The store has switched to another file, and an update will follow.
    }
  }
}

export type SearchTask =
  | { readonly kind: 'find'; readonly query: LineQuery; readonly filter?: LineFilter }
  /** `folds`: whether continuation lines are marked. */
  | { readonly kind: 'mark'; readonly filter?: LineFilter; readonly folds: boolean };

/** The changes of the store since the last update. */
export interface StoreChange extends Omit<StoreSnapshot, 'blocks'> {
  /** Blocks that are new, moved or have more lines. */
  readonly changed: readonly BlockLocation[];
  /** The serial numbers of dropped blocks. */
  readonly gone: readonly number[];
}

export type WorkerRequest =
  | ({ readonly kind: 'sync' } & StoreChange)
  | { readonly kind: 'start'; readonly job: number; readonly work: SearchTask }
  | { readonly kind: 'stop'; readonly job: number };

export type WorkerReport =
  | ({ readonly kind: 'found'; readonly job: number } & FindReport)
  | ({ readonly kind: 'marked'; readonly job: number } & MarkReport)
  | { readonly kind: 'failed'; readonly job: number; readonly reason: string };

/**
 * The indices of the shared memory (`workerData`) in which the worker reports that it is alive: a counter
 * that changes with progress, and the running job, or 0.
 */
export const HEARTBEAT = { progress: 0, job: 1 } as const;
