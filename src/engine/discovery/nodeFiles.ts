import { constants } from 'node:fs';
import { open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises';

import type { FileReader, Machine } from './endpoint.ts';

/** Nobody writes so much by hand; what is longer is not what it claims to be. */
const LONGEST_FILE = 4 * 1024 * 1024;
const MOST_NAMES = 10_000;

/** The files of this machine. Nothing but plain files is ever opened: a pipe would never end. */
export const nodeFiles: FileReader = {
  readText: async (path) => {
    try {
      return (await stat(path)).isFile() ? await readPlainFile(path) : undefined;
    } catch {
      return undefined;
    }
  },
  list: async (folder) => {
    try {
      return (await readdir(folder)).slice(0, MOST_NAMES);
    } catch {
      return [];
    }
  },
  kindOf: async (path) => {
    try {
      const found = await stat(path);
      if (found.isSocket()) return 'socket';
      if (found.isFile()) return 'file';
      return found.isDirectory() ? 'folder' : undefined;
    } catch {
      return undefined;
    }
  },
  realPathOf: async (path) => realpath(path).catch(() => path),
};

/** The files of a machine: its own, or this one's. */
export function filesOf(machine: Machine): FileReader {
  return machine.files ?? nodeFiles;
}

async function readPlainFile(path: string): Promise<string | undefined> {
  // The file may have been replaced since the look at it, so opening must not wait for a writer either.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > LONGEST_FILE) return undefined;
    return (await readAtMost(file, LONGEST_FILE))?.toString('utf8').replace(/^\uFEFF/, '');
  } finally {
    await file.close();
  }
}

/** All of a file; undefined where it is longer than it said. */
async function readAtMost(file: FileHandle, limit: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(64 * 1024));
    if (bytesRead === 0) return Buffer.concat(parts);
    length += bytesRead;
    if (length > limit) return undefined;
    parts.push(buffer.subarray(0, bytesRead));
  }
}
