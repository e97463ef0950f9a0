import { readdirSync, readFileSync } from 'node:fs';

/** Fields of /proc/PID/stat behind the program's name, counted from the state. */
const FIELD = { parent: 1, group: 2, childFaults: 8 } as const;

/** The extension hosts in a server's group of processes. */
export function hostsOf(group: number): readonly number[] {
  return allPids()
    .filter((pid) => Number(statOf(pid)[FIELD.group]) === group)
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes('--type=extensionHost'));
}

/** Milliseconds of processor time that a process has used, all its threads together. */
export function cpuMs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const nanos = tasks.map((task) => read(`/proc/${pid}/task/${task}/schedstat`).split(' ')[0]);
  return nanos.reduce((sum, one) => sum + Number(one), 0) / 1e6;
}

/** Megabytes a process has in memory. */
export function residentMB(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(kilobytes) / 1000;
}

/** The processes that a process has started and that still run. */
export function childrenOf(pid: number): readonly number[] {
  return allPids().filter((child) => Number(statOf(child)[FIELD.parent]) === pid);
}

/** Grows with every child that has ended, however short it lived: each has touched some memory. */
export function childFaults(pid: number): number {
  return Number(statOf(pid)[FIELD.childFaults]);
}

function allPids(): readonly number[] {
  return readdirSync('/proc').map(Number).filter(Number.isSafeInteger);
}

function statOf(pid: number): readonly string[] {
  const text = read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Empty where the process has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
