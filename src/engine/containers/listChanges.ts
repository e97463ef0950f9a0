import type { Connection } from '../http/connection.ts';
import { containerPath, asRecord, asText, PATH_LIMIT } from '../wire/wire.ts';
import { fetchList } from '../http/fetchList.ts';

/**
 * Lists the paths that differ from the image: `GET /containers/{id}/changes`. Includes the folders above a
 * change, but never the contents of a volume or another mount. The engine walks all files of the container, so
 * there is no time limit except `signal`.
 *
 * @throws EngineError `tooLarge` past 64 MiB or 500,000 paths.
 */
export async function listChanges(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<ContainerChanges> {
  const path = containerPath(id, 'changes');
  const request = { method: 'GET', path, limitMs: 0, signal } as const;
  // Some engines send `null` if nothing changed.
  const list = await fetchList(connection, request, { countLimit: COUNT_LIMIT, ifNull: [] });
  const changes = list.flatMap(readChange);
  return { changes, leftOut: list.length - changes.length };
}

/** Kind of a change to a path since the container was created. */
export type ChangeKind = 'added' | 'changed' | 'deleted';

/** A path of a container that differs from the image. */
export interface FileChange {
  /** Absolute, without a trailing slash; may contain characters that are unsafe to show. */
  readonly path: string;
  readonly kind: ChangeKind;
}

/** The result of `listChanges`. */
export interface ContainerChanges {
  readonly changes: readonly FileChange[];
  /**
   * The number of paths that were skipped because they are invalid: too long, not normalized, or of an unknown kind.
   */
  readonly leftOut: number;
}

/** As many paths of usual length as fit into the largest response. */
const COUNT_LIMIT = 500_000;

const KINDS: Readonly<Record<number, ChangeKind>> = { 0: 'changed', 1: 'added', 2: 'deleted' };

/** Returns an empty array if the path cannot be used in a request to an engine. */
function readChange(value: unknown): readonly FileChange[] {
  const wire = asRecord(value);
  const path = asText(wire['Path']);
  const kind = KINDS[Number(wire['Kind'])];
  return kind && isContainerPath(path) ? [{ path, kind }] : [];
}

/** Returns whether a text is a normalized absolute path below the root. */
export function isContainerPath(path: string): boolean {
  return (
    path.length > 1 &&
    path.length <= PATH_LIMIT &&
    path.startsWith('/') &&
    !path.includes('\0') &&
    !/\/(?:\.{0,2}(?:\/|$))/.test(path)
  );
}
