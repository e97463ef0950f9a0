import { detectLevel } from '../text/detectLevel.ts';
import type { Level } from '../text/level.ts';
import { nextTraceStep, type TraceState, type TraceStep } from '../text/traceStep.ts';

/** Reads lines in order and determines which lines continue the one before, such as the frames of a stack trace. */
export class TraceReader {
  readonly #streams = new Map<number, StreamState>();
  #last: StreamState | undefined;
  /** The number of consecutive continuation lines. */
  #following = 0;

  /** The level of the last line; a frame has the level of its head. Detected only on demand. */
  get level(): Level {
    return this.#last ? headLevel(this.#last) : 'none';
  }

  /**
   * Reads the next line.
   *
   * @param visible the line without escape sequences.
   * @param origin the stream of the line. Each stream has a state of its own.
   * @returns whether the line continues the one before.
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

/** Limit of the lines after a head; the next line is a head again. */
export const MOST_FOLLOWING = 1000;

/** The state of one container's stream. */
interface StreamState {
  trace: TraceState;
  /** The last line that does not continue another. */
  head: string;
  /** The level of `head`; undefined until requested. */
  level: Level | undefined;
}

/** Returns the step as if the level of the line before was known, but detects the level only if it matters. */
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
