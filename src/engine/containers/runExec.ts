import { withTimeout } from '../../base/time.ts';
import { EngineError, failedWith } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { ByteStore } from '../wire/byteStore.ts';
import { OutputFrames } from '../wire/outputFrames.ts';
import { createExec, startExec, waitForExecExit } from './exec.ts';

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
  command: readonly string[],
  {
    limitMs = 10_000,
    outputLimit = 1024 * 1024,
  }: { readonly limitMs?: number; readonly outputLimit?: number } = {},
  signal?: AbortSignal,
): Promise<ExecResult | undefined> {
  const operation = `exec ${command[0] ?? ''}`;
  const limitSeconds = limitMs / 1000;
  const late = (): EngineError => new EngineError('timeout', { operation, limitSeconds });
  return withTimeout(limitMs, late, signal, async (both) => {
    try {
      const execId = await createExec(connection, containerId, { command, hasTty: false }, both);
      const output = await readOutput(connection, execId, outputLimit, both);
      const exitCode = await waitForExecExit(connection, execId, both);
      return exitCode !== undefined && NOT_RUN.includes(exitCode)
        ? undefined
        : { ...output, exitCode };
    } catch (error) {
      // How an engine refuses a missing program differs.
      if (failedWith(error, 'conflict', 'badRequest', 'failed', 'notFound')) return undefined;
      throw error;
    }
  });
}

/** Output of a program in a container, and its exit code. */
export interface ExecResult {
  /** Not cleaned, and cut at the limit. */
  readonly output: string;
  /** Whether the output is complete. */
  readonly isWhole: boolean;
  /** Undefined if the engine does not report it. */
  readonly exitCode: number | undefined;
}

/** The exit codes if a program is not executable or does not exist. */
const NOT_RUN: readonly number[] = [125, 126, 127];

async function readOutput(
  connection: Connection,
  execId: string,
  limit: number,
  signal: AbortSignal,
): Promise<Pick<ExecResult, 'output' | 'isWhole'>> {
  const { output } = await startExec(connection, execId, { hasTty: false }, signal);
  const frames = new OutputFrames();
  const bytes = new ByteStore();
  let isWhole = true;
  try {
    for await (const chunk of output) {
      for (const piece of frames.push(chunk)) if (piece.source === 'stdout') bytes.add(piece.bytes);
      isWhole = bytes.size <= limit;
      if (!isWhole) break;
    }
  } catch (error) {
    // Podman may cut the connection if there is no such program. The exit code shows it.
    if (!failedWith(error, 'cut')) throw error;
    isWhole = false;
  }
  return { output: bytes.drain().subarray(0, limit).toString('utf8'), isWhole };
}
