import {
  MOST_HITS,
  PASSES,
  CONTINUES,
  HIDES,
  KNOWN,
  type LineFilter,
  type IdRange,
} from './lineQuery.ts';
import { LineMatcher } from './lineMatcher.ts';
import type { StoreMirror, WorkerReport, SearchTask } from './storeMirror.ts';
import { PageSlice } from './pageSlice.ts';
import { MOST_FOLLOWING, TraceReader } from './traceReader.ts';
import { isGantryLine, originKind, originMember } from '../store/storedLine.ts';
import type { Level } from '../text/level.ts';

/** The number of lines read before a slice, to determine whether it starts within a trace. */
const LINES_BEFORE = MOST_FOLLOWING + 1;
/** Milliseconds between two reports that only show progress. */
const REPORT_EVERY = 50;

/** One search over a store, live until it is stopped. */
export class SearchJob {
  readonly #id: number;
  readonly #matcher: LineMatcher | undefined;
  readonly #test: LineFilterMatcher | undefined;
  readonly #walk: StoreWalk;
  readonly #report: (report: WorkerReport) => void;
  readonly #alive: () => void;
  /** The reader has read all lines before this ID. */
  #traces = { reader: new TraceReader(), id: NaN };
  #isFresh = true;
  #count = 0;
  #reportedAt = 0;
  #wasDone = false;

  constructor(
    id: number,
    work: SearchTask,
    report: (report: WorkerReport) => void,
    alive: () => void,
  ) {
    this.#id = id;
    this.#matcher = work.kind === 'find' ? new LineMatcher(work.query) : undefined;
    const folds = work.kind === 'mark' && work.folds;
    if (work.filter || work.kind === 'mark')
      this.#test = new LineFilterMatcher(work.filter ?? {}, folds);
    this.#walk = new StoreWalk(this.#test?.needsTraces ? LINES_BEFORE : 0);
    this.#report = report;
    this.#alive = alive;
  }

  /** Checks some more lines. @throws the error of the file system. */
  step(mirror: StoreMirror): JobProgress {
    if (this.#walk.meet(mirror)) {
      this.#isFresh = true;
      this.#count = 0;
      this.#traces.id = NaN;
    }
    const startedAt = performance.now();
    const stretch = this.#walk.next(mirror);
    if (!stretch) return this.#rest(mirror);
    const piece = this.#open(mirror, stretch.from, stretch.to);
    const marks = piece && this.#marks(mirror, stretch, piece);
    const hits = piece && this.#matcher ? piece.matches(this.#matcher, this.#alive) : undefined;
    if (!piece || !mirror.isValid(stretch.from, piece.page)) return 'waiting';
    this.#walk.finish(stretch, performance.now() - startedAt);
    if (hits) this.#reportHits(mirror, stretch, hits, marks);
    else if (marks) this.#reportMarks(mirror, stretch, marks);
    return 'more';
  }

  /** Reports once that there is nothing left to check. */
  #rest(mirror: StoreMirror): JobProgress {
    if (!this.#walk.isDone(mirror)) return 'waiting';
    if (!this.#wasDone || this.#isFresh) {
      const none = { from: mirror.endId, to: mirror.endId, isForward: true };
      if (this.#matcher) this.#reportHits(mirror, none, new Uint8Array(0), undefined);
      else this.#reportMarks(mirror, none, new Uint8Array(0));
    }
    return 'done';
  }

  #open(mirror: StoreMirror, from: number, to: number): PageSlice | undefined {
    const location = mirror.blockOf(from);
    const page = location && mirror.open(location);
    return page && new PageSlice(page, from - location.firstId, to - location.firstId);
  }

  #marks(mirror: StoreMirror, stretch: WalkRange, piece: PageSlice): Uint8Array | undefined {
    if (!this.#test) return undefined;
    const reader =
      this.#traces.id === stretch.from ? this.#traces.reader : this.#warmUp(mirror, stretch.from);
    const marks = this.#test.marks(piece, reader, this.#alive);
    if (stretch.isForward) this.#traces = { reader, id: stretch.to };
    return marks;
  }

  /** Returns a reader that has read some lines before this ID. */
  #warmUp(mirror: StoreMirror, id: number): TraceReader {
    const reader = new TraceReader();
    if (!this.#test?.needsTraces) return reader;
    let from = Math.max(mirror.firstId, id - LINES_BEFORE);
    while (from < id) {
      const location = mirror.blockOf(from);
      if (!location) break;
      const to = Math.min(id, location.firstId + location.count);
      const piece = this.#open(mirror, from, to);
      if (piece) this.#test.warmUp(piece, reader, this.#alive);
      from = to;
    }
    return reader;
  }

  #reportHits(
    mirror: StoreMirror,
    stretch: WalkRange,
    hits: Uint8Array,
    marks: Uint8Array | undefined,
  ): void {
    const ids: number[] = [];
    for (let slot = 0; slot < hits.length; slot++) {
      if (hits[slot] !== 1 || (marks && !((marks[slot] ?? 0) & PASSES))) continue;
      this.#count += 1;
      if (this.#count <= MOST_HITS) ids.push(stretch.from + slot);
    }
    const isDone = this.#walk.isDone(mirror);
    const now = performance.now();
    if (ids.length === 0 && !isDone && now - this.#reportedAt < REPORT_EVERY) return;
    const searched = this.#walk.done;
    const isFresh = this.#isFresh;
    const count = this.#count;
    this.#send({ kind: 'found', job: this.#id, ids, count, isDone, searched, isFresh }, isDone);
    this.#reportedAt = now;
  }

  #reportMarks(mirror: StoreMirror, { from }: WalkRange, marks: Uint8Array): void {
    const isDone = this.#walk.isDone(mirror);
    const isFresh = this.#isFresh;
    this.#send({ kind: 'marked', job: this.#id, from, marks, isDone, isFresh }, isDone);
  }

  #send(report: WorkerReport, isDone: boolean): void {
    this.#isFresh = false;
    this.#wasDone = isDone;
    this.#report(report);
  }
}

/** The state of a job: it has more to do, it is done, or it waits for an update of the store. */
type JobProgress = 'more' | 'done' | 'waiting';

/** Determines for each line whether it passes the filter and whether it continues the line before. */
class LineFilterMatcher {
  readonly #filter: LineFilter;
  readonly #include: LineMatcher | undefined;
  readonly #exclude: LineMatcher | undefined;
  readonly #levels: ReadonlySet<Level> | undefined;
  /** Origins (member and kind) by whether their lines may pass. */
  readonly #origins = new Map<number, boolean>();
  readonly #folds: boolean;

  /** @param folds whether to mark continuation lines. */
  constructor(filter: LineFilter, folds: boolean) {
    this.#filter = filter;
    this.#include = filter.include && new LineMatcher(filter.include);
    this.#exclude = filter.exclude && new LineMatcher(filter.exclude);
    this.#levels = filter.levels && new Set(filter.levels);
    this.#folds = folds;
  }

  /** Whether the mark of a line depends on the lines before it. */
  get needsTraces(): boolean {
    return this.#folds || this.#levels !== undefined;
  }

  /**
   * Returns a mark for each line of a slice.
   *
   * @param traces a reader that has read the lines before the slice.
   */
  marks(piece: PageSlice, traces: TraceReader, alive: () => void): Uint8Array {
    const included = this.#include && piece.matches(this.#include, alive);
    const excluded = this.#exclude && piece.matches(this.#exclude, alive);
    const marks = new Uint8Array(piece.to - piece.from);
    for (let slot = 0; slot < marks.length; slot++) {
      const index = piece.from + slot;
      const origin = piece.page.origin(index);
      const isContinuation = this.needsTraces && this.#reads(piece, index, traces, alive);
      const hides = excluded?.[slot] === 1;
      const passes =
        included?.[slot] !== 0 && !hides && this.#isOrigin(origin) && this.#isLevel(origin, traces);
      const continues = isContinuation && this.#folds;
      marks[slot] =
        KNOWN | (passes ? PASSES : 0) | (continues ? CONTINUES : 0) | (hides ? HIDES : 0);
    }
    return marks;
  }

  /** Reads the lines of a slice for their effect on later lines. */
  warmUp(piece: PageSlice, traces: TraceReader, alive: () => void): void {
    for (let index = piece.from; index < piece.to; index++)
      this.#reads(piece, index, traces, alive);
  }

  #reads(piece: PageSlice, index: number, traces: TraceReader, alive: () => void): boolean {
    alive();
    return traces.next(piece.visible(index), piece.page.origin(index));
  }

  #isLevel(origin: number, traces: TraceReader): boolean {
    if (!this.#levels) return true;
    return this.#levels.has(isGantryLine(originKind(origin)) ? 'none' : traces.level);
  }

  #isOrigin(origin: number): boolean {
    const known = this.#origins.get(origin);
    if (known !== undefined) return known;
    const { members, kinds } = this.#filter;
    const may =
      members?.includes(originMember(origin)) !== false &&
      kinds?.includes(originKind(origin)) !== false;
    this.#origins.set(origin, may);
    return may;
  }
}

/**
 * Walks over all lines of a store while it changes: new lines at the end first, then backwards from the
 * newest. So the checked lines are always one range.
 */
class StoreWalk {
  /** Number of lines that are checked again when lines are prepended. */
  readonly #overlap: number;
  #generation = -1;
  #firstId = 0;
  #from = 0;
  #to = 0;
  #lines = FIRST_LINES;

  constructor(overlap: number) {
    this.#overlap = overlap;
  }

  /** The checked range. */
  get done(): IdRange {
    return { from: this.#from, to: this.#to };
  }

  isDone({ firstId, endId }: StoreMirror): boolean {
    return this.#from <= firstId && this.#to >= endId;
  }

  /** Applies a change of the store. @returns whether all lines must be checked again. */
  meet({ generation, firstId, endId }: StoreMirror): boolean {
    const isFresh = generation !== this.#generation;
    if (isFresh) this.#from = this.#to = endId;
    else if (firstId < this.#firstId && this.#from === this.#firstId)
      this.#from = Math.min(this.#to, this.#from + this.#overlap);
    this.#generation = generation;
    this.#firstId = firstId;
    this.#from = Math.max(this.#from, firstId);
    this.#to = Math.max(this.#to, firstId);
    return isFresh;
  }

  /** Returns the range to check next; undefined if there is none or its location is not known. */
  next(mirror: StoreMirror): WalkRange | undefined {
    const isForward = this.#to < mirror.endId;
    if (!isForward && this.#from <= mirror.firstId) return undefined;
    const block = mirror.blockOf(isForward ? this.#to : this.#from - 1);
    if (!block) return undefined;
    const end = Math.min(block.firstId + block.count, mirror.endId);
    return isForward
      ? { isForward, from: this.#to, to: Math.min(end, this.#to + this.#lines) }
      : {
          isForward,
          from: Math.max(mirror.firstId, block.firstId, this.#from - this.#lines),
          to: this.#from,
        };
  }

  /** @param milliseconds the duration of checking this range. */
  finish(stretch: WalkRange, milliseconds: number): void {
    if (stretch.isForward) this.#to = stretch.to;
    else this.#from = stretch.from;
    if (milliseconds < QUICK) this.#lines = Math.min(MOST_LINES, this.#lines * 2);
    else if (milliseconds > SLOW) this.#lines = Math.max(1, this.#lines >> 1);
  }
}

/** The lines to check next, all of one block. */
interface WalkRange extends IdRange {
  readonly isForward: boolean;
}

// The first and the maximum number of lines per step.
const FIRST_LINES = 512;
const MOST_LINES = 65_536;
// The target duration of a step in milliseconds, so that requests are received in time.
const QUICK = 4;
const SLOW = 15;
