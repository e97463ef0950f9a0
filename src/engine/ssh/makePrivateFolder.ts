import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** ssh adds 17 characters while it binds, and no system takes more than 103. */
const LONGEST_BASE = 60;

/**
 * Makes a folder that only this user may look inside, for sockets and what ssh runs.
 *
 * @param base where, if a socket fits there.
 */
export function makePrivateFolder(base: string = tmpdir()): string {
  // What ssh would read more into has no place in the path of a socket.
  const isFit = base.length <= LONGEST_BASE && /^[\w./-]+$/.test(base);
  return mkdtempSync(join(isFit ? base : '/tmp', 'gantry-'));
}

const REMOVALS = 3;

/** Removes a folder; does not fail. What ssh adds or removes there at the same moment makes a removal stop half-way. */
export function removeFolder(folder: string): void {
  for (let tries = 0; tries < REMOVALS && existsSync(folder); tries++) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Once ssh has ended the next one will do.
    }
  }
}
