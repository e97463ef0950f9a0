import { StringDecoder } from 'node:string_decoder';
import type { BuildStepOutput } from '../engine/builds/model.ts';
import { withoutControls, withoutTrailing } from '../plainText.ts';

/** In UTF-16 code units. More than ten thousand lines of usual length. */
const LIMIT = 4 * 1024 * 1024;

/** The newest output of a step, bounded. */
export class StepOutput {
  readonly #decoders = new Map<string, StringDecoder>();
  readonly #pieces: StepPiece[] = [];
  #length = 0;
  #isCut = false;

  /** Adds a piece, which may end within a character. */
  add({ stream, time, data }: BuildStepOutput): void {
    const decoder = this.#decoders.get(stream) ?? new StringDecoder();
    this.#decoders.set(stream, decoder);
    const text = decoder.write(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    this.#pieces.push({ stream, time, text });
    this.#length += text.length;
    while (this.#length > LIMIT && this.#pieces.length > 1) this.drop();
  }

  /** Number of kept code units. */
  get length(): number {
    return this.#length;
  }

  /** Removes the oldest piece. */
  drop(): void {
    this.#length -= this.#pieces.shift()?.text.length ?? 0;
    this.#isCut = true;
  }

  /** The kept pieces, oldest first, beginning with a whole line. */
  get pieces(): readonly StepPiece[] {
    if (!this.#isCut) return this.#pieces;
    const first = this.#pieces.findIndex(({ text }) => text.includes('\n'));
    const cut = this.#pieces[first];
    if (!cut) return [];
    const text = cut.text.slice(cut.text.indexOf('\n') + 1);
    return [{ ...cut, text }, ...this.#pieces.slice(first + 1)];
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

/** Returns a line as a terminal leaves it: without what a carriage return overwrites, and without controls. */
export function printedLine(line: string): string {
  const whole = withoutTrailing(line, '\r');
  return withoutControls(whole.slice(whole.lastIndexOf('\r') + 1));
}
