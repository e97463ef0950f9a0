import {
  DisposableStore,
  Emitter,
  isCancellation,
  type Disposable,
  type Event,
} from '../../base/lifetime.ts';
import type { LineFilter } from '../../logs/search/lineQuery.ts';
import { settledWithin } from '../../base/time.ts';
import {
  EMPTY_FILTER,
  type ToPage,
  type ViewerFilter,
  type ViewerStyle,
  type ViewerMember,
} from '../protocol.ts';
import { BackwardReader, type BackwardReports } from './backwardReader.ts';
import type { ViewerLog, ViewerSessionDependencies } from './sessionContext.ts';
import { StoreFeed } from './storeFeed.ts';
import type { LogMember } from '../../logs/follow/logSet.ts';
import { oneLine } from '../../base/plainText.ts';

/** The lines a viewer reads and the filter on them. Independent of the page. */
export class ViewerContent implements Disposable {
  readonly members = new ViewerMembers();
  readonly back: BackwardReader;
  readonly #parts: ViewerSessionDependencies;
  readonly #onProblem: (error: unknown) => void;
  readonly #owned = new DisposableStore();
  readonly #changes = new Emitter<void>();
  readonly #feed: StoreFeed;
  readonly #log: ViewerLog;
  readonly #caughtUp = Promise.withResolvers<undefined>();
  #filter: ViewerFilter;
  #folds: boolean;

  /** Fires when the members change or when reading back makes progress. */
  readonly onDidChange: Event<void> = this.#changes.event;

  constructor(parts: ViewerSessionDependencies, folds: boolean, reports: BackwardReports) {
    const { store, clock, kept, openLog } = parts;
    const { onProblem } = reports;
    this.#parts = parts;
    this.#onProblem = onProblem;
    this.#filter = kept?.filter ?? EMPTY_FILTER;
    this.#folds = folds;
    this.#owned.add(this.#changes);
    const onCaughtUp = (): void => this.#caughtUp.resolve(undefined);
    const clearedAt = kept?.clearedAt ?? '';
    this.#feed = new StoreFeed({ store, clock, onCaughtUp }, clearedAt);
    const log = this.#owned.add(openLog(this.#feed));
    this.#log = log;
    const onDidChange = (): void => this.#changes.fire();
    const older: ViewerLog['older'] = async (count, signal) =>
      this.#feed.withoutCleared(await log.older(count, signal));
    this.back = this.#owned.add(
      new BackwardReader({ ...reports, store, log: { older }, onDidChange }),
    );
    this.#owned.listen(parts.rows.onDidFail, onProblem);
    this.#owned.listen(log.onDidChangeMembers, this.#updateMembers);
    this.#updateMembers();
    this.#show();
  }

  /** Timestamp up to which lines were cleared; empty if none were. */
  get clearedAt(): string {
    return this.#feed.clearedAt;
  }

  get filter(): ViewerFilter {
    return this.#filter;
  }

  set filter(filter: ViewerFilter) {
    this.#filter = filter;
    this.#show();
  }

  /** Whether stack traces are folded. */
  set folds(folds: boolean) {
    if (this.#folds === folds) return;
    this.#folds = folds;
    this.#show();
  }

  /** The filter for the store, from the filter bar and the selected containers. */
  get lineFilter(): LineFilter | undefined {
    return buildLineFilter(this.#filter, this.members.visibleIndexes);
  }

  /** Reads what the engine has not sent. */
  refresh(): void {
    this.#log.refresh?.();
  }

  /**
   * Starts reading.
   *
   * @returns a promise that resolves when all existing lines have arrived. If that cannot be detected, it
   * resolves soon after the engine responded. Engine errors do not reject: they appear as markers in the log.
   */
  async open(): Promise<void> {
    await this.#log.open();
    this.#updateMembers();
    const { clock } = this.#parts;
    await settledWithin(CAUGHT_UP_TIMEOUT_MS, this.#caughtUp.promise, { clock });
  }

  showMember(index: number, isShown: boolean): void {
    if (!this.members.show(index, isShown)) return;
    this.#show();
    this.#changes.fire();
  }

  /** Removes all lines. Lines before them are not read again. */
  clear(): void {
    this.#feed.clear();
    this.back.end();
    this.#parts.store.clear();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  readonly #updateMembers = (): void => {
    const before = this.members.count;
    this.members.update(this.#log.members);
    // A new member is shown, even if others are hidden.
    if (this.members.count !== before && this.members.visibleIndexes) this.#show();
    this.#changes.fire();
  };

  #show(): void {
    const settings = { filter: this.lineFilter, folds: this.#folds };
    this.#parts.rows.show(settings).catch((error: unknown) => {
      if (!isCancellation(error)) this.#onProblem(error);
    });
  }
}

/**
 * Converts a filter of the page and the selected containers to a filter for the store.
 *
 * @param members indexes of the members whose lines are shown; undefined for all.
 * @returns undefined if nothing is filtered out.
 */
export function buildLineFilter(
  { include, exclude, levels, streams, context }: ViewerFilter,
  members: readonly number[] | undefined,
): LineFilter | undefined {
  const filter: LineFilter = {
    include,
    exclude,
    levels: levels.length > 0 ? levels : undefined,
    // Gantry's own lines about containers belong to neither stream and pass every stream filter.
    kinds: streams.length > 0 ? [...streams, 'marker', 'gap'] : undefined,
    members,
  };
  const isOn = Object.values(filter).some((part) => part !== undefined);
  return isOn ? { ...filter, context } : undefined;
}

export interface ViewerContext extends ViewerSessionDependencies {
  readonly content: ViewerContent;
  readonly style: () => ViewerStyle;
  readonly post: (message: ToPage) => void;
  readonly onProblem: (error: unknown) => void;
}

const CAUGHT_UP_TIMEOUT_MS = 2000;

/** Which containers are shown, and in which color. A re-created service keeps its color. */
export class ViewerMembers {
  readonly #hidden = new Set<number>();
  readonly #colors = new Map<string, number>();
  #members: readonly LogMember[] = [];

  update(members: readonly LogMember[]): void {
    this.#members = members;
    const there = new Set(members.map(({ index }) => index));
    // The number of a removed member may be reused for a new member.
    for (const index of this.#hidden) if (!there.has(index)) this.#hidden.delete(index);
    for (const { name, service } of members) {
      const key = service ?? name;
      if (!this.#colors.has(key)) this.#colors.set(key, this.#colors.size % COLORS);
    }
  }

  idOf(index: number): string | undefined {
    return this.#members.find((one) => one.index === index)?.id;
  }

  nameOf(index: number): string {
    return oneLine(this.#members.find((one) => one.index === index)?.name ?? '');
  }

  get list(): readonly ViewerMember[] {
    return this.#members.map(({ index, name, service, isOver }) => ({
      index,
      name: oneLine(name),
      color: this.#colors.get(service ?? name) ?? 0,
      isShown: !this.#hidden.has(index),
      isOver,
    }));
  }

  get count(): number {
    return this.#members.length;
  }

  /** Indexes of the members whose lines are shown; undefined for all, including those that join later. */
  get visibleIndexes(): readonly number[] | undefined {
    if (this.#hidden.size === 0) return undefined;
    return this.#members.map(({ index }) => index).filter((index) => !this.#hidden.has(index));
  }

  /** Returns whether the visible members have changed. */
  show(index: number, isShown: boolean): boolean {
    if (this.#hidden.has(index) !== isShown) return false;
    if (isShown) this.#hidden.delete(index);
    else this.#hidden.add(index);
    return true;
  }
}

/** Number of VS Code chart colors in use. */
const COLORS = 6;
