import { posix, win32 } from 'node:path';

import type { Machine } from '../http/endpoint.ts';
import { withoutTrailing } from '../../base/plainText.ts';

/** Joins a path by the rules of the machine. */
export function joinPathOn(machine: Machine, ...parts: readonly string[]): string {
  return pathsOn(machine).join(...parts);
}

/** Returns a path below a folder; undefined if the folder is unknown. */
export function pathBelow(
  machine: Machine,
  folder: string | undefined,
  ...parts: readonly string[]
): string | undefined {
  return folder === undefined ? undefined : joinPathOn(machine, folder, ...parts);
}

/** Returns the path functions of the machine's platform. */
export function pathsOn({ platform }: Machine): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

/** Returns the value of a variable; undefined if it is not set or is blank. */
export function readVariable({ env }: Machine, name: string): string | undefined {
  const value = env[name] ?? '';
  return value.trim() === '' ? undefined : value;
}

/** Returns a path below the home folder; undefined if the home folder is unknown. */
export function inHome(machine: Machine, ...parts: readonly string[]): string | undefined {
  const home = isAbsoluteOn(machine, machine.home) ? machine.home : undefined;
  return pathBelow(machine, home, ...parts);
}

/** Returns the folder that a variable names; undefined unless it is an absolute path. */
export function variableFolder(machine: Machine, name: string): string | undefined {
  const value = readVariable(machine, name);
  return value !== undefined && isAbsoluteOn(machine, value) ? value : undefined;
}

/** Returns the folder of Docker's configuration; undefined if the home folder is unknown. */
export function dockerFolder(machine: Machine): string | undefined {
  return variableFolder(machine, 'DOCKER_CONFIG') ?? inHome(machine, '.docker');
}

/** Returns the folder of the user's Podman configuration. */
export function podmanFolder(machine: Machine): string | undefined {
  const isWindows = machine.platform === 'win32';
  return isWindows
    ? pathBelow(machine, variableFolder(machine, 'APPDATA'), 'containers')
    : configFolder(machine, 'containers');
}

/** Returns the folder of the user's configuration of a program, by the XDG rules (not on Windows). */
export function configFolder(machine: Machine, name: string): string | undefined {
  const root = variableFolder(machine, 'XDG_CONFIG_HOME') ?? inHome(machine, '.config');
  return pathBelow(machine, root, name);
}

/** Returns the folders of the user's own sockets: the one of the session, and the one that systemd creates. */
export function runtimeFolders(machine: Machine): readonly string[] {
  const fromVariable = variableFolder(machine, 'XDG_RUNTIME_DIR');
  // A machine with its own files also has its own users.
  const uid = machine.uid ?? (machine.files ? undefined : process.getuid?.());
  const usual =
    machine.platform === 'linux' && uid !== undefined ? [`/run/user/${String(uid)}`] : [];
  return [
    ...new Set([
      ...(fromVariable === undefined ? [] : [withoutTrailing(fromVariable, '/')]),
      ...usual,
    ]),
  ];
}

/** Replaces `~/` at the start of a path by the home folder. */
export function expandHome(machine: Machine, path: string): string {
  return /^~[/\\]/.test(path) ? (inHome(machine, path.slice(2)) ?? path) : path;
}

export function isAbsoluteOn(machine: Machine, path: string): boolean {
  return pathsOn(machine).isAbsolute(path);
}
