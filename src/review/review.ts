import type { Connection } from '../engine/http/connection.ts';
import type { ContainerChanges } from '../engine/containers/listChanges.ts';
import { changeTree, type ChangeTree } from './changeTree.ts';

/** A subject with what was found to differ. */
export interface Review {
  readonly subject: ReviewSubject;
  readonly tree: ChangeTree;
  /** Paths that are not in it, as in {@link ContainerChanges}. */
  readonly leftOut: number;
}

/** A place that is no part of an image: a volume, a folder of the engine's machine, memory. */
export interface ExcludedMount {
  /** In the container. */
  readonly target: string;
  readonly type: string;
  /** The volume's name, or the folder; empty where there is none. */
  readonly source: string;
}

/** One side of a review: hands over a container that has its files while `run` reads them. */
export type FileSource = <Result>(
  signal: AbortSignal | undefined,
  run: (connection: Connection, container: string) => Promise<Result>,
) => Promise<Result>;

/** What is reviewed. */
export interface ReviewSubject {
  /** The id of the engine. */
  readonly engine: string;
  readonly kind: 'container' | 'image';
  /** The container's full id, or the image's. */
  readonly id: string;
  /** What to call it. */
  readonly name: string;
  /** What to call that which it is compared with. */
  readonly base: string;
  readonly list: (signal: AbortSignal | undefined) => Promise<ContainerChanges>;
  readonly before: FileSource;
  readonly after: FileSource;
  readonly mounts: readonly ExcludedMount[];
}

/** Asks what differs. @throws EngineError. */
export async function loadReview(subject: ReviewSubject, signal?: AbortSignal): Promise<Review> {
  const { changes, leftOut } = await subject.list(signal);
  return { subject, tree: changeTree(changes), leftOut };
}
