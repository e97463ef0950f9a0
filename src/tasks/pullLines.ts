import type { PullStep } from '../engine/model.ts';

/** What a layer passes through many times or on its way. */
const PASSING = /^(?:Waiting|Downloading|Extracting|Verifying Checksum)$/;
/** Whoever tells of more means to fill the memory. */
const MOST_LINES = 2000;

/** The few lines of a pull that are worth a terminal's: each thing once. */
export class PullLines {
  readonly #seen = new Set<string>();

  /** The line of a step; undefined where it says nothing new. */
  add({ id, status }: PullStep): string | undefined {
    if (id !== undefined && PASSING.test(status)) return undefined;
    const line = id === undefined ? status : `${id}: ${status}`;
    const thing = line.replace(/(?<!\d)\d+ seconds?/g, '# seconds');
    if (this.#seen.has(thing) || this.#seen.size >= MOST_LINES) return undefined;
    this.#seen.add(thing);
    return line;
  }
}
