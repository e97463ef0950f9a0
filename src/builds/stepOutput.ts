import { StringDecoder } from 'node:string_decoder';
import { withoutControls, withoutTrailing } from '../plainText.ts';

/** In UTF-16 code units. More than ten thousand lines of usual length. */
const LIMIT = 4 * 1024 * 1024;

/** The newest output of a step, bounded. */
export class StepOutput {
  readonly #decoders = new Map<string, StringDecoder>();
  readonly #pieces: string[] = [];
  #length = 0;
  #isCut = false;

  /** Adds a piece, which may end within a character. Returns its text. */
  add(stream: string, data: Uint8Array): string {
    const decoder = this.#decoders.get(stream) ?? new StringDecoder();
    this.#decoders.set(stream, decoder);
    const text = decoder.write(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    this.#pieces.push(text);
    this.#length += text.length;
    while (this.#length > LIMIT && this.#pieces.length > 1) this.drop();
    return text;
  }

  /** Number of kept code units. */
  get length(): number {
    return this.#length;
  }

  /** Removes the oldest piece. */
  drop(): void {
    this.#length -= this.#pieces.shift()?.length ?? 0;
    this.#isCut = true;
  }

  /** The kept lines, oldest first, without the escape sequences of terminals. */
  get lines(): readonly string[] {
    const lines = this.#pieces.join('').split('\n');
    if (lines.at(-1) === '') lines.pop();
    if (this.#isCut) lines.shift();
    return lines.map(printedLine);
  }
}

/** Returns a line as a terminal leaves it: without what a carriage return overwrites, and without controls. */
export function printedLine(line: string): string {
  const whole = withoutTrailing(line, '\r');
  return withoutControls(whole.slice(whole.lastIndexOf('\r') + 1));
}
