import { readdirSync, readFileSync } from 'node:fs';
import { delay } from '../../../src/base/time.ts';

/** Indexes of fields in /proc/PID/stat after the program name, where the state is 0. */
const FIELD = { parent: 1, group: 2, childFaults: 8 } as const;

/** Returns the extension hosts in the process group of a server. */
export function hostsOf(group: number): readonly number[] {
  return allPids()
    .filter((pid) => Number(statOf(pid)[FIELD.group]) === group)
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes('--type=extensionHost'));
}

/** Returns the CPU time used by all threads of a process, in milliseconds. */
export function cpuMs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const nanos = tasks.map((task) => read(`/proc/${pid}/task/${task}/schedstat`).split(' ')[0]);
  return nanos.reduce((sum, one) => sum + Number(one), 0) / 1e6;
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

/** Returns the running child processes of a process. */
export function childrenOf(pid: number): readonly number[] {
  return allPids().filter((child) => Number(statOf(child)[FIELD.parent]) === pid);
}

/** Grows with every child that has exited, however short-lived: each has caused page faults. */
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

/** Returns an empty string if the process has exited. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
