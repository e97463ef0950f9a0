import { posix, win32 } from 'node:path';

import type { Machine } from './endpoint.ts';
import { withoutTrailing } from '../../plainText.ts';

/** Puts a path together as this machine does. */
export function joinPathOn({ platform }: Machine, ...parts: readonly string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts);
}

/** A variable's value, if it says anything. */
export function readVariable({ env }: Machine, name: string): string | undefined {
  const value = env[name] ?? '';
  return value.trim() === '' ? undefined : value;
}

/** A path below the home folder; undefined where the home is not known. */
export function inHome(machine: Machine, ...parts: readonly string[]): string | undefined {
  return isAbsoluteOn(machine, machine.home)
    ? joinPathOn(machine, machine.home, ...parts)
    : undefined;
}

/** A folder that a variable names by its full path. */
export function variableFolder(machine: Machine, name: string): string | undefined {
  const value = readVariable(machine, name);
  return value !== undefined && isAbsoluteOn(machine, value) ? value : undefined;
}

/** Where Docker keeps its configuration; undefined where nobody can know. */
export function dockerFolder(machine: Machine): string | undefined {
  return variableFolder(machine, 'DOCKER_CONFIG') ?? inHome(machine, '.docker');
}

/** Where Podman keeps the person's configuration. */
export function podmanFolder(machine: Machine): string | undefined {
  if (machine.platform === 'win32') {
    const roaming = variableFolder(machine, 'APPDATA');
    return roaming === undefined ? undefined : joinPathOn(machine, roaming, 'containers');
  }
  const config = variableFolder(machine, 'XDG_CONFIG_HOME') ?? inHome(machine, '.config');
  return config === undefined ? undefined : joinPathOn(machine, config, 'containers');
}

/** The folders for a person's own sockets: what the session says, and where systemd makes them. */
export function runtimeFolders(machine: Machine): readonly string[] {
  const told = variableFolder(machine, 'XDG_RUNTIME_DIR');
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
export function isAbsoluteOn({ platform }: Machine, path: string): boolean {
  return (platform === 'win32' ? win32 : posix).isAbsolute(path);
}

/** A machine with files of its own has accounts of its own, too. */
function uidOf({ uid, files }: Machine): number | undefined {
  return uid ?? (files ? undefined : process.getuid?.());
}
