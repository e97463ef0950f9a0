// Finds what a run has left behind on the machine. Everything that a run starts has the run's folder in its
// environment (as TMPDIR), its command line or its path, and is found by that name.
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Grace period in milliseconds for what a bed's reaper removes shortly after the owner has gone. */
const PATIENCE = 10_000;

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Gone by now, or owned by another user.
    return '';
  }
}

/** @param {string} folder */
function processes(folder) {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) =>
      ['environ', 'cmdline'].some((file) => read(`/proc/${pid}/${file}`).includes(folder)),
    )
    .map(Number);
}

/** @param {string} folder */
function mounts(folder) {
  const lines = read('/proc/self/mounts').split('\n');
  return lines.filter((line) => line.includes(folder)).map((line) => line.split(' ')[1] ?? line);
}

/** @param {string} folder */
function entries(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => join(folder, name));
}

/**
 * Returns the cgroups of beds in that folder; a group is named after its bed's folder.
 *
 * @param {string} folder
 * @param {string} [tree]
 * @returns {string[]}
 */
function groups(folder, tree = '/sys/fs/cgroup') {
  return folders(tree).flatMap((path) =>
    basename(path).startsWith(groupName(folder)) ? [path] : groups(folder, path),
  );
}

/** The tree changes while it is read: a folder that is gone counts as empty. @param {string} path */
function folders(path) {
  try {
    const inside = readdirSync(path, { withFileTypes: true });
    return inside.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
  } catch {
    return [];
  }
}

/**
 * Returns the name of the cgroups of the bed with that folder.
 *
 * @param {string} folder
 */
export function groupName(folder) {
  return folder.split('/').filter(Boolean).join('-');
}

/** Describes a process for the report. @param {number} pid */
function describe(pid) {
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(0, 120);
  return `process ${pid}: ${command}`;
}

/**
 * Resolves to descriptions of what is left of the run with this folder; waits for what is about to disappear.
 *
 * @param {string} folder
 * @param {number} [patience]
 * @returns {Promise<string[]>}
 */
export async function findLeft(folder, patience = PATIENCE) {
  const deadline = Date.now() + patience;
  for (;;) {
    const left = [
      ...processes(folder).map(describe),
      ...mounts(folder).map((path) => `mount ${path}`),
      ...groups(folder).map((path) => `cgroup ${path}`),
      ...entries(folder).map((path) => `file ${path}`),
    ];
    if (left.length === 0 || Date.now() > deadline) return left;
    await pause(100);
  }
}

/**
 * Kills and removes what `findLeft` found, as far as permissions allow, and removes the folder.
 *
 * @param {string} folder
 */
export function removeLeft(folder) {
  for (const pid of processes(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone by now.
    }
  }
  for (const group of groups(folder)) removeGroup(group);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** The kernel only removes empty groups, so children first. @param {string} path */
function removeGroup(path) {
  for (const inside of folders(path)) removeGroup(inside);
  try {
    rmdirSync(path);
  } catch {
    // Its processes are about to exit; only an empty group is left.
  }
}
