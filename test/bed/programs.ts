// Programs that the runner starts: their output goes to the step's sink, and they end with the runner.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Receives the output of a program. */
export type Sink = (text: string) => void;

/** Longest run time in milliseconds; after that, a program is considered hung. */
const LIMIT = 45 * 60_000;
/** Time in milliseconds that a program has to exit after SIGTERM. */
const GRACE = 8_000;

const root = process.cwd();
const running = new Set<() => void>();
let stopped = false;

/**
 * Runs a program to its end; resolves to its exit code. A program without output for `silence` milliseconds is
 * killed.
 */
export async function run(
  argv: readonly string[],
  sink: Sink,
  env: NodeJS.ProcessEnv = {},
  silence = LIMIT,
): Promise<number> {
  if (stopped) return 130;
  const [file, ...args] = argv;
  const child = spawn(file!, args, {
    cwd: root,
    env: { ...process.env, ...colours(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), GRACE).unref();
  };
  running.add(end);
  const late = setTimeout(() => {
    sink(`Not done after ${LIMIT / 60_000} minutes; ended.\n`);
    end();
  }, LIMIT);
  const silent = setTimeout(() => {
    sink(`Nothing heard for ${silence / 60_000} minutes; ended.\n`);
    end();
  }, silence);
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      silent.refresh();
      sink(text);
    });
  await once(child, 'exit');
  clearTimeout(late);
  clearTimeout(silent);
  running.delete(end);
  return child.exitCode ?? 1;
}

/** Ends all programs and prevents new ones from starting. */
export function stopPrograms(): void {
  stopped = true;
  for (const end of running) end();
}

/** Returns whether `stopPrograms` was called. */
export function isStopped(): boolean {
  return stopped;
}

function colours(): NodeJS.ProcessEnv {
  return process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
}
