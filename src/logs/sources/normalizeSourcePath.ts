/**
 * Paths of several machines in one spelling, so that they can be compared: slashes, a drive as `c:/`, no slash
 * at the end. Nothing here asks a file system.
 */

/** A path in that spelling; undefined where it climbs (`..`) or holds what no path does. */
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

/** Whether a path in that spelling stands for itself, wherever one is. */
export function isAbsoluteNormalized(path: string): boolean {
  return /^(?:\/|[a-z]:)/.test(path);
}

/** The part of a path below a folder; empty for the folder itself, undefined where it is not in it. */
export function pathBelow(folder: string, path: string): string | undefined {
  const [parent, child] = /^[a-z]:/.test(folder)
    ? [folder.toLowerCase(), path.toLowerCase()]
    : [folder, path];
  if (child === parent) return '';
  const start = parent.endsWith('/') ? parent : `${parent}/`;
  return child.startsWith(start) ? path.slice(start.length) : undefined;
}

/** A folder and a path below it, which may be empty. */
export function joinNormalized(folder: string, rest: string): string {
  if (rest === '') return folder;
  return folder.endsWith('/') ? `${folder}${rest}` : `${folder}/${rest}`;
}

/**
 * A bind's source as its own machine spells it: engines in a virtual machine tell where they see the folders of
 * the machine around.
 */
export function hostPath(source: string): string | undefined {
  const path = normalizeSourcePath(source);
  const drive = /^\/(?:run\/desktop\/mnt\/host|host_mnt|mnt)\/([a-z])(\/.*|$)/.exec(path ?? '');
  if (drive) return `${drive[1] ?? ''}:${drive[2] ?? ''}`;
  return path?.replace(/^\/(?:host_mnt|run\/desktop\/mnt\/host)(?=\/)/, '');
}
