/** How long back it looks, and how much of that it needs before it says anything, in milliseconds. */
const [WINDOW, ENOUGH] = [5000, 1000];
/** So far apart are the moments it keeps, in milliseconds. */
const SPACING = 250;

/** Bytes a second, over the last few seconds. */
export class RateMeter {
  readonly #samples: { readonly at: number; readonly bytes: number }[] = [];

  /** So many bytes are done at this moment (milliseconds). Counted only where it is to be kept. */
  note(at: number, count: () => number): void {
    const last = this.#samples.at(-1);
    if (last && at - last.at < SPACING) return;
    this.#samples.push({ at, bytes: count() });
    while (this.#samples.length > 1 && at - (this.#samples[0]?.at ?? at) > WINDOW) {
      this.#samples.shift();
    }
  }

  /** Undefined until it has seen enough. */
  rate(at: number, bytes: number): number | undefined {
    const [first] = this.#samples;
    const elapsed = first ? at - first.at : 0;
    return !first || elapsed < ENOUGH ? undefined : ((bytes - first.bytes) / elapsed) * 1000;
  }
}
