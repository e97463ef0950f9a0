/** The output of a container, attached to again when only the connection has ended. */

import type { ContainerDetails } from '../engine/containers/containerDetails.ts';
import { isInterruption } from '../engine/containers/reconnectingWait.ts';
import type { DuplexStream } from '../engine/http/duplexStream.ts';
import { delay, nextPause } from '../time.ts';
import { FramedText, TerminalText } from '../terminal/outputText.ts';

/** Writes what comes from `first` and from each connection after it. Resolves at the end of the output. */
export async function followOutput(first: DuplexStream, parts: FollowOutputOptions): Promise<void> {
  let pauseMs = 0;
  for (let twoWay: DuplexStream | undefined = first; twoWay;) {
    const since = performance.now();
    await show(twoWay, parts);
    const hasStood = performance.now() - since > FIRST_PAUSE_MS;
    pauseMs = hasStood ? FIRST_PAUSE_MS : longer(pauseMs);
    twoWay = await attachAgain(pauseMs, parts);
  }
}

/** What the output is read by. */
export interface FollowOutputOptions {
  readonly attach: () => Promise<DuplexStream>;
  readonly inspect: () => Promise<ContainerDetails>;
  readonly hasTty: boolean;
  /** Takes output as it is; resolves when more may come. */
  readonly write: (text: string) => Promise<void>;
  /** Whether the container was started: before that, its output has not ended. */
  readonly isStarted: () => boolean;
  /** The output goes on after a break of its connection. What was written in between is not shown. */
  readonly onAttachedAgain: () => void;
  /** It cannot be attached to again. */
  readonly onRefused: (error: unknown) => void;
  /** Aborted when the exit code is known: nothing is attached to after that. */
  readonly exited: AbortSignal;
  /** Ends everything. */
  readonly signal: AbortSignal;
}

/** Milliseconds between two tries to attach again: at first, and at most. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;

async function show(
  { output }: DuplexStream,
  { hasTty, write, signal }: FollowOutputOptions,
): Promise<void> {
  const text = hasTty ? new TerminalText() : new FramedText();
  try {
    for await (const chunk of output) await write(text.push(chunk));
  } catch (error) {
    if (!signal.aborted && !isInterruption(error)) throw error;
  }
}

/** Attaches again where the container still runs, so that only the connection has ended. */
async function attachAgain(
  firstPauseMs: number,
  { attach, inspect, isStarted, onAttachedAgain, onRefused, exited }: FollowOutputOptions,
): Promise<DuplexStream | undefined> {
  for (let pauseMs = firstPauseMs; ; pauseMs = longer(pauseMs)) {
    try {
      // Output that ended with its process: by then the exit is told. One engine would make it ready to run again.
      await delay(pauseMs, exited);
      if (!isStarted()) continue;
      if (!(await inspect()).isRunning) return undefined;
      const twoWay = await attach();
      onAttachedAgain();
      return twoWay;
    } catch (error) {
      if (exited.aborted) return undefined;
      if (!isInterruption(error)) {
        onRefused(error);
        return undefined;
      }
    }
  }
}

function longer(pauseMs: number): number {
  return nextPause(pauseMs, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
}
