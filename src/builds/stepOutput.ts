import { StringDecoder } from 'node:string_decoder';
import type { BuildStepOutput } from '../engine/builds/model.ts';
import { Fifo } from '../base/fifo.ts';
import { withoutControls, withoutTrailing } from '../base/plainText.ts';

/** In UTF-16 code units. More than ten thousand lines of usual length. */
const LIMIT = 4 * 1024 * 1024;
/** Minimum count of a piece, because it takes memory besides its text. */
const LEAST = 64;
/** Pieces of the same moment are joined up to this length, in code units. */
const JOINED = 16 * 1024;
/** Maximum number of texts that wait to be joined. */
const MOST_PARTS = 256;

/** The newest output of a step, bounded. */
export class StepOutput {
  readonly #decoders = new Map<string, StringDecoder>();
  readonly #pieces = new Fifo<StepPiece>();
  /** The newest piece, as long as others may be joined with it. */
  #open: OpenPiece | undefined;
  #length = 0;
  #isCut = false;

  /** Adds a piece, which may end within a character. */
  add({ stream, time, data }: BuildStepOutput): void {
    const decoder = this.#decoders.get(stream) ?? new StringDecoder();
    this.#decoders.set(stream, decoder);
    const text = decoder.write(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    if (text === '') return;
    this.#append(stream, time, text);
    while (this.#length > LIMIT && this.#count > 1) this.drop();
  }

  /** Length of what is kept, in code units. A short piece counts more than it has. */
  get length(): number {
    return this.#length;
  }

  /** Removes the oldest piece. */
  drop(): void {
    if (this.#pieces.length === 0) this.#close();
    const oldest = this.#pieces.shift();
    if (!oldest) return;
    this.#length -= costOf(oldest.text.length);
    this.#isCut = true;
  }

  get #count(): number {
    return this.#pieces.length + (this.#open ? 1 : 0);
  }

  #append(stream: StepPiece['stream'], time: number, text: string): void {
    const open = this.#open;
    if (open?.stream === stream && open.time === time && open.length < JOINED) {
      this.#length += costOf(open.length + text.length) - costOf(open.length);
      open.length += text.length;
      open.parts.push(text);
      // A text that is made of very many others would take more memory than its characters.
      if (open.parts.length > MOST_PARTS) open.parts = [open.parts.join('')];
      return;
    }
    this.#close();
    this.#open = { stream, time, parts: [text], length: text.length };
    this.#length += costOf(text.length);
  }

  #close(): void {
    if (!this.#open) return;
    const { stream, time, parts } = this.#open;
    this.#open = undefined;
    this.#pieces.push({ stream, time, text: parts.join('') });
  }

  /** The kept pieces, oldest first, beginning with a whole line. */
  get pieces(): readonly StepPiece[] {
    this.#close();
    const all = this.#pieces.items;
    if (!this.#isCut) return all;
    const first = all.findIndex(({ text }) => text.includes('\n'));
    const cut = all[first];
    if (!cut) return [];
    const text = cut.text.slice(cut.text.indexOf('\n') + 1);
    return [{ ...cut, text }, ...all.slice(first + 1)];
  }

  /** The kept lines, oldest first, without the escape sequences of terminals. */
  get lines(): readonly string[] {
    const lines = this.pieces
      .map(({ text }) => text)
      .join('')
      .split('\n');
    if (lines.at(-1) === '') lines.pop();
    return lines.map(printedLine);
  }
}

/** A piece of the output of a step. */
export interface StepPiece extends Pick<BuildStepOutput, 'stream' | 'time'> {
  readonly text: string;
}

function costOf(length: number): number {
  return Math.max(LEAST, length);
}

/** A piece to which others may be added. */
interface OpenPiece extends Pick<StepPiece, 'stream' | 'time'> {
  parts: string[];
  length: number;
}

/** Returns a line as a terminal leaves it: without what a carriage return overwrites, and without controls. */
export function printedLine(line: string): string {
  const whole = withoutTrailing(line, '\r');
  return withoutControls(whole.slice(whole.lastIndexOf('\r') + 1));
}
