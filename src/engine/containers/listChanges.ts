import type { Connection } from '../http/connection.ts';
import { containerPath } from './containers.ts';
import { EngineError } from '../errors.ts';
import { badAnswer } from '../http/readReply.ts';
import { asRecord, asText } from '../wire.ts';

/**
 * What is not as in its image: `GET /containers/{id}/changes`, the folders above a change among it. What lies
 * on a volume or another mount is never in it. The engine walks all files of the container for it, so there is
 * no limit of time but `signal`.
 *
 * @throws EngineError `tooLarge` past 64 MiB or 500,000 paths.
 */
export async function listChanges(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<ContainerChanges> {
  const path = containerPath(id, 'changes');
  const request = { method: 'GET', path, limitMs: 0, answerLimit: ANSWER_LIMIT, signal } as const;
  // Nothing changed is `null` for some engines.
  const list = (await connection.send(request)).json() ?? [];
  if (!Array.isArray(list)) throw badAnswer(connection, `GET ${path}`);
  if (list.length > COUNT_LIMIT) {
    throw new EngineError('tooLarge', {
      endpoint: connection.endpoint.url,
      operation: `GET ${path}`,
    });
  }
  const changes = (list as readonly unknown[]).flatMap(readChange);
  return { changes, leftOut: list.length - changes.length };
}

/** What happened to a path since the container was created. */
export type ChangeKind = 'added' | 'changed' | 'deleted';

/** One path of a container that is not as in its image. */
export interface FileChange {
  /** Absolute, without a slash at its end; may hold what is not fit to show. */
  readonly path: string;
  readonly kind: ChangeKind;
}

/** What was found to differ. */
export interface ContainerChanges {
  readonly changes: readonly FileChange[];
  /** Paths that are not among them: no file system takes them, or they lead elsewhere. */
  readonly leftOut: number;
}

/** Bytes of an answer: half a million paths of usual length. */
const ANSWER_LIMIT = 64 * 1024 * 1024;
const COUNT_LIMIT = 500_000;
/** No file system takes a longer path. */
export const PATH_LIMIT = 4096;

const KINDS: Readonly<Record<number, ChangeKind>> = { 0: 'changed', 1: 'added', 2: 'deleted' };

/** None where the path is one that no engine can be asked for again. */
function readChange(value: unknown): readonly FileChange[] {
  const wire = asRecord(value);
  const path = asText(wire['Path']);
  const kind = KINDS[Number(wire['Kind'])];
  return kind && isContainerPath(path) ? [{ path, kind }] : [];
}

/** Whether a text is an absolute path below the root that leads nowhere else. */
export function isContainerPath(path: string): boolean {
  return (
    path.length > 1 &&
    path.length <= PATH_LIMIT &&
    path.startsWith('/') &&
    !path.includes('\0') &&
    !/\/(?:\.{0,2}(?:\/|$))/.test(path)
  );
}
