import { TextDecoder } from 'node:util';
import type { Disposable } from '../base/lifetime.ts';
import { monotonicClock, type Clock } from '../base/time.ts';
import type { LogSource } from '../engine/model.ts';
import type { Screen } from '../output/terminal/screen.ts';
import type { PathMapper } from './paths/pathMapper.ts';

/** Shows the output of a process, with the paths of the workspace in place of those of the container. */
export class ExecOutput {
  readonly #parts: ExecOutputParts;
  readonly #clock: Clock;
  /** Apart for each stream: one may write in the middle of a line, or of a character, of the other. */
  readonly #streams: Readonly<Record<LogSource, Stream>>;
  #last: Promise<void> = Promise.resolve();

  constructor(parts: ExecOutputParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? monotonicClock;
    const stream = (): Stream => ({ decoder: new TextDecoder(), mapper: parts.mapper?.() });
    this.#streams = { stdout: stream(), stderr: stream() };
  }

  push(source: LogSource, bytes: Uint8Array): Promise<void> {
    const stream = this.#streams[source];
    const { decoder, mapper } = stream;
    stream.silence?.dispose();
    return this.#next(async () => {
      const text = decoder.decode(bytes, { stream: true });
      await this.#write(mapper ? await mapper.push(text) : text);
      if (mapper?.isHolding) this.#showAfterSilence(stream, mapper);
    });
  }

  end(): Promise<void> {
    return this.#next(async () => {
      for (const { decoder, mapper, silence } of Object.values(this.#streams)) {
        silence?.dispose();
        const last = decoder.decode();
        await this.#write(mapper ? (await mapper.push(last)) + (await mapper.end()) : last);
      }
    });
  }

  /** Shows also a line that does not end: a program that asks a question waits for the answer. */
  #showAfterSilence(stream: Stream, mapper: PathMapper): void {
    stream.silence = this.#clock.after(SILENCE_MS, () => {
      void this.#next(async () => this.#write(await mapper.release()));
    });
  }

  /** Does one thing after the other: a mapper accepts no text while it looks for files. */
  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #write(text: string): Promise<void> {
    const { screen, hasTty } = this.#parts;
    // A terminal needs both, and only a TTY adds the one.
    await screen.write(hasTty ? text : text.replaceAll(/\r?\n/g, '\r\n'));
  }
}

interface ExecOutputParts {
  readonly screen: Pick<Screen, 'write'>;
  readonly hasTty: boolean;
  /** Returns what replaces the paths of one stream; by default, nothing does. */
  readonly mapper?: (() => PathMapper) | undefined;
  readonly clock?: Clock;
}

interface Stream {
  readonly decoder: TextDecoder;
  readonly mapper: PathMapper | undefined;
  /** Until the rest of a line is shown. */
  silence?: Disposable;
}

/** The parts of one line follow each other faster. */
const SILENCE_MS = 200;
