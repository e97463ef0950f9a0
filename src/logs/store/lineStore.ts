import type { LogLine } from '../../engine/model.ts';
import { Emitter, type Disposable } from '../../base/lifetime.ts';
import { Block, blockIndexOf } from './block.ts';
import { firstIndex } from '../../base/firstIndex.ts';
import {
  isGantryLine,
  originKind,
  originMember,
  lineOrigin,
  type NewLine,
  type StoredLine,
} from './storedLine.ts';
import { LineWriter, type PageSource, type StampedText } from './lineWriter.ts';
import { Page } from './page.ts';
import { PageMemory } from './pageMemory.ts';
import type { SpillLocation, StoreSnapshot } from './storeSnapshot.ts';
import { roomOf, SpillFile } from './spillFile.ts';
import { StampPacker } from './stampPacker.ts';
import { detectLevel } from '../text/detectLevel.ts';

const GIB = 1024 ** 3;
/** The bytes of a packed line besides its text. */
const RECORD_BYTES = 17;
// Limits of one read: lines, and characters after the first line.
const MOST_LINES = 10_000;
const MOST_CHARACTERS = 16 * 1024 * 1024;

/**
 * The lines of a log in packed form. Above a budget the oldest are moved to a file, above another they are dropped. The
 * ID of a line is an integer that never changes: appended lines get greater IDs, prepended lines smaller ones.
 */
export class LineStore implements Disposable {
  readonly #options: Required<LineStoreOptions>;
  readonly #file: SpillFile;
  readonly #memory: PageMemory;
  readonly #stamps = new StampPacker();
  readonly #writer = new LineWriter(this.#stamps);
  readonly #changed = new Emitter<undefined>();
  /** The oldest first. */
  #blocks: Block[] = [];
  #fileView: { readonly block: Block; readonly page: Page } | undefined;
  #nextSerial = 1;
  #generation = 0;
  #firstId = 0;
  #endId = 0;
  #droppedCount = 0;
  #willFire = false;
  #isDisposed = false;

  /** Fires when lines were added, dropped, cleared or moved to the file. Many changes are one event. */
  readonly onDidChange = this.#changed.event;

  constructor(options: LineStoreOptions) {
    this.#options = { maxSpillBytes: GIB, ...options };
    this.#memory = new PageMemory(options.budgetBytes);
    this.#file = new SpillFile(options.spillFolder);
  }

  /** The ID of the oldest line. */
  get firstId(): number {
    return this.#firstId;
  }

  /** The ID of the next appended line. */
  get endId(): number {
    return this.#endId;
  }

  /** The number of lines dropped since the last {@link clear}. */
  get droppedCount(): number {
    return this.#droppedCount;
  }

  /** The memory in use, in bytes. */
  get bytes(): number {
    return this.#memory.bytes;
  }

  /** The size of the spill file in use, in bytes. */
  get spilledBytes(): number {
    return this.#file.bytes;
  }

  /** Number of times that the store was cleared. */
  get generation(): number {
    return this.#generation;
  }

  /** Appends lines. */
  append(lines: readonly NewLine[]): void {
    this.#append(lines, originOfNew);
  }

  /** Appends lines of one container as read from the engine. Faster than {@link append}. */
  appendLines(member: number, lines: readonly LogLine[]): void {
    const out = lineOrigin(member, 'stdout');
    const error = lineOrigin(member, 'stderr');
    this.#append(lines, ({ source }) => (source === 'stderr' ? error : out));
  }

  /**
   * Prepends lines, given oldest first. If lines were already dropped, there would be a gap after the
   * prepended ones, so they are only counted.
   */
  prepend(lines: readonly NewLine[]): void {
    if (this.#isDisposed || lines.length === 0) return;
    if (this.#droppedCount > 0) this.#droppedCount += lines.length;
    else this.#prepend(lines);
    this.#fireSoon();
  }

  /**
   * Returns the lines in a half-open range of IDs, as far as they exist. Returns at most 10,000 lines, fewer
   * if they are very long, but at least one: continue after the last.
   *
   * @throws the error of the file system if lines in the file cannot be read.
   */
  read(from: number, to: number): readonly StoredLine[] {
    const lines: StoredLine[] = [];
    const start = Math.max(from, this.#firstId);
    const end = Math.min(to, this.#endId, start + MOST_LINES);
    let characters = 0;
    for (let at = blockIndexOf(this.#blocks, start); lines.length < end - start; at++) {
      const block = this.#blocks[at];
      if (!block) break;
      const page = this.#pageOf(block);
      for (let id = start + lines.length; id < Math.min(end, block.endId); id++) {
        if (characters > MOST_CHARACTERS) return lines;
        const line = this.#line(page, id - block.firstId, id);
        characters += line.text.length;
        lines.push(line);
      }
    }
    return lines;
  }

  /**
   * Returns the ID of the first line at or after a time, provided that the timestamps ascend; `endId` if all
   * lines are older.
   *
   * @param milliseconds since 1970.
   */
  idAt(milliseconds: number): number {
    return firstIndex(this.#firstId, this.#endId, (id) => !(this.#timeOf(id) < milliseconds));
  }

  /** Drops all lines. IDs continue. */
  clear(): void {
    this.#blocks = [];
    this.#fileView = undefined;
    this.#memory.clear();
    this.#file.dispose();
    this.#firstId = this.#endId;
    this.#droppedCount = 0;
    this.#generation += 1;
    this.#fireSoon();
  }

  /** Returns the locations of all lines, for another thread. */
  snapshot(): StoreSnapshot {
    return {
      generation: this.#generation,
      firstId: this.#firstId,
      endId: this.#endId,
      blocks: this.#blocks.map(({ location }) => location),
      file: this.#file.path,
    };
  }

  /** Drops all lines and deletes the file. */
  dispose(): void {
    this.clear();
    this.#isDisposed = true;
    this.#changed.dispose();
  }

  #append<Line extends StampedText>(
    lines: readonly Line[],
    originOf: (line: Line) => number,
  ): void {
    if (this.#isDisposed || lines.length === 0) return;
    const pages = this.#pages(this.#blocks, this.#endId, (textBytes) => {
      const size = this.#memory.sizeFor(textBytes);
      this.#makeRoom(size);
      return size;
    });
    this.#writer.write(lines, { ...pages, originOf });
    this.#endId += lines.length;
    this.#fireSoon();
  }

  #prepend(lines: readonly NewLine[]): void {
    const characters = lines.reduce((sum, { text }) => sum + text.length + RECORD_BYTES, 0);
    const blocks: Block[] = [];
    const pages = this.#pages(blocks, this.#firstId - lines.length, (textBytes) =>
      this.#memory.sizeForGroup(characters, textBytes),
    );
    this.#writer.write(lines, { ...pages, originOf: originOfNew });
    this.#blocks.unshift(...blocks);
    this.#firstId -= lines.length;
    this.#makeRoom(0);
  }

  /**
   * Returns a page source that continues the given blocks and appends new ones.
   *
   * @param firstId the ID of the first line, if there is no block yet.
   * @param sizeFor returns the size of a page that fits a line of so many bytes, after making room for it.
   */
  #pages(blocks: Block[], firstId: number, sizeFor: (textBytes: number) => number): PageSource {
    return {
      current: () => blocks.at(-1)?.page,
      open: (textBytes) => {
        // Making room may even spill the last block, so its end is read first.
        const blockId = blocks.at(-1)?.endId ?? firstId;
        const serial = this.#nextSerial++;
        const page = this.#memory.allocate(sizeFor(textBytes), serial);
        blocks.push(new Block(serial, blockId, page));
        return page;
      },
    };
  }

  /** Moves the oldest blocks to the file until this many more bytes fit the budget. */
  #makeRoom(bytes: number): void {
    while (this.#memory.used + bytes > this.#options.budgetBytes) {
      const oldest = this.#blocks.find(({ page }) => page);
      if (!oldest?.page || (bytes === 0 && oldest === this.#blocks.at(-1))) return;
      this.#spill(oldest, oldest.page);
    }
  }

  #spill(block: Block, page: Page): void {
    const image = page.image();
    const room = roomOf(image[0].length + image[1].length);
    const isFull = (): boolean => this.#file.bytes + room > this.#options.maxSpillBytes;
    while (isFull() && this.#blocks[0] !== block) this.#dropOldest();
    const location = isFull() ? undefined : this.#write(image);
    if (location) {
      block.moveTo(location);
      this.#memory.release(page);
    } else while (this.#blocks.includes(block)) this.#dropOldest();
  }

  #write(image: readonly Buffer[]): SpillLocation | undefined {
    try {
      return this.#file.write(image);
    } catch {
      // A full disk counts as another limit.
      return undefined;
    }
  }

  #dropOldest(): void {
    const block = this.#blocks.shift();
    if (!block) return;
    if (block.image) this.#file.free(block.image);
    if (block.page) this.#memory.release(block.page);
    this.#droppedCount += block.endId - block.firstId;
    this.#firstId = block.endId;
  }

  #line(page: Page, index: number, id: number): StoredLine {
    const text = page.text(index);
    const origin = page.origin(index);
    const timestamp = this.#stamps.unpack(page.stamp(index));
    const member = originMember(origin);
    const kind = originKind(origin);
    return {
      id,
      member,
      kind,
      level: isGantryLine(kind) ? 'none' : detectLevel(text),
      timestamp,
      text,
    };
  }

  #timeOf(id: number): number {
    const block = this.#blocks[blockIndexOf(this.#blocks, id)];
    if (!block) return NaN;
    return this.#stamps.milliseconds(this.#pageOf(block).stamp(id - block.firstId));
  }

  /** Returns the page of a block. Reads it from the file if necessary, and caches the last one read. */
  #pageOf(block: Block): Page {
    if (block.page) return block.page;
    if (this.#fileView?.block === block) return this.#fileView.page;
    const image = block.image ?? { position: 0, size: 0 };
    const memory = new ArrayBuffer(image.size);
    this.#file.read(image, new Uint8Array(memory));
    this.#fileView = { block, page: new Page(memory, block.used) };
    return this.#fileView.page;
  }

  #fireSoon(): void {
    if (this.#willFire || this.#isDisposed) return;
    this.#willFire = true;
    setImmediate(() => {
      this.#willFire = false;
      this.#changed.fire(undefined);
    });
  }
}

/** The limits of a store. */
interface LineStoreOptions {
  /** Limit in memory, in bytes. The block being written always stays in memory. */
  readonly budgetBytes: number;
  /** A private folder for the spill file, which is created on demand. */
  readonly spillFolder: string;
  /** Limit of the spill file's used bytes; the file may be slightly larger. Default: 1 GiB. */
  readonly maxSpillBytes?: number;
}

function originOfNew({ member, kind }: NewLine): number {
  return lineOrigin(member, kind);
}
