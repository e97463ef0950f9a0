import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { delay } from '../../../src/base/time.ts';
import { median } from '../figures.ts';

/** The indices of fields in /proc/PID/stat after the program name, where the state is 0. */
const GROUP_FIELD = 2;
const USER_FIELD = 11;
const SYSTEM_FIELD = 12;
/** The unit of CPU times there: Linux counts in hundredths of a second on all its architectures. */
const TICK_MS = 10;

/** Returns the extension hosts in the process group of a server. */
export function hostsOf(group: number): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isSafeInteger(pid) && groupOf(pid) === group)
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes('--type=extensionHost'));
}

/** Returns the processes in the same PID namespace as one: an engine of the bed without its containers. */
export function neighboursOf(pid: number): readonly number[] {
  const space = spaceOf(pid);
  return readdirSync('/proc')
    .map(Number)
    .filter((one) => Number.isSafeInteger(one) && spaceOf(one) === space);
}

/** Returns the CPU time used by processes together, with that of threads that have ended, in milliseconds. */
export function cpuTogetherMs(pids: readonly number[]): number {
  const times = pids.map(statOf).flatMap((stat) => [stat[USER_FIELD], stat[SYSTEM_FIELD]]);
  return times.reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0);
}

/** Returns the CPU time used by all threads of a process, in milliseconds. */
export function cpuMs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const nanos = tasks.map((task) => read(`/proc/${pid}/task/${task}/schedstat`).split(' ')[0]);
  return nanos.reduce((sum, one) => sum + Number(one), 0) / 1e6;
}

/** Returns a function that returns the median of the CPU time that each process has used since now. */
export function cpuSince(pids: readonly number[]): () => number {
  const before = pids.map(cpuMs);
  return () => median(pids.map((pid, index) => cpuMs(pid) - (before[index] ?? NaN)));
}

/** Returns how much of one core a process uses, in percent. */
export async function busyShare(pid: number, milliseconds: number): Promise<number> {
  const [before, startedAt] = [cpuMs(pid), performance.now()];
  await delay(milliseconds);
  return ((cpuMs(pid) - before) / (performance.now() - startedAt)) * 100;
}

/** Returns the resident memory of a process in megabytes. */
export function residentMB(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(kilobytes) / 1000;
}

function groupOf(pid: number): number {
  return Number(statOf(pid)[GROUP_FIELD]);
}

function statOf(pid: number): readonly string[] {
  const text = read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Returns undefined if the process has exited. */
function spaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

/** Returns an empty string if the process has exited. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
