import { asError, EngineError, failedWith, isLost } from '../../engine/errors.ts';
import { isLaterStamp } from '../../engine/logs/logStamps.ts';
import type { LogLine } from '../../engine/model.ts';
import { yieldToEventLoop } from '../../time.ts';

/** Pages backwards through several logs as one: a line is given once no other log can have a later one. */
export class OlderMerge {
  readonly #pasts = new Map<number, Past>();
  #horizon = '';

  /** @param isStart nothing stands before what came of it. */
  add(member: number, read: ReadOlderPage, isStart: boolean): void {
    this.#pasts.set(member, { read, lines: [], isStart });
  }

  /** Says that a member is gone: what was read of it is still given. */
  leave(member: number): void {
    const past = this.#pasts.get(member);
    if (past) past.isStart = true;
    this.#forgetEnded();
  }

  /**
   * The last `count` lines before those that were given.
   *
   * @throws EngineError where the engine cannot be reached, or the signal's reason: nothing is lost by it.
   */
  async older(count: number, signal: AbortSignal): Promise<MergedPage> {
    const taken: MemberLine[] = [];
    const before = new Map(this.#pasts);
    try {
      while (taken.length < count) {
        await this.#fill(count, signal);
        if (!this.#takeRun(taken, count)) break;
      }
    } catch (error) {
      for (const { member, line } of taken.reverse()) before.get(member)?.lines.push(line);
      // One of them may have left meanwhile.
      for (const [member, past] of before) this.#pasts.set(member, past);
      this.#forgetEnded();
      throw error;
    }
    this.#horizon =
      taken.findLast(({ line }) => line.timestamp !== '')?.line.timestamp ?? this.#horizon;
    this.#forgetEnded();
    const isStart = this.#pasts.size === 0;
    return { lines: taken.reverse(), isStart, horizon: this.#horizon };
  }

  #forgetEnded(): void {
    for (const [member, { lines, isStart }] of this.#pasts)
      if (isStart && lines.length === 0) this.#pasts.delete(member);
  }

  /** Afterwards every log has a line to compare, or none at all. */
  async #fill(count: number, signal: AbortSignal): Promise<void> {
    const empty = [...this.#pasts.values()].filter((past) => isEmpty(past));
    const share = Math.ceil(count / Math.max(1, this.#pasts.size));
    const size = Math.max(SMALLEST_PAGE, share);
    const results = await Promise.allSettled(empty.map((past) => fill(past, size, signal)));
    for (const result of results) if (result.status === 'rejected') throw asError(result.reason);
  }

  /** Takes the latest lines there are of one log, up to what another has. */
  #takeRun(taken: MemberLine[], count: number): boolean {
    let [latest, next]: [readonly [number, Past] | undefined, string] = [undefined, ''];
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
      if (line) taken.push({ member, line });
    } while (taken.length < count && past.lines.length > 0 && !isLaterStamp(next, stampOf(past)));
    return true;
  }
}

/** A line, and whose it is. */
export interface MemberLine {
  readonly member: number;
  readonly line: LogLine;
}

/** Lines of several logs before those that came, the oldest first. */
export interface MergedPage {
  readonly lines: readonly MemberLine[];
  /** Whether no member has any before these. */
  readonly isStart: boolean;
  /** The stamp back to which every member's lines are given; empty where no line has one. */
  readonly horizon: string;
}

/** Reads a page of one log, as `ContainerLog.older`. */
export type ReadOlderPage = (
  count: number,
  signal: AbortSignal,
) => Promise<{ readonly lines: readonly LogLine[]; readonly isStart: boolean }>;

/** One log's older lines that were read and not given yet, the oldest first. */
interface Past {
  readonly read: ReadOlderPage;
  lines: LogLine[];
  isStart: boolean;
}

const SMALLEST_PAGE = 64;

function isEmpty({ lines, isStart }: Past): boolean {
  return lines.length === 0 && !isStart;
}

async function fill(past: Past, size: number, signal: AbortSignal): Promise<void> {
  while (isEmpty(past)) {
    signal.throwIfAborted();
    try {
      const page = await past.read(size, signal);
      past.lines = [...page.lines];
      past.isStart = page.isStart || page.lines.length === 0;
      // A large page was long work.
      await yieldToEventLoop();
    } catch (error) {
      // What is gone, or cannot be read, keeps nobody from reading the others; what passes is asked for again.
      const passes = isLost(error) || failedWith(error, 'disconnected', 'sshFull');
      if (passes || !(error instanceof EngineError)) throw error;
      past.isStart = true;
      if (failedWith(error, 'notFound')) return;
    }
  }
}

/** What has no stamp comes at once: there is nothing to compare. */
function stampOf({ lines }: Past): string {
  const stamp = lines.at(-1)?.timestamp ?? '';
  return stamp === '' ? LAST : stamp;
}

const LAST = '9999-12-31T23:59:59.999999999Z';
