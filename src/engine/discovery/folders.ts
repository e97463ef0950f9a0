import { posix, win32 } from 'node:path';

import type { Machine } from './endpoint.ts';
import { withoutTrailing } from '../../plainText.ts';

/** Puts a path together as this machine does. */
export function joinOn({ platform }: Machine, ...parts: readonly string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts);
}

/** A variable's value, if it says anything. */
export function variable({ env }: Machine, name: string): string | undefined {
  const value = env[name] ?? '';
  return value.trim() === '' ? undefined : value;
}

/** A path below the home folder; undefined where the home is not known. */
export function inHome(machine: Machine, ...parts: readonly string[]): string | undefined {
  return isAbsolute(machine, machine.home) ? joinOn(machine, machine.home, ...parts) : undefined;
}

/** A folder that a variable names by its full path. */
export function folderOf(machine: Machine, name: string): string | undefined {
  const value = variable(machine, name);
  return value !== undefined && isAbsolute(machine, value) ? value : undefined;
}

/** Where Docker keeps its configuration; undefined where nobody can know. */
export function dockerFolder(machine: Machine): string | undefined {
  return folderOf(machine, 'DOCKER_CONFIG') ?? inHome(machine, '.docker');
}

/** Where Podman keeps the person's configuration. */
export function podmanFolder(machine: Machine): string | undefined {
  if (machine.platform === 'win32') {
    const roaming = folderOf(machine, 'APPDATA');
    return roaming === undefined ? undefined : joinOn(machine, roaming, 'containers');
  }
  const config = folderOf(machine, 'XDG_CONFIG_HOME') ?? inHome(machine, '.config');
  return config === undefined ? undefined : joinOn(machine, config, 'containers');
}

/** The folders for a person's own sockets: what the session says, and where systemd makes them. */
export function runtimeFolders(machine: Machine): readonly string[] {
  const told = folderOf(machine, 'XDG_RUNTIME_DIR');
  const uid = uidOf(machine);
  const usual =
    machine.platform === 'linux' && uid !== undefined ? [`/run/user/${String(uid)}`] : [];
  return [...new Set([...(told === undefined ? [] : [withoutTrailing(told, '/')]), ...usual])];
}

/** A path as a person writes it: `~/` stands for the home folder. */
export function expandHome(machine: Machine, path: string): string {
  return /^~[/\\]/.test(path) ? (inHome(machine, path.slice(2)) ?? path) : path;
}

/** Whether a path says all of where it leads. */
export function isAbsolute({ platform }: Machine, path: string): boolean {
  return (platform === 'win32' ? win32 : posix).isAbsolute(path);
}

/** A machine with files of its own has accounts of its own, too. */
function uidOf({ uid, files }: Machine): number | undefined {
  return uid ?? (files ? undefined : process.getuid?.());
}
