import { withSignal } from '../../engine/http/withTimeLimit.ts';
import type { Container } from '../../engine/model.ts';
import { DisposableStore, Emitter, type Disposable, type Event } from '../../base/lifetime.ts';
import { settledWithin } from '../../base/time.ts';
import { projectOf, serviceOf } from '../../projects/projectLabels.ts';
import { alignStarts } from './alignStarts.ts';
import { ContainerLog } from './containerLog.ts';
import type { LogDependencies } from './containerLogOptions.ts';
import type { LogSetSink, LogSink, LogMarker } from './logMarker.ts';
import { OlderMerge, type MergedPage, type ReadOlderPage } from './olderMerge.ts';
import { MEMBER_NUMBERS } from '../store/storedLine.ts';
import { TimeMerge } from './timeMerge.ts';

/**
 * The logs of several containers, merged by time. Each log is exact like {@link ContainerLog}; a failure of
 * one does not affect the others.
 */
export class LogSet implements Disposable {
  readonly #selection: LogSelection;
  readonly #tail: number;
  readonly #limits: LogSetLimits;
  readonly #sink: LogSetSink;
  readonly #parts: LogSetDependencies;
  /** In the order of joining. */
  readonly #members = new Map<string, Joined>();
  /** The followed members, and the removed members in the order of removal. */
  readonly #followed = new Set<Joined>();
  readonly #gone = new Set<Joined>();
  /** The containers that exceed the limit, with the `tail` that each starts from. */
  readonly #waiting = new Map<string, number | 'all'>();
  #isFull = false;
  /** The marker of the engine that was written, and the member that reported it. */
  #engineMarker: { readonly kind: LogMarker['kind']; readonly member: number } | undefined;
  #nextIndex = 0;
  readonly #merge: TimeMerge;
  readonly #past = new OlderMerge();
  readonly #changes = new Emitter<void>();
  readonly #owned = new DisposableStore();
  readonly #end = new AbortController();
  /** Resolves when it is known where the older lines of the first members end. */
  readonly #aligned = Promise.withResolvers<undefined>();
  #paging: Promise<unknown> = Promise.resolve();

  /** Fires when a member joined, left or was renamed. */
  readonly onDidChangeMembers: Event<void> = this.#changes.event;

  /** @param options `tail`: the number of records from the end that each existing log starts with. */
  constructor(
    selection: LogSelection,
    options: { readonly tail: number; readonly limits?: LogSetLimits },
    sink: LogSetSink,
    parts: LogSetDependencies,
  ) {
    this.#selection = selection;
    this.#tail = options.tail;
    this.#limits = options.limits ?? LIMITS;
    this.#sink = sink;
    this.#parts = parts;
    this.#merge = this.#owned.add(new TimeMerge(sink));
    this.#owned.add(this.#changes);
  }

  /** In the order of joining. */
  get members(): readonly LogMember[] {
    return [...this.#members.values()].map(({ member }) => member);
  }

  /**
   * Opens all logs. Resolves when their existing ends have been written, merged by time and from the same time
   * on. Does not reject: a log that cannot be read is reported by a marker of its member and retried.
   */
  async open(): Promise<void> {
    const { signal } = this.#end;
    await this.#parts.whenListed?.(signal);
    if (signal.aborted) return;
    this.#owned.listen(this.#parts.onDidChangeContainers, ({ containers, phase }) => {
      for (const id of containers) this.#look(id);
      if (phase && this.#parts.areAllKnown()) this.#engineMarker = undefined;
      // The engine is back: the containers that wait, and those removed in the meantime, are known by now.
      if (phase && this.#waiting.size > 0) void this.#admit();
    });
    for (const id of this.#chosen()) this.#waiting.set(id, this.#tail);
    const opening = this.#admit('unlisted too');
    await settledWithin(LONGEST_OPENING_MS, opening, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    alignStarts(this.#followed, this.#merge, this.#past);
    this.#aligned.resolve(undefined);
    await this.#merge.open();
    if (!this.#end.signal.aborted) this.#sink.caughtUp?.();
  }

  /**
   * Returns lines before those already written, of all members, merged by time, the oldest first. One page is read at a
   * time.
   *
   * @throws EngineError if the engine cannot be reached or refuses a log. The same lines may then be requested again.
   */
  async older(count: number, signal: AbortSignal): Promise<MergedPage> {
    const both = AbortSignal.any([signal, this.#end.signal]);
    const page = this.#paging
      .then(() => withSignal(this.#aligned.promise, both))
      .then(() => this.#past.older(count, both));
    this.#paging = page.catch(() => undefined);
    return page;
  }

  /** Reads what the engine has not sent of the followed logs, see {@link ContainerLog.refresh}. */
  refresh(): void {
    for (const { log } of this.#followed) log.refresh();
  }

  dispose(): void {
    this.#end.abort();
    for (const { log } of this.#members.values()) log.dispose();
    this.#owned.dispose();
  }

  /** Returns the IDs of the initial containers. */
  #chosen(): readonly string[] {
    const { ids } = this.#selection;
    const project = [...this.#parts.containers().values()].filter((one) => this.#isOfProject(one));
    const sorted = project.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ id }) => id);
    return [...ids, ...sorted];
  }

  #isOfProject(container: Container): boolean {
    const { project } = this.#selection;
    return project !== undefined && projectOf(container) === project;
  }

  /** Handles a change of a container. */
  #look(id: string): void {
    const container = this.#parts.containers().get(id);
    const joined = this.#members.get(id);
    if (joined && container) this.#rename(joined, container);
    else if (this.#isGone(id)) this.#waiting.delete(id);
    else if (container && this.#isOfProject(container) && !this.#waiting.has(id)) {
      this.#waiting.set(id, 'all');
      void this.#admit();
    }
  }

  #isGone(id: string): boolean {
    return !this.#parts.containers().has(id) && this.#parts.areAllKnown();
  }

  /**
   * Follows the waiting containers while the limit allows; reports once if the limit is reached.
   *
   * @param who `listed`: drops containers known to be removed; others that are not listed keep waiting.
   *   `unlisted too`: drops them only for a project, whose stored IDs may be out of date.
   */
  async #admit(who: 'listed' | 'unlisted too' = 'listed'): Promise<void> {
    if (this.#end.signal.aborted) return;
    const { project } = this.#selection;
    const joined: Promise<void>[] = [];
    for (const [id, tail] of this.#waiting) {
      const isDropped = (who === 'listed' || project !== undefined) && this.#isGone(id);
      const isWelcome = !isDropped && (who !== 'listed' || this.#parts.containers().has(id));
      const isAdmitted = isWelcome && this.#followed.size < MOST_FOLLOWED;
      if (isAdmitted || isDropped) this.#waiting.delete(id);
      if (isAdmitted) joined.push(this.#join(id, tail));
    }
    await Promise.all([...joined, this.#reportFull()]);
  }

  /** Written as a message about the last followed member, where the waiting logs would have started. */
  async #reportFull(): Promise<void> {
    const wasFull = this.#isFull;
    this.#isFull = this.#waiting.size > 0;
    const last = [...this.#followed].at(-1);
    if (!this.#isFull || wasFull || !last) return;
    const marker = { kind: 'full', most: MOST_FOLLOWED, waiting: this.#waiting.size } as const;
    await this.#merge.marker(last.member.index, marker, new Date().toISOString());
  }

  #rename(joined: Joined, { name }: Container): void {
    if (joined.member.name === name) return;
    joined.member = { ...joined.member, name };
    this.#changes.fire();
  }

  /** Follows one more log. Resolves when its existing lines have been written or cannot be read. */
  #join(id: string, tail: number | 'all'): Promise<void> {
    const container = this.#parts.containers().get(id);
    const service = container && serviceOf(container);
    const member: LogMember = {
      index: this.#freeIndex(),
      id,
      name: container?.name ?? id.slice(0, 12),
      isOver: false,
      ...(service !== undefined && { service }),
    };
    return new Promise((resolve) => {
      const sink = this.#sinkOf(member, resolve);
      const view = { follow: true, tail, timestamps: false } as const;
      const log = new ContainerLog(id, view, sink, this.#parts);
      const joined = { member, log };
      this.#members.set(id, joined);
      this.#followed.add(joined);
      this.#merge.add(member.index);
      this.#past.add(member.index, pageOf(log), tail === 'all');
      this.#changes.fire();
      log.keepOpen();
    });
  }

  /** Returns the next number that no member has. */
  #freeIndex(): number {
    const used = new Set(this.members.map(({ index }) => index));
    while (used.has(this.#nextIndex))
      this.#nextIndex = (this.#nextIndex + 1) % this.#limits.numbers;
    return this.#nextIndex;
  }

  #sinkOf({ id, index }: LogMember, caughtUp: () => void): LogSink {
    return {
      caughtUp,
      lines: (lines) => {
        if (this.#engineMarker?.member === index) this.#engineMarker = undefined;
        return this.#merge.lines(index, lines);
      },
      marker: async (marker: LogMarker, at = '') => {
        if (this.#isReported(index, marker)) return;
        await this.#merge.marker(index, marker, at === '' ? new Date().toISOString() : at);
        if (marker.kind === 'removed') this.#finish(id);
      },
    };
  }

  /** Whether a marker says of the engine what another member has said already. */
  #isReported(member: number, { kind }: LogMarker): boolean {
    const before = this.#engineMarker;
    const isOfEngine = ENGINE_MARKERS.includes(kind);
    if (isOfEngine && before?.kind === kind && before.member !== member) return true;
    if (isOfEngine) this.#engineMarker = { kind, member };
    else if (before?.member === member) this.#engineMarker = undefined;
    return false;
  }

  #finish(id: string): void {
    const joined = this.#members.get(id);
    if (!joined || joined.member.isOver) return;
    joined.member = { ...joined.member, isOver: true };
    joined.log.dispose();
    this.#followed.delete(joined);
    this.#gone.add(joined);
    this.#merge.leave(joined.member.index);
    this.#past.leave(joined.member.index);
    const [oldest] = this.#gone;
    if (oldest && this.#gone.size > this.#limits.gone) {
      this.#gone.delete(oldest);
      this.#members.delete(oldest.member.id);
    }
    this.#changes.fire();
    void this.#admit();
  }
}

/** The containers whose logs are shown. */
export interface LogSelection {
  /** Full IDs. For a project: those when its log was first opened; removed containers are ignored. */
  readonly ids: readonly string[];
  /** A compose project or swarm stack: its containers, including later ones. */
  readonly project?: string;
}

/** Limits that keep a set of many short-lived containers small. */
export interface LogSetLimits {
  /** Limit of the removed members that are kept for the names in their lines. */
  readonly gone: number;
  /** Number of numbers that members can have: more than members that are followed or kept. */
  readonly numbers: number;
}

interface LogSetDependencies extends LogDependencies {
  /** Returns the current containers, by ID. */
  readonly containers: () => ReadonlyMap<string, Container>;
  /**
   * Resolves when the containers of the project are listed; later containers count as new. Never rejects.
   * Default: resolves immediately.
   */
  readonly whenListed?: (signal: AbortSignal) => Promise<void>;
  /** Whether the containers are complete. Not known while the engine is lost or disconnected. */
  readonly areAllKnown: () => boolean;
}

export interface LogMember {
  /** The member's number. Numbers start at 0 in the order of joining and wrap around to free ones. */
  readonly index: number;
  readonly id: string;
  /** The current or last name. */
  readonly name: string;
  /** The service in the compose project. */
  readonly service?: string;
  /** Whether the container was removed, so that no more lines will come. */
  readonly isOver: boolean;
}

interface Joined {
  member: LogMember;
  readonly log: ContainerLog;
}

/** The markers that are about the engine, so that one is enough. */
const ENGINE_MARKERS: readonly LogMarker['kind'][] = ['lost', 'disconnected', 'engineRemoved'];
/** Limit of the logs followed at a time. */
const MOST_FOLLOWED = 50;
/** Limits of a set unless a test asks for less. */
const LIMITS: LogSetLimits = { gone: 1000, numbers: MEMBER_NUMBERS };
/** Number of milliseconds that the first lines wait for a slow log. */
const LONGEST_OPENING_MS = 5000;

/** Reads a log backwards. Once the container is gone, the log is at its start. */
function pageOf(log: ContainerLog): ReadOlderPage {
  return async (count, signal) => {
    try {
      return await log.older(count, signal);
    } catch (error) {
      if (!log.isOver || signal.aborted) throw error;
      return { lines: [], isStart: true };
    }
  };
}
