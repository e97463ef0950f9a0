import { TextDecoder } from 'node:util';
import { OutputFrames } from '../engine/outputFrames.ts';
import type { LogSource } from '../engine/model.ts';

/** Bytes of a live output into text for a terminal. */
export interface OutputText {
  /** The text of a chunk; what is half a letter waits for its rest. */
  push(chunk: Uint8Array): string;
}

/** What a program with a terminal writes: it knows how lines end there. */
export class TerminalText implements OutputText {
  readonly #decoder = new TextDecoder();

  push(chunk: Uint8Array): string {
    return this.#decoder.decode(chunk, { stream: true });
  }
}

/** What a program without one writes, in frames: lines end as in a file. */
export class FramedText implements OutputText {
  readonly #frames = new OutputFrames();
  /** A letter may be cut by a frame of the other source. */
  readonly #decoders: Readonly<Record<LogSource, TextDecoder>> = {
    stdout: new TextDecoder(),
    stderr: new TextDecoder(),
  };

  push(chunk: Uint8Array): string {
    const texts = this.#frames
      .push(chunk)
      .map(({ source, bytes }) => this.#decoders[source].decode(bytes, { stream: true }));
    return texts.join('').replace(/\r?\n/g, '\r\n');
  }
}
