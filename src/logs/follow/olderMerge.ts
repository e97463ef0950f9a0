import { asError, EngineError, failedWith, isLost } from '../../engine/errors.ts';
import { isLaterStamp } from '../../engine/logs/logStamps.ts';
import type { LogLine } from '../../engine/model.ts';
import { yieldToEventLoop } from '../../base/time.ts';
import type { LineKind } from '../store/storedLine.ts';

/** Pages backwards through several logs as one. A line is returned once no other log can have a later one. */
export class OlderMerge {
  readonly #pasts = new Map<number, Past>();
  #horizon = '';

  /** @param isStart whether nothing precedes what was written of the log. */
  add(member: number, read: ReadOlderPage, isStart: boolean): void {
    this.#pasts.set(member, { read, lines: [], isStart, refusals: [] });
  }

  /** Adds lines that were read but not written. They come after those that the member's reader returns. */
  hold(member: number, lines: readonly OlderLine[]): void {
    if (lines.length === 0) return;
    // Nothing precedes what was written of a forgotten log.
    if (!this.#pasts.has(member)) this.add(member, readNothing, true);
    const past = this.#pasts.get(member);
    if (past) past.lines = past.lines.concat(lines);
  }

  /** Marks a member as removed. Lines that were already read are still returned. */
  leave(member: number): void {
    const past = this.#pasts.get(member);
    if (past) past.isStart = true;
    this.#forgetEnded();
  }

  /**
   * Returns the last `count` lines before those already returned. A log that the engine refuses twice in a row does not
   * block the others.
   *
   * @throws EngineError if the engine cannot be reached or refuses a log, or the abort reason. No line is lost by that.
   */
  async older(count: number, signal: AbortSignal): Promise<MergedPage> {
    const merged: MemberLine[] = [];
    const before = new Map(this.#pasts);
    try {
      while (merged.length < count) {
        await this.#fill(count, signal);
        if (!this.#mergeRun(merged, count)) break;
      }
    } catch (error) {
      for (const { member, line } of merged.reverse()) before.get(member)?.lines.push(line);
      // A member may have left in the meantime.
      for (const [member, past] of before) this.#pasts.set(member, past);
      this.#forgetEnded();
      throw error;
    }
    this.#horizon =
      merged.findLast(({ line }) => line.timestamp !== '')?.line.timestamp ?? this.#horizon;
    this.#forgetEnded();
    const refusal = this.#retryRefused();
    if (refusal && merged.length === 0) throw refusal;
    const isStart = this.#pasts.size === 0;
    return { lines: merged.reverse(), isStart, horizon: this.#horizon };
  }

  /** If only skipped logs are left, lets them be requested again. Returns why they were refused. */
  #retryRefused(): EngineError | undefined {
    const left = [...this.#pasts.values()];
    if (!left.every(isSkipped)) return undefined;
    const refusal = left[0]?.refusals.at(-1);
    for (const { refusals } of left) refusals.pop();
    return refusal;
  }

  #forgetEnded(): void {
    for (const [member, { lines, isStart }] of this.#pasts)
      if (isStart && lines.length === 0) this.#pasts.delete(member);
  }

  /** Reads until every log has a line to compare, or is at its start. */
  async #fill(count: number, signal: AbortSignal): Promise<void> {
    const empty = [...this.#pasts.values()].filter((past) => isEmpty(past));
    const share = Math.ceil(count / Math.max(1, this.#pasts.size));
    const size = Math.max(SMALLEST_PAGE, share);
    const results = await Promise.allSettled(empty.map((past) => fill(past, size, signal)));
    for (const result of results) if (result.status === 'rejected') throw asError(result.reason);
  }

  /** Merges the latest lines of the log with the latest line, down to the latest line of another log. */
  #mergeRun(merged: MemberLine[], count: number): boolean {
    let latest: readonly [number, Past] | undefined;
    let next = '';
    for (const entry of this.#pasts) {
      if (entry[1].lines.length === 0) continue;
      if (!latest || isLaterStamp(stampOf(entry[1]), stampOf(latest[1]))) {
        if (latest) next = stampOf(latest[1]);
        latest = entry;
      } else if (next === '' || isLaterStamp(stampOf(entry[1]), next)) next = stampOf(entry[1]);
    }
    if (!latest) return false;
    const [member, past] = latest;
    do {
      const line = past.lines.pop();
      if (line) merged.push({ member, line });
    } while (merged.length < count && past.lines.length > 0 && !isLaterStamp(next, stampOf(past)));
    return true;
  }
}

interface MemberLine {
  readonly member: number;
  readonly line: OlderLine;
}

/** A line of a log, or a message of Gantry in it. */
export interface OlderLine extends Omit<LogLine, 'source'> {
  readonly source: LineKind;
}

/** Lines of several logs before those already returned, the oldest first. */
export interface MergedPage {
  readonly lines: readonly MemberLine[];
  /** Whether no member has earlier lines. */
  readonly isStart: boolean;
  /** The timestamp down to which the lines of all members have been returned; empty if no line has a timestamp. */
  readonly horizon: string;
}

/** Reads a page of one log like `ContainerLog.older`. */
export type ReadOlderPage = (
  count: number,
  signal: AbortSignal,
) => Promise<{ readonly lines: readonly LogLine[]; readonly isStart: boolean }>;

/** The older lines of one log that were read but not returned yet, the oldest first. */
interface Past {
  readonly read: ReadOlderPage;
  lines: OlderLine[];
  isStart: boolean;
  /** Why the engine refused the last requests in a row. */
  refusals: EngineError[];
}

const SMALLEST_PAGE = 64;

/** Whether a log must be read before its lines can be compared. */
function isEmpty(past: Past): boolean {
  return past.lines.length === 0 && !past.isStart && !isSkipped(past);
}

/** Whether the other logs do not wait for this one, because it was refused twice in a row. */
function isSkipped({ refusals }: Past): boolean {
  return refusals.length > 1;
}

function readNothing(): ReturnType<ReadOlderPage> {
  return Promise.resolve({ lines: [], isStart: true });
}

async function fill(past: Past, size: number, signal: AbortSignal): Promise<void> {
  while (isEmpty(past)) {
    signal.throwIfAborted();
    try {
      const page = await past.read(size, signal);
      past.lines = [...page.lines];
      past.isStart = page.isStart || page.lines.length === 0;
      past.refusals = [];
      // A large page took long to parse.
      await yieldToEventLoop();
    } catch (error) {
      if (hasNoLog(error)) past.isStart = true;
      else if (!skipIfRefusedAgain(past, error)) throw error;
    }
  }
}

/** Whether the log no longer exists, or its log driver does not support reading. */
function hasNoLog(error: unknown): boolean {
  const isGone = failedWith(error, 'notFound', 'engineRemoved');
  return isGone || (error instanceof EngineError && error.status === 501);
}

/** Returns whether the log is skipped. It is only after a second refusal, because one may be due to a proxy. */
function skipIfRefusedAgain(past: Past, error: unknown): boolean {
  const isOfAll = isLost(error) || failedWith(error, 'disconnected', 'sshFull');
  if (isOfAll || !(error instanceof EngineError)) return false;
  past.refusals.push(error);
  return isSkipped(past);
}

/** A line without a timestamp comes first, because it cannot be compared. */
function stampOf({ lines }: Past): string {
  const stamp = lines.at(-1)?.timestamp ?? '';
  return stamp === '' ? LAST : stamp;
}

const LAST = '9999-12-31T23:59:59.999999999Z';
