import type { SentContext } from '../model.ts';

const MOST_FILES = 10;

/** Counts what is sent of a context, and keeps the largest files. */
export class SentFiles implements SentContext {
  bytes = 0;
  largest: SentContext['largest'] = [];

  add(file: SentContext['largest'][number]): void {
    this.bytes += file.size;
    const smallest = this.largest.at(-1)?.size ?? 0;
    if (file.size === 0 || (this.largest.length === MOST_FILES && file.size <= smallest)) return;
    this.largest = [...this.largest, file].sort((a, b) => b.size - a.size).slice(0, MOST_FILES);
  }
}
