import type { LogLine } from '../../engine/model.ts';
import { Emitter, type Disposable } from '../../lifetime.ts';
import { Block, blockIndexOf } from './block.ts';
import {
  isGantryLine,
  originKind,
  originMember,
  lineOrigin,
  type NewLine,
  type StoredLine,
} from './storedLine.ts';
import { LineWriter, type StampedText } from './lineWriter.ts';
import { Page } from './page.ts';
import { PageMemory } from './pageMemory.ts';
import type { SpillLocation, StoreSnapshot } from './storeSnapshot.ts';
import { roomOf, SpillFile } from './spillFile.ts';
import { StampPacker } from './stampPacker.ts';
import { detectLevel } from '../text/detectLevel.ts';

const GIB = 1024 ** 3;
/** What a packed line takes besides its text. */
const RECORD_BYTES = 17;
/** So many lines, and so many characters past the first line, are read at once. */
const [MOST_LINES, MOST_CHARACTERS] = [10_000, 16 * 1024 * 1024];

/**
 * The lines of a log, packed. Past a budget the oldest lie in a file, past another they are dropped. A line's id
 * is a whole number that never changes: lines that come later have greater ones, lines put in front smaller ones.
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

  /** Something was added, dropped, cleared or moved to the file. Many changes are one event. */
  readonly onDidChange = this.#changed.event;

  constructor(options: LineStoreOptions) {
    this.#options = { maxSpillBytes: GIB, ...options };
    this.#memory = new PageMemory(options.budgetBytes);
    this.#file = new SpillFile(options.spillFolder);
  }

  /** Id of the oldest line. */
  get firstId(): number {
    return this.#firstId;
  }

  /** Id the next line gets. */
  get endId(): number {
    return this.#endId;
  }

  /** Lines that were not kept, since the last {@link clear}. */
  get droppedCount(): number {
    return this.#droppedCount;
  }

  /** Memory in use, in bytes. */
  get bytes(): number {
    return this.#memory.bytes;
  }

  /** Bytes of the spill file in use. */
  get spilledBytes(): number {
    return this.#file.bytes;
  }

  /** How often the store was cleared. */
  get generation(): number {
    return this.#generation;
  }

  /** Adds lines behind the last. */
  append(lines: readonly NewLine[]): void {
    this.#append(lines, originOfNew);
  }

  /** Adds lines of one container as they were read from the engine: the quick way. */
  appendLines(member: number, lines: readonly LogLine[]): void {
    const [out, error] = [lineOrigin(member, 'stdout'), lineOrigin(member, 'stderr')];
    this.#append(lines, ({ source }) => (source === 'stderr' ? error : out));
  }

  /**
   * Puts lines before the first, the oldest of them first. Where lines were dropped already these would leave a
   * gap behind them, so they are only counted.
   */
  prepend(lines: readonly NewLine[]): void {
    if (this.#isDisposed || lines.length === 0) return;
    if (this.#droppedCount > 0) this.#droppedCount += lines.length;
    else this.#prepend(lines);
    this.#fireSoon();
  }

  /**
   * Lines from id `from` to, not including, `to`, as far as there are such. At most 10,000, fewer where they are
   * very long, but one at least: go on behind the last.
   *
   * @throws the file system's error where lines in the file cannot be read.
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
   * Id of the first line that is not older than a moment, as far as the stamps rise; `endId` where all are older.
   *
   * @param milliseconds since 1970.
   */
  idAt(milliseconds: number): number {
    let [low, high] = [this.#firstId, this.#endId];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#timeOf(middle) < milliseconds) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Forgets all lines. The next one gets the id it would have had. */
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

  /** Where all lines lie, for another thread. */
  snapshot(): StoreSnapshot {
    return {
      generation: this.#generation,
      firstId: this.#firstId,
      endId: this.#endId,
      blocks: this.#blocks.map(({ location }) => location),
      file: this.#file.path,
    };
  }

  /** Forgets all lines and removes the file. */
  dispose(): void {
    this.clear();
    this.#isDisposed = true;
    this.#changed.dispose();
  }

  #append<Line extends StampedText>(
    lines: readonly Line[],
    originOfLine: (line: Line) => number,
  ): void {
    if (this.#isDisposed || lines.length === 0) return;
    const current = (): Page | undefined => this.#blocks.at(-1)?.page;
    const open = (textBytes: number): Page => {
      const firstId = this.#blocks.at(-1)?.endId ?? this.#endId;
      const size = this.#memory.sizeFor(textBytes);
      this.#makeRoom(size);
      const serial = this.#nextSerial++;
      const page = this.#memory.take(size, serial);
      this.#blocks.push(new Block(serial, firstId, page));
      return page;
    };
    this.#writer.write(lines, originOfLine, { current, open });
    this.#endId += lines.length;
    this.#fireSoon();
  }

  #prepend(lines: readonly NewLine[]): void {
    const characters = lines.reduce((sum, { text }) => sum + text.length + RECORD_BYTES, 0);
    const blocks: Block[] = [];
    const current = (): Page | undefined => blocks.at(-1)?.page;
    const open = (textBytes: number): Page => {
      const firstId = blocks.at(-1)?.endId ?? this.#firstId - lines.length;
      const serial = this.#nextSerial++;
      const size = this.#memory.sizeForGroup(characters, textBytes);
      const page = this.#memory.take(size, serial);
      blocks.push(new Block(serial, firstId, page));
      return page;
    };
    this.#writer.write(lines, originOfNew, { current, open });
    this.#blocks.unshift(...blocks);
    this.#firstId -= lines.length;
    this.#makeRoom(0);
  }

  /** Moves the oldest blocks to the file until so many bytes more are within the budget. */
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
    const place = isFull() ? undefined : this.#write(image);
    if (place) {
      block.moveTo(place);
      this.#memory.give(page);
    } else while (this.#blocks.includes(block)) this.#dropOldest();
  }

  #write(image: readonly Buffer[]): SpillLocation | undefined {
    try {
      return this.#file.write(image);
    } catch {
      // A full disk is one more limit.
      return undefined;
    }
  }

  #dropOldest(): void {
    const block = this.#blocks.shift();
    if (!block) return;
    if (block.image) this.#file.free(block.image);
    if (block.page) this.#memory.give(block.page);
    this.#droppedCount += block.endId - block.firstId;
    this.#firstId = block.endId;
  }

  #line(page: Page, index: number, id: number): StoredLine {
    const text = page.text(index);
    const origin = page.origin(index);
    const timestamp = this.#stamps.unpack(page.stamp(index));
    const [member, kind] = [originMember(origin), originKind(origin)];
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

  /** The page, read from the file where it lies there; the last that was read is kept. */
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

/** How much a store may take. */
export interface LineStoreOptions {
  /** Of memory. The block that is being written stays there in any case. */
  readonly budgetBytes: number;
  /** A folder of one's own, where the spill file is made when it is needed. */
  readonly spillFolder: string;
  /** In use of the spill file, which may be a little larger; default 1 GiB. */
  readonly maxSpillBytes?: number;
}

function originOfNew({ member, kind }: NewLine): number {
  return lineOrigin(member, kind);
}
