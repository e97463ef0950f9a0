/** Which names out of a tar may become names on this machine. A tar is written by whoever wrote the container. */

import { dirname, join, parse } from 'node:path';

/** The path of a name in a folder. @throws LocalNameError if it would be anything but a file of this name there. */
export function safePath(
  folder: string,
  name: string,
  platform: NodeJS.Platform = process.platform,
): string {
  const path = join(folder, name);
  if (!isLocalName([name], platform) || dirname(path) !== dirname(join(folder, 'x')))
    throw new LocalNameError(path);
  return path;
}

/** A path below the folder that was chosen, part by part; empty for that folder itself. */
export type PathSegments = readonly string[];

/** Characters of a path: no file system takes a longer one. */
export const MAX_PATH_LENGTH = 4096;

/**
 * The path of a tar's entry below the folder that the tar is of; undefined where it would leave that folder, or is no
 * path at all.
 */
export function pathSegments(name: string): PathSegments | undefined {
  if (name.startsWith('/') || name.includes('\0')) return undefined;
  const parts = namesOf(name);
  return parts.includes('..') ? undefined : parts;
}

/** Whether every part may be the name of a file on this platform, and of no other file than that. */
export function isLocalName(parts: PathSegments, platform: NodeJS.Platform): boolean {
  return parts.every(
    (part) =>
      !NO_NAMES.has(part) &&
      !NOT_IN_A_NAME.test(part) &&
      (platform !== 'win32' || isWindowsName(part)),
  );
}

/** A name that cannot be the name of a file in a folder of this machine. */
export class LocalNameError extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`no local name: ${path}`);
    this.name = 'LocalNameError';
    this.path = path;
  }
}

/** These mean a folder that is there already, or nothing. */
const NO_NAMES: ReadonlySet<string> = new Set(['', '.', '..']);
const NOT_IN_A_NAME = /[/\0]/;

// What Windows takes for a separator, a stream, a wildcard or a device, or silently leaves out at the end.
const NOT_IN_WINDOWS = /[\\:<>"|?*\p{Cc}]|[. ]$/u;
const DEVICES = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?:\..*)?$/i;

function isWindowsName(part: string): boolean {
  return !NOT_IN_WINDOWS.test(part) && !DEVICES.test(part.trimEnd());
}

/**
 * Names of which no two are the same to any file system: later ones get a number, such as `a (2).txt`.
 *
 * @param names each one fit to be a name here.
 */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const { name: stem, ext } = parse(name);
    let own = name;
    for (let count = 2; taken.has(foldCase([own])); count += 1) own = `${stem} (${count})${ext}`;
    taken.add(foldCase([own]));
    return own;
  });
}

/** A path as a file system that knows no case would have it. */
export function foldCase(parts: PathSegments): string {
  return parts.join('/').normalize('NFC').toLowerCase();
}

// A drive is another place on Windows, and the backslash a separator.
const NOT_IN_A_LINK = /[\0\\]|^[a-z]:/i;

/**
 * What a link may say for it to end inside the folder chosen, whatever other links there are; undefined where there is
 * no such way to say it.
 *
 * @param link where the link is, below the folder chosen.
 * @param target what it says in the container.
 * @param root the folder's own path in the container, for a target that is a full path.
 */
export function linkInside(link: PathSegments, target: string, root: string): string | undefined {
  if (target === '' || NOT_IN_A_LINK.test(target)) return undefined;
  const above = link.slice(0, -1);
  if (!target.startsWith('/')) return isInside(above.length, target) ? target : undefined;
  const inRoot = below(root, target);
  if (inRoot === undefined || inRoot.includes('..')) return undefined;
  const said = [...above.map(() => '..'), ...inRoot].join('/') || '.';
  return NOT_IN_A_LINK.test(said) ? undefined : said;
}

/**
 * `..` only at the start and never above the folder chosen: there the folders are real ones. After the name of another
 * link it would go up from wherever that one leads.
 */
function isInside(depth: number, target: string): boolean {
  const parts = namesOf(target);
  const up = parts.findIndex((part) => part !== '..');
  const count = up === -1 ? parts.length : up;
  return count <= depth && !parts.slice(count).includes('..');
}

function below(root: string, path: string): PathSegments | undefined {
  const [outer, inner] = [namesOf(root), namesOf(path)];
  return outer.every((part, at) => inner[at] === part) ? inner.slice(outer.length) : undefined;
}

function namesOf(path: string): PathSegments {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}
