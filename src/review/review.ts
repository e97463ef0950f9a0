import type { ContainerChanges } from '../engine/containers/listChanges.ts';
import type { FileSource } from '../engine/volumes/fileSource.ts';
import { changeTree, type ChangeTree } from './changeTree.ts';

export interface Review {
  readonly subject: ReviewSubject;
  readonly tree: ChangeTree;
  /** The number of paths that are not shown, as in {@link ContainerChanges}. */
  readonly leftOut: number;
}

/** A mount, which is not part of an image: a volume, a bind mount, or a tmpfs mount. */
export interface ExcludedMount {
  /** The path in the container. */
  readonly target: string;
  readonly type: string;
  /** The name of the volume or the folder on the host; empty if there is none. */
  readonly source: string;
}

/** The container or image under review. */
export interface ReviewSubject {
  /** The ID of the engine in this window. */
  readonly engine: string;
  readonly kind: 'container' | 'image';
  /** The full container or image ID. */
  readonly id: string;
  /** The display name. */
  readonly name: string;
  /** The display name of what it is compared with. */
  readonly base: string;
  readonly list: (signal: AbortSignal | undefined) => Promise<ContainerChanges>;
  /** The files before and after the changes. */
  readonly before: FileSource;
  readonly after: FileSource;
  readonly mounts: readonly ExcludedMount[];
  /** Growth against what it is compared with, in bytes; if known. */
  readonly sizeChange?: number;
}

/** Lists the changes of a subject. @throws EngineError. */
export async function loadReview(subject: ReviewSubject, signal?: AbortSignal): Promise<Review> {
  const { changes, leftOut } = await subject.list(signal);
  return { subject, tree: changeTree(changes), leftOut };
}
