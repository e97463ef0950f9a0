import { withTimeout } from '../../base/time.ts';
import { EngineError, failedWith } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { badAnswer } from '../http/readReply.ts';
import { ByteStore } from '../wire/byteStore.ts';
import { OutputFrames } from '../wire/outputFrames.ts';
import { createExec, startExec, waitForExecExit, type ExecSpec } from './exec.ts';

/**
 * Runs a program in a running container until it exits.
 *
 * @param options `limitMs`: how long to wait, by default 10 s; `outputLimit`: in bytes, by default 1 MiB. The process
 *   is not ended by either.
 * @returns undefined if the container has no such program, or does not run.
 * @throws EngineError `timeout`.
 */
export async function runExec(
  connection: Connection,
  containerId: string,
  process: readonly string[] | ProcessSpec,
  { limitMs = 10_000, outputLimit = 1024 * 1024 }: ExecLimits = {},
  signal?: AbortSignal,
): Promise<ExecResult | undefined> {
  const spec = 'command' in process ? process : { command: process };
  const operation = `exec ${spec.command[0] ?? ''}`;
  const limitSeconds = limitMs / 1000;
  const late = (): EngineError => new EngineError('timeout', { operation, limitSeconds });
  return withTimeout(limitMs, late, signal, async (both) => {
    try {
      const { stdout, ...result } = await runProcess(
        connection,
        containerId,
        spec,
        outputLimit,
        both,
      );
      const isRun = result.exitCode === undefined || !NOT_RUN.includes(result.exitCode);
      return isRun ? { output: stdout.toString('utf8'), stdout, ...result } : undefined;
    } catch (error) {
      // How an engine refuses a missing program differs.
      if (failedWith(error, 'conflict', 'badRequest', 'failed', 'notFound')) return undefined;
      throw error;
    }
  });
}

interface ExecLimits {
  readonly limitMs?: number;
  readonly outputLimit?: number;
}

/** A program to run in a container, with what it reads from STDIN. */
export interface ProcessSpec extends Pick<ExecSpec, 'command' | 'env' | 'user' | 'workingDir'> {
  readonly input?: Uint8Array;
}

/** Output of a process in a container, and its exit code. */
export interface ProcessResult {
  /** Cut at the limit, as `stderr` is. */
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Whether the output is complete. */
  readonly isWhole: boolean;
  /** Undefined if the engine does not report it. */
  readonly exitCode: number | undefined;
}

export interface ExecResult extends ProcessResult {
  /** `stdout` as text, not cleaned. */
  readonly output: string;
}

/** The exit codes if a program is not executable or does not exist. */
const NOT_RUN: readonly number[] = [125, 126, 127];

/**
 * Runs a process in a running container and waits for its end. Reading stops at the limit, and the process may go on.
 *
 * @param outputLimit of each of both outputs, in bytes.
 * @throws EngineError as the engine refuses a process, which differs: also an exit code of 125 to 127 can mean that
 *   it did not run; `badAnswer` if a proxy lets no input through.
 */
export async function runProcess(
  connection: Connection,
  containerId: string,
  { input, ...spec }: ProcessSpec,
  outputLimit: number,
  signal?: AbortSignal,
): Promise<ProcessResult> {
  const whole = { ...spec, hasTty: false, hasInput: input !== undefined };
  const execId = await createExec(connection, containerId, whole, signal);
  const output = await readOutput(connection, execId, { input, outputLimit }, signal);
  return { ...output, exitCode: await waitForExecExit(connection, execId, signal) };
}

async function readOutput(
  connection: Connection,
  execId: string,
  { input, outputLimit }: { readonly input: Uint8Array | undefined; readonly outputLimit: number },
  signal: AbortSignal | undefined,
): Promise<Omit<ProcessResult, 'exitCode'>> {
  const stream = await startExec(connection, execId, { hasTty: false }, signal);
  if (input !== undefined && !stream.acceptsInput) {
    stream.close();
    throw badAnswer(connection, `POST /exec/${execId}/start`);
  }
  // Beside the output: a program that waits for its output to be read does not read on.
  if (input !== undefined) void stream.write(input).then(() => stream.end());
  const frames = new OutputFrames();
  const stores = { stdout: new ByteStore(), stderr: new ByteStore() };
  let isWhole = true;
  try {
    for await (const chunk of stream.output) {
      for (const { source, bytes } of frames.push(chunk)) stores[source].add(bytes);
      isWhole = stores.stdout.size <= outputLimit && stores.stderr.size <= outputLimit;
      if (!isWhole) break;
    }
  } catch (error) {
    // Podman may cut the connection if there is no such program. The exit code shows it.
    if (!failedWith(error, 'cut')) throw error;
    isWhole = false;
  }
  const bounded = (store: ByteStore): Buffer => store.drain().subarray(0, outputLimit);
  return { stdout: bounded(stores.stdout), stderr: bounded(stores.stderr), isWhole };
}
