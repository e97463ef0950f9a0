import { detectLevel } from '../text/detectLevel.ts';
import type { Level } from '../text/level.ts';
import { nextTraceStep, type TraceState, type TraceStep } from '../text/traceStep.ts';

/** Reads lines in order and tells which of them belong to the one before: the frames of a stack trace. */
export class TraceReader {
  readonly #streams = new Map<number, StreamState>();
  #last: StreamState | undefined;
  /** How many lines in a row belong to the one before. */
  #following = 0;

  /** Of the last line; a frame has its head's. Is found out only when it is asked for. */
  get level(): Level {
    return this.#last ? headLevel(this.#last) : 'none';
  }

  /**
   * @param visible without escape sequences.
   * @param origin the lines of each are a stream of their own.
   * @returns whether the line belongs to the one before.
   */
  next(visible: string, origin: number): boolean {
    const stream = this.#stream(origin);
    const { isContinuation, after } = stepOf(visible, stream);
    stream.trace = after;
    if (!isContinuation) {
      stream.head = visible;
      stream.level = undefined;
    }
    const isAdjacent = stream === this.#last && this.#following < MOST_FOLLOWING;
    const belongs = isContinuation && isAdjacent;
    this.#following = belongs ? this.#following + 1 : 0;
    this.#last = stream;
    return belongs;
  }

  #stream(origin: number): StreamState {
    const known = this.#streams.get(origin);
    if (known) return known;
    const stream: StreamState = { trace: 'none', head: '', level: 'none' };
    this.#streams.set(origin, stream);
    return stream;
  }
}

/** So many lines may follow a head; what goes on after them is a head again. */
export const MOST_FOLLOWING = 1000;

/** Where one container's stream is. */
interface StreamState {
  trace: TraceState;
  /** The last line that belongs to none before it. */
  head: string;
  /** Of `head`; absent until it is asked for. */
  level: Level | undefined;
}

/** As if the level of the line before was known, but that is found out for very few lines. */
function stepOf(visible: string, stream: StreamState): TraceStep {
  const step = nextTraceStep(visible, stream.trace);
  if (step.isContinuation || stream.trace !== 'none') return step;
  const other = nextTraceStep(visible, 'error');
  return other.isContinuation && isBad(headLevel(stream)) ? other : step;
}

function headLevel(stream: StreamState): Level {
  return (stream.level ??= detectLevel(stream.head));
}

function isBad(level: Level): boolean {
  return level === 'error' || level === 'fatal' || level === 'warning';
}
