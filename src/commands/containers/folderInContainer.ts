import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';
import {
  hostPath,
  joinNormalized,
  normalizeSourcePath,
  pathInside,
} from '../../logs/sources/normalizeSourcePath.ts';

/**
 * Returns the folder of a container that is a folder of the workspace by a bind mount, else its working directory.
 * Undefined if it has none but `/`.
 *
 * @param folders the workspace folders.
 */
export function folderInContainer(
  { binds, workingDir }: Pick<ContainerDetails, 'binds' | 'workingDir'>,
  folders: readonly string[],
): string | undefined {
  const mounted = folders.flatMap((folder) => {
    const path = normalizeSourcePath(folder);
    return binds.flatMap(({ source, target }) => {
      const from = hostPath(source);
      const to = normalizeSourcePath(target);
      if (path === undefined || from === undefined || to === undefined) return [];
      const rest = pathInside(from, path);
      return rest === undefined ? [] : [{ from, folder: joinNormalized(to, rest) }];
    });
  });
  // The innermost folder of the host: that of the whole disk is mounted for something else.
  const [innermost] = mounted.sort((a, b) => b.from.length - a.from.length);
  const own = normalizeSourcePath(workingDir) ?? '';
  return innermost?.folder ?? (own.length > 1 && own.startsWith('/') ? own : undefined);
}
