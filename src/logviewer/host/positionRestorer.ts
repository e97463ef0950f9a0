import type { Disposable } from '../../base/lifetime.ts';
import { isGantryLine } from '../../logs/store/storedLine.ts';
import { whenFound } from '../../base/time.ts';
import type { SavedPosition } from '../protocol.ts';
import type { GoToTime } from './goToTime.ts';
import type { ViewerSessionDependencies } from './sessionContext.ts';

/** Goes back to the position before the window was reloaded, as soon as its lines are loaded. */
export class PositionRestorer implements Disposable {
  readonly #parts: ViewerSessionDependencies;
  readonly #jump: GoToTime;
  #isPending: boolean;
  /** Aborted when the page is hidden or replaced, or when the user went elsewhere. */
  #page = new AbortController();

  constructor(parts: ViewerSessionDependencies, jump: GoToTime) {
    this.#parts = parts;
    this.#jump = jump;
    // Otherwise the window was not reloaded.
    this.#isPending = parts.kept !== undefined;
  }

  /** Whether the page's stored position is from an earlier session, whose IDs are invalid here. */
  get isPending(): boolean {
    return this.#isPending;
  }

  /**
   * Goes back in a new page.
   *
   * @param position the position that the page has stored, if any.
   * @param opened resolves when the newest lines have arrived, or the engine cannot be reached.
   */
  async begin(position: SavedPosition | undefined, opened: Promise<void>): Promise<void> {
    this.pause();
    const { signal } = (this.#page = new AbortController());
    this.#isPending &&= position !== undefined;
    const moment = Date.parse(position?.moment ?? '');
    if (!this.#isPending || Number.isNaN(moment)) return;
    await opened;
    if (!(await this.#untilLoaded(moment, signal))) return;
    await this.#jump.toMoment(moment, signal);
    // A page that was hidden in the meantime has missed it.
    if (!signal.aborted) this.#isPending = false;
  }

  /** Leaves it to the next page, because this one is hidden. */
  pause(): void {
    this.#page.abort();
  }

  /** Cancels the restoring, because the user went elsewhere. */
  cancel(): void {
    this.#isPending = false;
    this.pause();
  }

  dispose(): void {
    this.pause();
  }

  /** Resolves to true when the line is loaded; to undefined if aborted, or if it does not arrive in time. */
  async #untilLoaded(moment: number, signal: AbortSignal): Promise<true | undefined> {
    if (signal.aborted) return undefined;
    const { store, clock } = this.#parts;
    // If there are no lines by now, the engine comes later, and its first lines may be older.
    const since = this.#hasLineSince(-Infinity) ? -Infinity : moment;
    const find = (): true | undefined => this.#hasLineSince(since) || undefined;
    return whenFound(find, store.onDidChange, { clock, limit: LONGEST_WAIT_MS, signal });
  }

  /** Whether one of the newest lines is from a container and not older than a time. */
  #hasLineSince(moment: number): boolean {
    const { store } = this.#parts;
    return store
      .read(store.endId - NEWEST, store.endId)
      .some(({ kind, timestamp }) => !isGantryLine(kind) && Date.parse(timestamp) >= moment);
  }
}

/** Time to wait for an engine that is started, or a VPN that is connected, after VS Code. */
const LONGEST_WAIT_MS = 3_600_000;

/** More lines than Gantry's own messages about all followed containers at a time. */
const NEWEST = 100;
