// Programs the runner runs: their output goes where the step wants it, and they end with the runner.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Takes what a program prints. */
export type Sink = (text: string) => void;

/** After that a program is taken to hang. */
const LIMIT = 45 * 60_000;
/** How long a program has to end itself when asked to. */
const GRACE = 8_000;

const root = process.cwd();
const running = new Set<() => void>();
let stopped = false;

/** Runs a program to its end; resolves to its exit status. */
export async function run(
  argv: readonly string[],
  sink: Sink,
  env: NodeJS.ProcessEnv = {},
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
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', sink);
  await once(child, 'exit');
  clearTimeout(late);
  running.delete(end);
  return child.exitCode ?? 1;
}

/** Ends all programs and lets no other start. */
export function stopPrograms(): void {
  stopped = true;
  for (const end of running) end();
}

/** Whether `stopPrograms` was called. */
export function isStopped(): boolean {
  return stopped;
}

function colours(): NodeJS.ProcessEnv {
  return process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
}
