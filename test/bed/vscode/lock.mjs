import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { atEnd } from './cleanup.mjs';

/** @param {number} pid */
function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/** @param {string} file */
function holder(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * A hard link is created atomically, so that no process can read a lock file without its holder's PID.
 *
 * @param {string} file
 */
function take(file) {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/**
 * Two processes may find the same dead holder; the second would then remove the first one's new lock. So check
 * again which lock was moved away, and restore it if its holder is alive.
 *
 * @param {string} file
 */
function clearAway(file) {
  const moved = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, moved);
    const pid = holder(moved);
    if (pid !== undefined && alive(pid)) linkSync(moved, file);
  } catch {
    // Another process was faster; the next attempt to take the lock decides.
  } finally {
    rmSync(moved, { force: true });
  }
}

/**
 * Runs `work` while no other process holds the lock `file`.
 *
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {(pid: number) => void} [waiting] called once if another process has the lock
 * @returns {Promise<T>}
 */
export async function locked(file, work, waiting) {
  mkdirSync(dirname(file), { recursive: true });
  let told = false;
  while (!take(file)) {
    const pid = holder(file);
    if (pid !== undefined && !alive(pid)) clearAway(file);
    else if (pid !== undefined && !told) {
      told = true;
      waiting?.(pid);
    }
    await pause(250);
  }
  const release = () => rmSync(file, { force: true });
  const done = atEnd(release);
  try {
    return await work();
  } finally {
    release();
    done();
  }
}
