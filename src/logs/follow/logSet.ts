import type { Container } from '../../engine/model.ts';
import { DisposableStore, Emitter, type Disposable, type Event } from '../../lifetime.ts';
import { settledWithin } from '../../time.ts';
import { oneLine } from '../../plainText.ts';
import { ContainerLog, type LogDependencies } from './containerLog.ts';
import type { LogSetSink, LogSink } from './logSink.ts';
import { OlderMerge, type MergedPage, type ReadOlderPage } from './olderMerge.ts';
import type { LogMarker } from './logMarker.ts';
import { MEMBER_NUMBERS } from '../store/storedLine.ts';
import { TimeMerge } from './timeMerge.ts';

/**
 * Several containers' logs as one, merged by time. Each is exact by itself, as {@link ContainerLog}; what happens to
 * one touches no other.
 */
export class LogSet implements Disposable {
  readonly #selection: LogSelection;
  readonly #tail: number;
  readonly #sink: LogSetSink;
  readonly #parts: LogSetDependencies;
  /** In the order they came. */
  readonly #members = new Map<string, Joined>();
  /** Those of them that are followed, and those that are gone, in the order they went. */
  readonly #followed = new Set<Joined>();
  readonly #gone = new Set<Joined>();
  readonly #takenIndexes = new Set<number>();
  /** Those there is no room for yet, and with how many records from its end each begins. */
  readonly #waiting = new Map<string, number | 'all'>();
  #isFull = false;
  #nextIndex = 0;
  readonly #merge: TimeMerge;
  readonly #past = new OlderMerge();
  readonly #changes = new Emitter<void>();
  readonly #owned = new DisposableStore();
  readonly #end = new AbortController();
  #paging: Promise<unknown> = Promise.resolve();

  /** A member came, went, or has another name. */
  readonly onDidChangeMembers: Event<void> = this.#changes.event;

  /** @param options `tail`: with how many records from its end each log that is there begins. */
  constructor(
    selection: LogSelection,
    options: { readonly tail: number },
    sink: LogSetSink,
    parts: LogSetDependencies,
  ) {
    this.#selection = selection;
    this.#tail = options.tail;
    this.#sink = sink;
    this.#parts = parts;
    this.#merge = this.#owned.add(new TimeMerge(sink));
    this.#owned.add(this.#changes);
  }

  /** In the order they came. */
  get members(): readonly LogMember[] {
    return [...this.#members.values()].map(({ member }) => member);
  }

  /**
   * Starts. Resolves when the ends of all logs have been given, merged by time. Does not reject: what keeps a log
   * from being read is told by a marker of its member, and tried again.
   */
  async open(): Promise<void> {
    const subscription = this.#parts.onDidChangeContainers(({ containers, phase }) => {
      for (const id of containers) this.#look(id);
      // The engine is back: who still waits, and who went meanwhile, is known by now.
      if (phase && this.#waiting.size > 0) void this.#admit();
    });
    this.#owned.add(subscription);
    for (const id of this.#chosen()) this.#waiting.set(id, this.#tail);
    await this.#longestOpening(this.#admit('unlisted too'));
    await this.#merge.open();
    if (!this.#end.signal.aborted) this.#sink.caughtUp?.();
  }

  /**
   * Lines before those that came, of all members, merged by time, the oldest first. One page is read at a time.
   *
   * @throws EngineError where the engine cannot be reached; the same lines may be asked for again then.
   */
  async older(count: number, signal: AbortSignal): Promise<MergedPage> {
    const both = AbortSignal.any([signal, this.#end.signal]);
    const page = this.#paging.then(() => this.#past.older(count, both));
    this.#paging = page.catch(() => undefined);
    return page;
  }

  dispose(): void {
    this.#end.abort();
    for (const { log } of this.#members.values()) log.dispose();
    this.#owned.dispose();
  }

  /** Who is there at first. */
  #chosen(): readonly string[] {
    const { ids } = this.#selection;
    const project = [...this.#parts.containers().values()].filter((one) => this.#isOfProject(one));
    const sorted = project.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ id }) => id);
    return [...ids, ...sorted];
  }

  #isOfProject({ labels }: Container): boolean {
    const { project = '' } = this.#selection;
    return project !== '' && labels[PROJECT] === project;
  }

  /** Takes notice of a container that is not what it was. */
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
   * Follows those that wait, while there is room; says so once if there is none left.
   *
   * @param who `listed`: one that is gone is not followed, and one of which that is not known waits on.
   */
  async #admit(who: 'listed' | 'unlisted too' = 'listed'): Promise<void> {
    if (this.#end.signal.aborted) return;
    const joined: Promise<void>[] = [];
    for (const [id, tail] of this.#waiting) {
      const isWelcome = who !== 'listed' || this.#parts.containers().has(id);
      const isAdmitted = isWelcome && this.#followed.size < MOST_FOLLOWED;
      if (isAdmitted || (!isWelcome && this.#isGone(id))) this.#waiting.delete(id);
      if (isAdmitted) joined.push(this.#join(id, tail));
    }
    await Promise.all([...joined, this.#tellFull()]);
  }

  /** Said of the member that came last, where those that wait would have begun. */
  async #tellFull(): Promise<void> {
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

  /** Follows one more log. Resolves when what is there of it has come, or will not come. */
  #join(id: string, tail: number | 'all'): Promise<void> {
    const container = this.#parts.containers().get(id);
    const service = oneLine(container?.labels[SERVICE] ?? '');
    const member: LogMember = {
      index: this.#freeIndex(),
      id,
      name: container?.name ?? id.slice(0, 12),
      isOver: false,
      ...(service === '' ? {} : { service }),
    };
    return new Promise((resolve) => {
      const sink = this.#sinkOf(member, resolve);
      const view = { follow: true, tail, timestamps: false } as const;
      const log = new ContainerLog(id, view, sink, this.#parts);
      this.#add({ member, log });
      this.#merge.add(member.index);
      this.#past.add(member.index, pageOf(log), tail === 'all');
      this.#changes.fire();
      log.keepOpen();
    });
  }

  #add(joined: Joined): void {
    const { id, index } = joined.member;
    this.#members.set(id, joined);
    this.#followed.add(joined);
    this.#takenIndexes.add(index);
  }

  /** The next number that no member has. */
  #freeIndex(): number {
    while (this.#takenIndexes.has(this.#nextIndex))
      this.#nextIndex = (this.#nextIndex + 1) % MEMBER_NUMBERS;
    return this.#nextIndex;
  }

  #sinkOf({ id, index }: LogMember, caughtUp: () => void): LogSink {
    return {
      caughtUp,
      lines: (lines) => this.#merge.lines(index, lines),
      marker: async (marker: LogMarker, at = '') => {
        await this.#merge.marker(index, marker, at === '' ? new Date().toISOString() : at);
        if (marker.kind === 'removed') this.#finish(id);
      },
    };
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
    this.#forgetOldest();
    this.#changes.fire();
    void this.#admit();
  }

  #forgetOldest(): void {
    const [oldest] = this.#gone;
    if (!oldest || this.#gone.size <= MOST_OVER) return;
    this.#gone.delete(oldest);
    this.#members.delete(oldest.member.id);
    this.#takenIndexes.delete(oldest.member.index);
  }

  async #longestOpening(opening: Promise<unknown>): Promise<void> {
    const { signal } = this.#end;
    try {
      await settledWithin(LONGEST_OPENING_MS, opening, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/** Whose logs. */
export interface LogSelection {
  /** Full ids. */
  readonly ids: readonly string[];
  /** A compose project: its containers, also those that come later. */
  readonly project?: string | undefined;
}

/** What a set of logs stands on. */
export interface LogSetDependencies extends LogDependencies {
  /** The containers there are now, by id. */
  readonly containers: () => ReadonlyMap<string, Container>;
  /** Whether these are all there are. Of an engine that is lost or disconnected that is not known. */
  readonly areAllKnown: () => boolean;
}

/** One container of a set. */
export interface LogMember {
  /** Its number: members are numbered from 0 in the order they came, and past the last number those of others are free. */
  readonly index: number;
  readonly id: string;
  /** Its name now, or the last one. */
  readonly name: string;
  /** Of a compose project. */
  readonly service?: string;
  /** Whether it is gone, so that no line will ever come. */
  readonly isOver: boolean;
}

interface Joined {
  member: LogMember;
  readonly log: ContainerLog;
}

const PROJECT = 'com.docker.compose.project';
const SERVICE = 'com.docker.compose.service';
/** So many are followed at once. */
const MOST_FOLLOWED = 50;
/** So many that are gone are kept for the names of their lines. */
const MOST_OVER = 1000;
/** One that says nothing for so long keeps the others waiting no longer, in milliseconds. */
const LONGEST_OPENING_MS = 5000;

/** Reads a log backwards, which is at its start once the container is gone. */
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
