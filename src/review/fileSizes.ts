import { formatSize } from '../views/format.ts';
import { statComparedFile } from './readComparedFile.ts';
import type { FileSource } from './review.ts';
import type { ReviewRow } from './reviewRow.ts';

/** Each is a request of its own. */
const MOST_IN_FOLDER = 100;
const AT_ONCE = 4;

/** The sizes of the files that a person looks at, asked for once each. */
export class FileSizes {
  readonly #source: FileSource;
  readonly #signal: AbortSignal;
  readonly #formatted = new Map<string, string>();
  readonly #folders = new Set<string>();

  /** @param signal ends all asking. */
  constructor(side: FileSource, signal: AbortSignal) {
    this.#source = side;
    this.#signal = signal;
  }

  /** The size of a row's file in words; empty where it is not known, or not yet. */
  format(row: ReviewRow): string {
    return row.kind === 'entry' ? (this.#formatted.get(row.entry.path) ?? '') : '';
  }

  /** Whether a row without rows below it is known to be a folder: no list of changes tells. */
  isFolder(row: ReviewRow): boolean {
    return row.kind === 'entry' && this.#folders.has(row.entry.path);
  }

  /**
   * Asks for the sizes of the first hundred files among rows of one folder. Never rejects: what is not told is
   * not shown.
   *
   * @returns the rows that look different now: their size is known, or that they are folders.
   */
  async measure(rows: readonly ReviewRow[]): Promise<readonly ReviewRow[]> {
    const files = rows.filter((row) => this.#isUnknown(row)).slice(0, MOST_IN_FOLDER);
    const queue = files.values();
    const worker = async (): Promise<void> => {
      for (const row of queue) if (row.kind === 'entry') await this.#ask(row.entry.path);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return files.filter((row) => this.format(row) !== '' || this.isFolder(row));
  }

  #isUnknown(row: ReviewRow): boolean {
    if (row.kind !== 'entry' || row.entry.size > 0 || row.entry.kind === 'deleted') return false;
    return !this.#formatted.has(row.entry.path);
  }

  async #ask(path: string): Promise<void> {
    if (this.#signal.aborted) return;
    this.#formatted.set(path, '');
    const stat = await statComparedFile(this.#source, path, this.#signal).catch(() => undefined);
    if (stat?.kind === 'folder') this.#folders.add(path);
    if (stat?.kind === 'file') this.#formatted.set(path, formatSize(stat.size));
  }
}
