import { closeSync, openSync } from 'node:fs';
import type { Disposable } from '../../lifetime.ts';
import { blockIndexOf } from '../store/block.ts';
import { Page } from '../store/page.ts';
import type { BlockLocation } from '../store/storeSnapshot.ts';
import { readWhole } from '../store/spillFile.ts';
import type { StoreChange } from './workerMessages.ts';

/** A page that is open for reading, and whose it is. */
interface OpenPage {
  readonly location: BlockLocation;
  readonly page: Page;
}

/** The store as another thread sees it. */
export class StoreMirror implements Disposable {
  readonly #locations = new Map<number, BlockLocation>();
  #blocks: readonly BlockLocation[] = [];
  #file: { readonly path: string; readonly descriptor: number } | undefined;
  #path: string | undefined;
  /** The last two, for a trace may begin in the page before. */
  #lastRead: readonly OpenPage[] = [];
  generation = 0;
  firstId = 0;
  endId = 0;

  apply(change: StoreChange): void {
    for (const serial of change.gone) this.#locations.delete(serial);
    for (const place of change.changed) this.#locations.set(place.serial, place);
    this.#blocks = [...this.#locations.values()].sort((a, b) => a.firstId - b.firstId);
    this.generation = change.generation;
    this.firstId = change.firstId;
    this.endId = change.endId;
    this.#path = change.file;
    if (this.#file?.path !== change.file) this.#openFile();
  }

  /** The block with this id. */
  blockOf(id: number): BlockLocation | undefined {
    const place = this.#blocks[blockIndexOf(this.#blocks, id)];
    return place && id >= place.firstId && id < place.firstId + place.count ? place : undefined;
  }

  /**
   * A block's page. The store may use the memory for another block at any time: {@link isValid} tells, after the
   * reading.
   *
   * @returns undefined where it is no longer where it was said to be; then the store is about to say more.
   * @throws the file system's error.
   */
  open(place: BlockLocation): Page | undefined {
    const known = this.#lastRead.find((open) => open.location === place);
    if (known) return known.page;
    const page = place.memory ? new Page(place.memory, place) : this.#read(place);
    if (page.serial !== place.serial) return undefined;
    this.#lastRead = [{ location: place, page }, ...this.#lastRead.slice(0, 1)];
    return page;
  }

  isValid(place: BlockLocation, page: Page): boolean {
    return page.serial === place.serial;
  }

  dispose(): void {
    this.#lastRead = [];
    if (this.#file) closeSync(this.#file.descriptor);
    this.#file = undefined;
  }

  #read(place: BlockLocation): Page {
    const { position, size } = place.image ?? { position: 0, size: 0 };
    const memory = new ArrayBuffer(size);
    // What is left empty is not valid.
    if (this.#file) readWhole(this.#file.descriptor, new Uint8Array(memory), position);
    return new Page(memory, place);
  }

  #openFile(): void {
    this.dispose();
    if (this.#path === undefined) return;
    try {
      this.#file = { path: this.#path, descriptor: openSync(this.#path, 'r') };
    } catch {
      // The store has another one by now, and is about to say so.
    }
  }
}
