// Finds what a run has left on the machine. Everything a run starts has the run's folder in its
// environment (as TMPDIR), in its command line or in its path: by that name it is found again.
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** What is removed a moment after its owner has gone (by a bed's reaper) has this long. */
const PATIENCE = 10_000;

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Gone meanwhile, or another user's.
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
 * Groups of beds in that folder: a bed's group has its folder's name.
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

/** The tree changes while it is read: what is gone has nothing in it. @param {string} path */
function folders(path) {
  try {
    const inside = readdirSync(path, { withFileTypes: true });
    return inside.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
  } catch {
    return [];
  }
}

/**
 * The name of the cgroups of a bed with that folder.
 *
 * @param {string} folder
 */
export function groupName(folder) {
  return folder.split('/').filter(Boolean).join('-');
}

/** Words for a process. @param {number} pid */
function describe(pid) {
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(0, 120);
  return `process ${pid}: ${command}`;
}

/**
 * What is left of the run with this folder, in words; waits a little for what is about to go.
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
 * Ends what `findLeft` found as far as this process may, and removes the folder.
 *
 * @param {string} folder
 */
export function removeLeft(folder) {
  for (const pid of processes(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone meanwhile.
    }
  }
  for (const group of groups(folder)) removeGroup(group);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** The kernel removes a group only when it is empty, so from the leaves. @param {string} path */
function removeGroup(path) {
  for (const inside of folders(path)) removeGroup(inside);
  try {
    rmdirSync(path);
  } catch {
    // Its processes are on their way out; nothing but an empty name is left.
  }
}
