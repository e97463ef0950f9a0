import type { Reading } from './reading.ts';

/** The readings of the last hour of each container, also of containers that were removed since. */
export class Histories {
  /** By container; the one with the newest reading is the last. */
  readonly #readings = new Map<string, Reading[]>();

  /** Returns the readings of a container by its full ID, the oldest first. */
  of(id: string): readonly Reading[] {
    return this.#readings.get(id) ?? [];
  }

  add(id: string, reading: Reading): void {
    const readings = this.#readings.get(id) ?? [];
    const isRecent = ({ at }: Reading): boolean => at > reading.at - HOUR_MS;
    // If the clock was set back, those of before are in the future.
    while ((readings.at(-1)?.at ?? 0) > reading.at) readings.pop();
    const first = readings.findIndex(isRecent);
    const recent = first === -1 ? readings.length : first;
    readings.splice(0, Math.max(recent, readings.length - MOST_READINGS + 1));
    readings.push(reading);
    this.#readings.delete(id);
    this.#readings.set(id, readings);
    const [oldest] = this.#readings.keys();
    if (this.#readings.size > MOST_CONTAINERS && oldest !== undefined)
      this.#readings.delete(oldest);
  }
}

const HOUR_MS = 3_600_000;
/** In an hour, one every two seconds. */
const MOST_READINGS = 1800;
/** More than can be watched at once, for those that are gone. */
const MOST_CONTAINERS = 200;
