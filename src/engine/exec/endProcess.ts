import { delay, monotonicClock, nextPause } from '../../base/time.ts';
import { failedWith } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { inspectExec, type ExecSpec } from './exec.ts';
import { runExec } from './runExec.ts';

/**
 * Ends a process in a container with the processes of its session: by SIGTERM, or SIGHUP with a TTY as if a terminal
 * was closed, and after a while by SIGKILL. What has left the session, like a daemon, goes on. Nothing can be found
 * without `sh` in the container, or if the process has changed its user.
 *
 * @returns whether it has certainly ended; never rejects.
 */
export async function endProcess(
  connection: Connection,
  process: MarkedProcess,
  { graceMs = GRACE_MS }: { readonly graceMs?: number } = {},
): Promise<boolean> {
  const { user, hasTty } = process;
  const steps = [
    { signal: hasTty ? 'HUP' : 'TERM', user, limitMs: graceMs },
    { signal: 'KILL', user, limitMs: KILL_MS },
    // A process of the session may have another user.
    { signal: 'KILL', user: '0', limitMs: KILL_MS },
  ];
  let session = '';
  for (const step of steps) {
    const found = await sendSignal(connection, process, { ...step, session });
    // What was asked to end while nothing could be found may still end by itself.
    if (!found) break;
    ({ session } = found);
    if (await isGoneWithin(connection, process, { ...step, session })) return true;
  }
  return hasExited(connection, process);
}

/** The variable by which {@link endProcess} finds a process in its container: engines tell no ID that is valid there. */
export const MARK_VARIABLE = 'GANTRY_EXEC';

/** A process that was started in a container with {@link MARK_VARIABLE}. */
export interface MarkedProcess extends Pick<ExecSpec, 'user' | 'hasTty'> {
  readonly containerId: string;
  readonly execId: string;
  /** The value of the variable: letters and digits that occur nowhere else. */
  readonly mark: string;
}

const GRACE_MS = 5000;
const KILL_MS = 1500;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 800;
const SCRIPT_LIMIT_MS = 5000;

interface Step {
  /** By its name; `0` sends none. */
  readonly signal: string;
  readonly user: string | undefined;
  /** The ID of the session inside; empty while it is unknown. */
  readonly session: string;
  readonly limitMs: number;
}

async function isGoneWithin(
  connection: Connection,
  process: MarkedProcess,
  step: Step,
): Promise<boolean> {
  let pause = FIRST_PAUSE_MS;
  const end = monotonicClock.now() + step.limitMs;
  while (monotonicClock.now() < end) {
    await delay(pause);
    const left = await sendSignal(connection, process, { ...step, signal: '0' });
    if ((left?.count ?? 0) === 0 && (await hasExited(connection, process))) return true;
    pause = nextPause(pause, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  }
  return false;
}

/** Whether the engine knows that it has exited. It forgets those of a container that stops. */
async function hasExited(connection: Connection, { execId }: MarkedProcess): Promise<boolean> {
  try {
    const { isRunning, exitCode } = await inspectExec(connection, execId);
    // Without an exit code, the engine may still be starting it.
    return !isRunning && exitCode !== undefined;
  } catch (error) {
    return failedWith(error, 'notFound');
  }
}

/** Sends a signal to what can be found of a process. Resolves to undefined if nothing can be looked for. */
async function sendSignal(
  connection: Connection,
  { containerId, mark }: MarkedProcess,
  { signal, user, session }: Step,
): Promise<{ readonly session: string; readonly count: number } | undefined> {
  const command = ['sh', '-c', FIND_AND_SIGNAL, mark, signal, session];
  const limits = { limitMs: SCRIPT_LIMIT_MS, outputLimit: 100 };
  try {
    const result = await runExec(connection, containerId, { command, user }, limits);
    const [, found = '', count] = /^(\d*):(\d+)\n$/.exec(result?.output ?? '') ?? [];
    return count === undefined ? undefined : { session: found, count: Number(count) };
  } catch {
    return undefined;
  }
}

/**
 * Finds the processes with the mark `$0` in their environment, and sends the signal `$1` to all of the session of the
 * oldest of them, or of the session `$2`. Prints the session and the number of processes. Only with what any `sh` has.
 * Engines start each process in a session of its own; where one does not, only those with the mark are meant.
 */
const FIND_AND_SIGNAL = [
  'signal=$1 session=$2 oldest= marked= found=',
  'look() {',
  // The name of the program, in parentheses, may contain anything.
  '  text=; while IFS= read -r line || [ -n "$line" ]; do text="$text $line"; done <"/proc/$1/stat"',
  '  set -- ${text##*) }; state=$1 group=$4 start=${20}',
  '  case $state in "" | Z | X) return 1 ;; esac',
  '}',
  '{',
  'for process in /proc/[0-9]*; do',
  '  while IFS= read -r line || [ -n "$line" ]; do',
  '    case $line in *"$0"*) marked="$marked ${process#/proc/}"; break ;; esac',
  '  done <"$process/environ"',
  'done',
  'if [ -z "$session" ]; then for pid in $marked; do',
  '  look "$pid" || continue',
  '  if [ -z "$oldest" ] || [ "$start" -lt "$oldest" ]; then oldest=$start session=$group; fi',
  'done; fi',
  'case $session in 0 | 1) session= ;; esac',
  'for process in /proc/[0-9]*; do',
  '  pid=${process#/proc/}; look "$pid" || continue',
  '  case "$session:$marked " in',
  '    :*" $pid "* | "$group":*) found="$found $pid" ;;',
  '  esac',
  'done',
  'set -- $found; [ $# -eq 0 ] || kill -"$signal" "$@"',
  '} 2>/dev/null',
  'echo "$session:$#"',
].join('\n');
