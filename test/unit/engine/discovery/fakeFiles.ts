import { createHash } from 'node:crypto';

import type { FileReader, Machine } from '../../../../src/engine/http/endpoint.ts';

/** A socket in {@link fakeFiles}. */
export const SOCKET = Symbol('socket');
/** A file without read permission. */
export const LOCKED = Symbol('locked');

/**
 * Returns a file system with these files. Folders are derived from the paths; a path that ends in `/` is a
 * folder.
 */
export function fakeFiles(files: Readonly<Record<string, string | symbol>>): FileReader {
  const paths = Object.keys(files);
  const isFolder = (path: string): boolean =>
    paths.some((one) => one.startsWith(path.replace(/[\\/]?$/, separatorOf(path))));
  return {
    readText: (path) => {
      const found = files[path];
      return Promise.resolve(typeof found === 'string' ? found : undefined);
    },
    list: (folder) => {
      const start = folder.replace(/[\\/]?$/, separatorOf(folder));
      const below = paths.filter((path) => path.startsWith(start) && path !== start);
      return Promise.resolve([
        ...new Set(below.map((path) => path.slice(start.length).split(/[\\/]/, 1)[0] ?? '')),
      ]);
    },
    kindOf: (path) => {
      if (Object.hasOwn(files, path)) {
        return Promise.resolve(files[path] === SOCKET ? 'socket' : 'file');
      }
      return Promise.resolve(isFolder(path) ? 'folder' : undefined);
    },
  };
}

/** Returns a Linux machine with these files and environment variables. The home folder is `/home/me`. */
export function machineWith(
  files: Readonly<Record<string, string | symbol>>,
  env: Readonly<Record<string, string>> = {},
  more: Partial<Machine> = {},
): Machine {
  return { platform: 'linux', home: '/home/me', env, files: fakeFiles(files), ...more };
}

/** Returns the path of a context's metadata file, or of one of its certificates. */
export function contextFile(name: string, tlsFile?: string): string {
  const id = createHash('sha256').update(name).digest('hex');
  const store = '/home/me/.docker/contexts';
  return tlsFile === undefined
    ? `${store}/meta/${id}/meta.json`
    : `${store}/tls/${id}/docker/${tlsFile}`;
}

/** Returns a context's metadata as Docker writes it. */
export function contextText(name: string, host: string, more: object = {}): string {
  const docker = { Host: host, SkipTLSVerify: false, ...more };
  return JSON.stringify({ Name: name, Metadata: {}, Endpoints: { docker } });
}

function separatorOf(path: string): string {
  return path.includes('\\') ? '\\' : '/';
}
