/** Additional processes in a container: `/containers/{id}/exec` and `/exec/{id}`. */

import { delay, nextPause } from '../../base/time.ts';
import { capabilitiesOf } from '../capabilities/capabilities.ts';
import type { Connection } from '../http/connection.ts';
import { containerPath, asNumber, asRecord, asText } from '../wire/wire.ts';
import { badAnswer } from '../http/readReply.ts';
import type { DuplexStream } from '../http/duplexStream.ts';

/** The size of a terminal in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A key sequence that users do not press. With the default keys, engines hold back Ctrl+P until the next key. */
export const NO_DETACH_KEYS = 'ctrl-^,ctrl-@,ctrl-^,ctrl-_';

/** The command of an exec instance and its options. */
export interface ExecSpec {
  /** The executable and its arguments, not parsed by a shell. */
  readonly command: readonly string[];
  /** `NAME=value`; added to the environment of the container. */
  readonly env?: readonly string[];
  /** `name`, `uid` or `uid:gid`; the user of the container by default. */
  readonly user?: string;
  /** Absolute; by default that of the container. */
  readonly workingDir?: string;
  /** Whether it has a TTY and STDIN. */
  readonly hasTty: boolean;
  /** Whether it has STDIN without a TTY. */
  readonly hasInput?: boolean;
  readonly size?: TerminalSize;
}

/**
 * Creates an exec instance: `POST /containers/{id}/exec`.
 *
 * @returns its ID, which {@link startExec} accepts once.
 * @throws EngineError `conflict` or, on some engines, `failed` if the container is not running.
 */
export async function createExec(
  connection: Connection,
  containerId: string,
  { command, env = [], user, workingDir, hasTty, hasInput = hasTty, size }: ExecSpec,
  signal?: AbortSignal,
): Promise<string> {
  const path = containerPath(containerId, 'exec');
  const streams = { AttachStdin: hasInput, AttachStdout: true, AttachStderr: true };
  const tty = { Tty: hasTty, DetachKeys: hasTty ? NO_DETACH_KEYS : undefined };
  const process = { Cmd: command, Env: env, User: user, WorkingDir: workingDir };
  const body = { ...streams, ...tty, ...process, ...sizeOnWire(size) };
  const reply = await connection.send({ method: 'POST', path, body, signal });
  const id = asText(asRecord(reply.json())['Id']);
  if (id === '') throw badAnswer(connection, `POST ${path}`);
  return id;
}

/**
 * Starts an exec instance with its input and output: `POST /exec/{id}/start`. The output is raw with a TTY, and
 * in frames without. If the command cannot be run, the error message of the engine is its output, and only the
 * exit code shows it.
 *
 * @param spec the values of `createExec`: the engine uses those given here.
 * @param signal closes the connection, which does not end the process.
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

/** Starts an exec instance without its input and output: `POST /exec/{id}/start`. */
export async function startDetachedExec(
  connection: Connection,
  execId: string,
  signal?: AbortSignal,
): Promise<void> {
  const body = { Detach: true, Tty: false };
  await connection.send({ method: 'POST', path: execPath(execId, 'start'), body, signal });
}

/**
 * Sets the size of its TTY: `POST /exec/{id}/resize`. Before the command runs, an engine may delay the request
 * for long and then refuse it, so wait for the first output.
 */
export const resizeExec = resizing((id) => execPath(id, 'resize'));

/** State of an exec instance. */
export interface ExecState {
  readonly isRunning: boolean;
  readonly exitCode: number | undefined;
  /** Outside the container; 0 if no process was started, and on some engines also after it has exited. */
  readonly pid: number;
}

/** Returns its state: `GET /exec/{id}/json`. @throws EngineError `notFound` some minutes after it has exited. */
export async function inspectExec(
  connection: Connection,
  execId: string,
  signal?: AbortSignal,
): Promise<ExecState> {
  const path = execPath(execId, 'json');
  const wire = asRecord((await connection.send({ method: 'GET', path, signal })).json());
  const isRunning = wire['Running'] === true;
  const exitCode = isRunning ? undefined : asNumber(wire['ExitCode']);
  return { isRunning, exitCode, pid: asNumber(wire['Pid']) ?? 0 };
}

const FIRST_LOOK_MS = 20;
const LONGEST_LOOK_MS = 500;
const MOST_LOOKS = 12;

/**
 * Resolves to the exit code after the output has ended, because an engine may record the exit a little later. Resolves
 * to undefined if the process keeps running without its output or the engine does not report the exit code.
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

/** Time limit of a resize in milliseconds: by then the size may have changed again. */
const RESIZE_LIMIT_MS = 5000;

/**
 * Returns a function that sets the size of a terminal, of a container or of an exec instance. It resolves to whether
 * the engine certainly applies the last of several sizes.
 */
export function resizing(pathOf: (id: string) => string) {
  return async (
    connection: Connection,
    id: string,
    { columns, rows }: TerminalSize,
    signal?: AbortSignal,
  ): Promise<boolean> => {
    const query = { h: rows, w: columns };
    const request = { method: 'POST', path: pathOf(id), query, signal } as const;
    await connection.send({ ...request, limitMs: RESIZE_LIMIT_MS });
    return capabilitiesOf(await connection.info(signal)).appliesLastSize;
  };
}

function sizeOnWire(size: TerminalSize | undefined): object {
  return size ? { ConsoleSize: [size.rows, size.columns] } : {};
}

function execPath(id: string, operation: string): string {
  return `/exec/${encodeURIComponent(id.toWellFormed())}/${operation}`;
}
