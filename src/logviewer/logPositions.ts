import { Emitter, type Event } from '../base/lifetime.ts';

/** Where the log viewers of the window are, for other pages over the same time. */
export class LogPositions {
  readonly #positions = new Map<object, LogPosition>();
  readonly #changes = new Emitter<LogPosition>();

  /** Fires with the position of a viewer that has moved. */
  readonly onDidMove: Event<LogPosition> = this.#changes.event;

  /** Returns the last position of a viewer that shows one of these containers; undefined if there is none. */
  of(engine: string, ids: ReadonlySet<string>): number | undefined {
    const found = [...this.#positions.values()].findLast(
      (one) => one.engine === engine && one.ids.some((id) => ids.has(id)),
    );
    return found?.at;
  }

  /** @param viewer identifies the viewer. */
  set(viewer: object, position: LogPosition): void {
    this.#positions.delete(viewer);
    if (position.at !== undefined) this.#positions.set(viewer, position);
    this.#changes.fire(position);
  }
}

/** Where a log viewer is. */
export interface LogPosition {
  readonly engine: string;
  /** Its containers. */
  readonly ids: readonly string[];
  /** In milliseconds since 1970; undefined if it follows the end, or is closed. */
  readonly at: number | undefined;
}
