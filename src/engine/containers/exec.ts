/** Programs that are run in a container beside its own: `/containers/{id}/exec` and `/exec/{id}`. */

import { delay, nextPause } from '../../time.ts';
import type { Connection } from '../http/connection.ts';
import { containerPath } from './containers.ts';
import { badAnswer } from '../http/readReply.ts';
import type { DuplexStream } from '../http/duplexStream.ts';
import { asNumber, asRecord, asText } from '../wire.ts';

/** How large a terminal is, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Which program, and how. */
export interface ExecSpec {
  /** The program and its arguments, each as it is. */
  readonly command: readonly string[];
  /** `NAME=value`, added to the container's own. */
  readonly env?: readonly string[];
  /** Whether it gets a terminal, and takes input. */
  readonly hasTty: boolean;
  readonly size?: TerminalSize | undefined;
}

/** What is known of a program that was started so. */
export interface ExecState {
  readonly isRunning: boolean;
  /** Undefined while it runs, and where the engine does not tell. */
  readonly exitCode: number | undefined;
}

/**
 * Makes a program ready to run in a container: `POST /containers/{id}/exec`.
 *
 * @returns its id, good for {@link startExec} once.
 * @throws EngineError `conflict` or, on some engines, `failed` where the container does not run.
 */
export async function createExec(
  connection: Connection,
  containerId: string,
  { command, env = [], hasTty, size }: ExecSpec,
  signal?: AbortSignal,
): Promise<string> {
  const path = containerPath(containerId, 'exec');
  const streams = { AttachStdin: hasTty, AttachStdout: true, AttachStderr: true };
  const body = { ...streams, Tty: hasTty, Cmd: command, Env: env, ...sizeOnWire(size) };
  const reply = await connection.send({ method: 'POST', path, body, signal });
  const id = asText(asRecord(reply.json())['Id']);
  if (id === '') throw badAnswer(connection, `POST ${path}`);
  return id;
}

/**
 * Starts it, with its input and output: `POST /exec/{id}/start`. With a terminal the output is what the program
 * writes, as it is; without, it comes in frames. Where it cannot be run, the engine's words about it are its
 * output, and only its exit code tells.
 *
 * @param spec as it was created with: the engine goes by what is said here.
 * @param signal closes the connection, which ends no program.
 */
export async function startExec(
  connection: Connection,
  execId: string,
  { hasTty, size }: Pick<ExecSpec, 'hasTty' | 'size'>,
  signal?: AbortSignal,
): Promise<DuplexStream> {
  const body = { Detach: false, Tty: hasTty, ...sizeOnWire(size) };
  return connection.upgrade({ method: 'POST', path: execPath(execId, 'start'), body, signal });
}

/** Starts it and leaves it alone. */
export async function startDetachedExec(
  connection: Connection,
  execId: string,
  signal?: AbortSignal,
): Promise<void> {
  const body = { Detach: true, Tty: false };
  await connection.send({ method: 'POST', path: execPath(execId, 'start'), body, signal });
}

/**
 * Tells its terminal how large it is: `POST /exec/{id}/resize`. Before the program runs an engine may let one wait
 * for long, and then refuse: ask once there is output.
 */
export async function resizeExec(
  connection: Connection,
  execId: string,
  size: TerminalSize,
  signal?: AbortSignal,
): Promise<void> {
  await sendTerminalSize(connection, execPath(execId, 'resize'), size, signal);
}

/** Asks how it is: `GET /exec/{id}/json`. @throws EngineError `notFound` some minutes after its end. */
export async function inspectExec(
  connection: Connection,
  execId: string,
  signal?: AbortSignal,
): Promise<ExecState> {
  const path = execPath(execId, 'json');
  const wire = asRecord((await connection.send({ method: 'GET', path, signal })).json());
  const isRunning = wire['Running'] === true;
  return { isRunning, exitCode: isRunning ? undefined : asNumber(wire['ExitCode']) };
}

const [FIRST_LOOK_MS, LONGEST_LOOK_MS, MOST_LOOKS] = [20, 500, 12];

/**
 * The exit code after the output has ended: an engine may note the end a little later. Undefined where it goes on
 * running without its output, or the engine does not tell.
 */
export async function waitForExecExit(
  connection: Connection,
  execId: string,
  signal?: AbortSignal,
): Promise<number | undefined> {
  let pause = FIRST_LOOK_MS;
  for (let look = 0; look < MOST_LOOKS; look++) {
    const { isRunning, exitCode } = await inspectExec(connection, execId, signal);
    if (!isRunning) return exitCode;
    await delay(pause, signal);
    pause = nextPause(pause, FIRST_LOOK_MS, LONGEST_LOOK_MS);
  }
  return undefined;
}

/** Milliseconds that an engine may take for a size: there may be another by then. */
const RESIZE_LIMIT_MS = 5000;

/** Tells how large a terminal is: the same for that of a container and of a program in it. */
export async function sendTerminalSize(
  connection: Connection,
  path: string,
  { columns, rows }: TerminalSize,
  signal: AbortSignal | undefined,
): Promise<void> {
  const query = { h: rows, w: columns };
  await connection.send({ method: 'POST', path, query, limitMs: RESIZE_LIMIT_MS, signal });
}

function sizeOnWire(size: TerminalSize | undefined): object {
  return size ? { ConsoleSize: [size.rows, size.columns] } : {};
}

function execPath(id: string, operation: string): string {
  return `/exec/${encodeURIComponent(id.toWellFormed())}/${operation}`;
}
