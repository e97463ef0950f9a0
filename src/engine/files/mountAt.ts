import type { MountDetails } from '../containers/containerDetails.ts';

type Mount = Pick<MountDetails, 'type' | 'target'>;

/** What the engine mounts in every container: file systems of the kernel, and files that it writes itself. */
const OF_ENGINE: readonly Mount[] = [
  ...['/dev', '/proc', '/sys'].map((target) => ({ type: 'tmpfs', target })),
  ...['/etc/hosts', '/etc/hostname', '/etc/resolv.conf'].map((target) => ({
    type: 'bind',
    target,
  })),
];

/**
 * Returns the innermost mount that has a path, also one that the engine makes by itself; undefined if the path is in
 * the file system of the container.
 *
 * @param path absolute, without links.
 * @param mounts of `containerMounts`.
 */
export function mountAt<M extends Mount>(
  path: string,
  mounts: readonly M[],
): M | Mount | undefined {
  const [innermost] = [...mounts, ...OF_ENGINE]
    .filter(({ target }) => isIn(path, target))
    // The sort is stable: a mount replaces that of the engine.
    .sort((a, b) => trimmed(b.target).length - trimmed(a.target).length);
  return innermost;
}

/** Returns the first mount at a path or below it, also one that the engine makes by itself. */
export function mountBelow<M extends Mount>(
  path: string,
  mounts: readonly M[],
): M | Mount | undefined {
  return [...mounts, ...OF_ENGINE].find(({ target }) => isIn(trimmed(target), path));
}

/** Returns the first mount below a path, not at it. */
export function mountInside(path: string, mounts: readonly Mount[]): Mount | undefined {
  return mountBelow(
    path,
    mounts.filter(({ target }) => trimmed(target) !== trimmed(path)),
  );
}

function isIn(path: string, folder: string): boolean {
  const top = trimmed(folder);
  return path === top || path.startsWith(top === '/' ? top : `${top}/`);
}

/** Engines keep targets as they were written. */
function trimmed(target: string): string {
  return `/${target
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')}`;
}
