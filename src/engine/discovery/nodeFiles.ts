import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';

import { readStart } from '../../base/readLocalFile.ts';
import type { FileReader, Machine } from '../http/endpoint.ts';

/** A larger file is not a configuration file written by hand. */
const LONGEST_FILE = 4 * 1024 * 1024;
const MOST_NAMES = 10_000;

/** The files of the local machine. Opens only regular files: reading a named pipe would never end. */
export const nodeFiles: FileReader = {
  readText: (path) => readPlainFile(path).catch(() => undefined),
  list: async (folder) => {
    const names = await readdir(folder).catch(() => []);
    return names.slice(0, MOST_NAMES);
  },
  kindOf: async (path) => {
    const found = await stat(path).catch(() => undefined);
    if (found?.isSocket()) return 'socket';
    if (found?.isFile()) return 'file';
    return found?.isDirectory() ? 'folder' : undefined;
  },
  realPathOf: async (path) => realpath(path).catch(() => path),
};

/** Returns the files of a machine, by default those of the local machine. */
export function filesOn(machine: Machine): FileReader {
  return machine.files ?? nodeFiles;
}

async function readPlainFile(path: string): Promise<string | undefined> {
  if (!(await stat(path)).isFile()) return undefined;
  // The file may have been replaced since the `stat`, so opening must not block on a named pipe either.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > LONGEST_FILE) return undefined;
    // Its size may be wrong, as in `/proc`.
    const bytes = await readStart(file, LONGEST_FILE + 1);
    if (bytes.length > LONGEST_FILE) return undefined;
    return bytes.toString('utf8').replace(/^\uFEFF/, '');
  } finally {
    await file.close();
  }
}
