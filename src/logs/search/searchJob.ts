import { MOST_HITS, PASSES } from './lineQuery.ts';
import { LineFilterMatcher } from './lineFilterMatcher.ts';
import { LineMatcher } from './lineMatcher.ts';
import type { StoreMirror } from './storeMirror.ts';
import { PageSlice } from './pageSlice.ts';
import type { WorkerReport, SearchTask } from './workerMessages.ts';
import { MOST_FOLLOWING, TraceReader } from './traceReader.ts';
import { StoreWalk, type WalkRange } from './storeWalk.ts';

/** Lines before a piece that are read again, to know whether it begins within a trace. */
const LINES_BEFORE = MOST_FOLLOWING + 1;
/** Milliseconds between two reports that only tell how far the search is. */
const REPORT_EVERY = 50;

/** One search over a store that stands until it is stopped. */
export class SearchJob {
  readonly #id: number;
  readonly #matcher: LineMatcher | undefined;
  readonly #test: LineFilterMatcher | undefined;
  readonly #walk: StoreWalk;
  readonly #report: (report: WorkerReport) => void;
  readonly #alive: () => void;
  /** Has read all lines before this id. */
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

  /** Looks at some more lines. @throws the file system's error. */
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
    if (!piece || !isStillValid(mirror, stretch, piece)) return 'waiting';
    this.#walk.finish(stretch, performance.now() - startedAt);
    if (hits) this.#tellHits(mirror, stretch, hits, marks);
    else if (marks) this.#tellMarks(mirror, stretch, marks);
    return 'more';
  }

  /** There is nothing to look at: says so once. */
  #rest(mirror: StoreMirror): JobProgress {
    if (!this.#walk.isDone(mirror)) return 'waiting';
    if (!this.#wasDone || this.#isFresh) {
      const none = { from: mirror.endId, to: mirror.endId, isForward: true };
      if (this.#matcher) this.#tellHits(mirror, none, new Uint8Array(0), undefined);
      else this.#tellMarks(mirror, none, new Uint8Array(0));
    }
    return 'done';
  }

  #open(mirror: StoreMirror, from: number, to: number): PageSlice | undefined {
    const place = mirror.blockOf(from);
    const page = place && mirror.open(place);
    return page && new PageSlice(page, from - place.firstId, to - place.firstId);
  }

  #marks(mirror: StoreMirror, stretch: WalkRange, piece: PageSlice): Uint8Array | undefined {
    if (!this.#test) return undefined;
    const reader =
      this.#traces.id === stretch.from ? this.#traces.reader : this.#warmUp(mirror, stretch.from);
    const marks = this.#test.marks(piece, reader, this.#alive);
    if (stretch.isForward) this.#traces = { reader, id: stretch.to };
    return marks;
  }

  /** A reader that has read some lines before this id. */
  #warmUp(mirror: StoreMirror, id: number): TraceReader {
    const reader = new TraceReader();
    if (!this.#test?.needsTraces) return reader;
    let from = Math.max(mirror.firstId, id - LINES_BEFORE);
    while (from < id) {
      const place = mirror.blockOf(from);
      if (!place) break;
      const to = Math.min(id, place.firstId + place.count);
      const piece = this.#open(mirror, from, to);
      if (piece) this.#test.warmUp(piece, reader, this.#alive);
      from = to;
    }
    return reader;
  }

  #tellHits(
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
    const [searched, isFresh, count] = [this.#walk.done, this.#isFresh, this.#count];
    this.#say({ kind: 'found', job: this.#id, ids, count, isDone, searched, isFresh }, isDone);
    this.#reportedAt = now;
  }

  #tellMarks(mirror: StoreMirror, { from }: WalkRange, marks: Uint8Array): void {
    const isDone = this.#walk.isDone(mirror);
    const isFresh = this.#isFresh;
    this.#say({ kind: 'marked', job: this.#id, from, marks, isDone, isFresh }, isDone);
  }

  #say(report: WorkerReport, isDone: boolean): void {
    this.#isFresh = false;
    this.#wasDone = isDone;
    this.#report(report);
  }
}

/** How a job goes on: it could do more now; it did all there is; it has to wait for news of the store. */
export type JobProgress = 'more' | 'done' | 'waiting';

/** Whether the memory still held these lines when they had been read. */
function isStillValid(mirror: StoreMirror, { from }: WalkRange, { page }: PageSlice): boolean {
  const place = mirror.blockOf(from);
  return place !== undefined && mirror.isValid(place, page);
}
