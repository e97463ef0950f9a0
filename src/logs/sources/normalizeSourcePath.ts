/**
 * Paths of several operating systems in one normal form, so that they can be compared: slashes, drives like
 * `c:/`, no trailing slash. Does not access the file system.
 */

/** Returns the normal form of a path; undefined if it contains `..` or a NUL character. */
export function normalizeSourcePath(written: string): string | undefined {
  if (written.includes('\0')) return undefined;
  const slashed = /^(?:[A-Za-z]:)?\\|^[^/]*\\/.test(written)
    ? written.replaceAll('\\', '/')
    : written;
  const parts = slashed.split('/');
  if (parts.includes('..')) return undefined;
  const rest = parts.filter((part) => part !== '' && part !== '.').join('/');
  const path = slashed.startsWith('/') ? `/${rest}` : rest;
  return path.replace(/^[A-Za-z]:(?=\/|$)/, (drive) => drive.toLowerCase());
}

/** Whether a normalized path is absolute, on any operating system. */
export function isAbsoluteNormalized(path: string): boolean {
  return /^(?:\/|[a-z]:)/.test(path);
}

/** Returns the part of a path below a folder; empty for the folder itself, undefined if the path is outside. */
export function pathInside(folder: string, path: string): string | undefined {
  const [parent, child] = /^[a-z]:/.test(folder)
    ? [folder.toLowerCase(), path.toLowerCase()]
    : [folder, path];
  if (child === parent) return '';
  const start = parent.endsWith('/') ? parent : `${parent}/`;
  return child.startsWith(start) ? path.slice(start.length) : undefined;
}

/** Joins a folder and a path below it, which may be empty. */
export function joinNormalized(folder: string, rest: string): string {
  if (rest === '') return folder;
  return folder.endsWith('/') ? `${folder}${rest}` : `${folder}/${rest}`;
}

/**
 * Returns the path of a bind mount's source as its host writes it, because engines in a virtual machine
 * report the path at which they mount the host's folders. Undefined like {@link normalizeSourcePath}.
 */
export function hostPath(source: string): string | undefined {
  const path = normalizeSourcePath(source);
  const drive = /^\/(?:run\/desktop\/mnt\/host|host_mnt|mnt)\/([a-z])(\/.*|$)/.exec(path ?? '');
  if (drive) return `${drive[1] ?? ''}:${drive[2] ?? ''}`;
  return path?.replace(/^\/(?:host_mnt|run\/desktop\/mnt\/host)(?=\/)/, '');
}
