/**
 * Validation of names from a tar archive before they become local file names. The contents of the container
 * are untrusted.
 */

import { dirname, join, parse } from 'node:path';

/**
 * Joins a folder and a file name.
 *
 * @throws LocalNameError if the result is not a file of that name in that folder.
 */
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

/** A path relative to the selected folder, as segments. Empty for the folder itself. */
export type PathSegments = readonly string[];

/** Maximum length of a path in characters. No file system supports longer ones. */
export const MAX_PATH_LENGTH = 4096;

/**
 * Returns the path of a tar entry relative to the folder of the tar, or undefined if it is invalid or leaves
 * that folder.
 */
export function pathSegments(name: string): PathSegments | undefined {
  if (name.startsWith('/') || name.includes('\0')) return undefined;
  const parts = namesOf(name);
  return parts.includes('..') ? undefined : parts;
}

/** Returns whether every segment is a valid file name on the platform and cannot refer to a different file. */
export function isLocalName(parts: PathSegments, platform: NodeJS.Platform): boolean {
  return parts.every(
    (part) =>
      !NO_NAMES.has(part) &&
      !NOT_IN_A_NAME.test(part) &&
      (platform !== 'win32' || isWindowsName(part)),
  );
}

/** The name is not valid as a file name in a local folder. */
export class LocalNameError extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`no local name: ${path}`);
    this.name = 'LocalNameError';
    this.path = path;
  }
}

/** Names that refer to an existing folder, or to nothing. */
const NO_NAMES: ReadonlySet<string> = new Set(['', '.', '..']);
const NOT_IN_A_NAME = /[/\0]/;

// What Windows treats as a separator, stream, wildcard, or device, and the trailing characters that it strips silently.
const NOT_IN_WINDOWS = /[\\:<>"|?*\p{Cc}]|[. ]$/u;
const DEVICES = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?:\..*)?$/i;

function isWindowsName(part: string): boolean {
  return !NOT_IN_WINDOWS.test(part) && !DEVICES.test(part.trimEnd());
}

/**
 * Makes names unique on every file system, ignoring case. Later duplicates get a number, such as `a (2).txt`.
 *
 * @param names valid local file names.
 */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const used = new Set<string>();
  return names.map((name) => {
    const { name: stem, ext } = parse(name);
    let own = name;
    for (let count = 2; used.has(foldCase([own])); count += 1) own = `${stem} (${count})${ext}`;
    used.add(foldCase([own]));
    return own;
  });
}

/** Returns a path as a case-insensitive file system compares it. */
export function foldCase(parts: PathSegments): string {
  return parts.join('/').normalize('NFC').toLowerCase();
}

// On Windows, a drive letter leaves the folder and the backslash is a separator.
const NOT_IN_A_LINK = /[\0\\]|^[a-z]:/i;

/**
 * Returns a link target that stays inside the selected folder regardless of other links, or undefined if there is none.
 *
 * @param link the path of the link, relative to the selected folder.
 * @param root the path of the selected folder in the container, to resolve absolute targets.
 */
export function linkInside(link: PathSegments, target: string, root: string): string | undefined {
  if (target === '' || NOT_IN_A_LINK.test(target)) return undefined;
  const above = link.slice(0, -1);
  if (!target.startsWith('/')) return isInside(above.length, target) ? target : undefined;
  const inRoot = below(root, target);
  if (inRoot === undefined || inRoot.includes('..')) return undefined;
  const normalized = [...above.map(() => '..'), ...inRoot].join('/') || '.';
  return NOT_IN_A_LINK.test(normalized) ? undefined : normalized;
}

/**
 * Allows `..` only at the start and never above the selected folder, where all parents are real folders.
 * After another name, which may be a link, `..` would go up from the target of that link.
 */
function isInside(depth: number, target: string): boolean {
  const parts = namesOf(target);
  const up = parts.findIndex((part) => part !== '..');
  const count = up === -1 ? parts.length : up;
  return count <= depth && !parts.slice(count).includes('..');
}

function below(root: string, path: string): PathSegments | undefined {
  const outer = namesOf(root);
  const inner = namesOf(path);
  return outer.every((part, at) => inner[at] === part) ? inner.slice(outer.length) : undefined;
}

function namesOf(path: string): PathSegments {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}
