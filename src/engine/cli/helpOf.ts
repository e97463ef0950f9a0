import { runProgram, type ProgramCall } from '../../base/program.ts';

/** Milliseconds that a program may take to show its help. */
const LIMIT_MS = 10_000;

/** Returns what a program prints as its help; undefined if there is no such program, or it fails. */
export async function helpOf(call: ProgramCall): Promise<string | undefined> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    const { code, stdout } = await runProgram(call, { input: '', signal });
    return code === 0 ? stdout : undefined;
  } catch {
    // Some systems throw for a corrupt program.
    return undefined;
  }
}
