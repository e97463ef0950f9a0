/** Computes the changes that the layers of an image make to the layers below, and those between two images. */

import {
  isContainerPath,
  type ChangeKind,
  type FileChange,
  type ContainerChanges,
} from '../engine/containers/listChanges.ts';
import { EngineError } from '../engine/errors.ts';
import type { ImageLayers, LayerNames } from '../engine/images/imageLayers.ts';
import { withoutTrailing } from '../base/plainText.ts';

/** Prefix of a file name in a layer: the file is deleted. */
const WHITEOUT = '.wh.';
/** Marker in a folder of a layer: all earlier contents of the folder are deleted. */
const OPAQUE = '.wh..wh..opq';

/**
 * Returns the changes made by the upper layers.
 *
 * @param base the number of layers to compare with.
 * @param mostFolders for tests.
 * @throws EngineError `tooLarge` if there are more folders.
 */
export function layerChanges(
  { layers, leftOut }: ImageLayers,
  base: number,
  mostFolders = MOST_FOLDERS,
): ContainerChanges {
  const before = new Paths(mostFolders);
  const after = new Paths(mostFolders);
  const touched: string[] = [];
  for (const [index, names] of layers.entries()) {
    if (index < base) apply(names, before);
    apply(names, after, index < base ? undefined : (path) => touched.push(path));
  }
  const changes = changesAt([...touched, ...missingPaths(before, after)], before, after);
  return { changes, leftOut: leftOut + oddIn(layers) };
}

/**
 * Maximum number of non-empty folders at a time. One name can imply a hundred parent folders that no layer
 * lists, and each takes memory.
 */
const MOST_FOLDERS = 250_000;

/**
 * Returns the changes from one image to another. Both were read with marks: a path that both have with the same mark
 * did not change.
 *
 * @param shared the number of lowest layers that are the same in both.
 * @throws EngineError `tooLarge` if an image has more than 250,000 folders.
 */
export function imageChanges(
  before: ImageLayers,
  after: ImageLayers,
  shared: number,
): ContainerChanges {
  const one = markedPaths(before, shared);
  const two = markedPaths(after, shared);
  const paths = [
    ...one.marks.keys(),
    ...two.marks.keys(),
    ...missingPaths(one.there, two.there),
    ...missingPaths(two.there, one.there),
  ];
  const changes = changesAt(paths, one.there, two.there).filter(
    ({ path, kind }) => kind !== 'changed' || one.marks.get(path) !== two.marks.get(path),
  );
  const [left, right] = [before, after].map(({ layers, leftOut }) => leftOut + oddIn(layers));
  return { changes, leftOut: Math.max(left ?? 0, right ?? 0) };
}

/** The paths of an image, and the marks of those that its upper layers add or change. */
interface MarkedPaths {
  readonly there: Paths;
  readonly marks: ReadonlyMap<string, string | undefined>;
}

function markedPaths({ layers, marks = [] }: ImageLayers, shared: number): MarkedPaths {
  const there = new Paths(MOST_FOLDERS);
  const found = new Map<string, string | undefined>();
  for (const [index, names] of layers.entries()) {
    if (index < shared) {
      apply(names, there);
      continue;
    }
    apply(names, there, (path) => found.set(path, undefined));
    for (const [at, name] of names.entries()) {
      const path = pathOf(name);
      if (found.has(path)) found.set(path, marks[index]?.[at]);
    }
  }
  return { there, marks: found };
}

function oddIn(layers: readonly LayerNames[]): number {
  return layers.reduce((sum, names) => sum + names.filter(isInvalidName).length, 0);
}

/** @param paths all that may have changed, in any order. */
function changesAt(paths: readonly string[], before: Paths, after: Paths): readonly FileChange[] {
  return [...new Set(paths)].flatMap((path): readonly FileChange[] => {
    const kind = kindOf(before.has(path), after.has(path));
    return kind ? [{ path, kind }] : [];
  });
}

/** Returns what is missing in `after`; a folder as a whole. */
function missingPaths(before: Paths, after: Paths): readonly string[] {
  const missing: string[] = [];
  const folders = [''];
  for (let one = folders.pop(); one !== undefined; one = folders.pop())
    for (const path of before.in(one)) (after.has(path) ? folders : missing).push(path);
  return missing;
}

function kindOf(wasThere: boolean, isThere: boolean): ChangeKind | undefined {
  if (isThere) return wasThere ? 'changed' : 'added';
  // Added in one layer and deleted in a later one: no change.
  return wasThere ? 'deleted' : undefined;
}

/** Applies a layer on top of the existing paths. @param record called with each path in the layer. */
function apply(
  names: LayerNames,
  there: Paths,
  record: (path: string) => unknown = () => undefined,
): void {
  const entries = names.map(pathOf).filter(isContainerPath);
  // Apply deletions first: a whiteout applies to lower layers, never to its own.
  for (const path of entries) {
    const [folder, name] = parted(path);
    if (name === OPAQUE) {
      for (const gone of there.in(folder)) there.delete(gone);
    } else if (name.startsWith(WHITEOUT)) {
      there.delete(`${folder}/${name.slice(WHITEOUT.length)}`);
    }
  }
  for (const path of entries) {
    if (parted(path)[1].startsWith(WHITEOUT)) continue;
    record(path);
    there.add(path);
  }
}

function parted(path: string): readonly [folder: string, name: string] {
  const slash = path.lastIndexOf('/');
  return [path.slice(0, slash), path.slice(slash + 1)];
}

/** Normalizes `./etc/`, `etc`, and `/etc` to `/etc`. */
function pathOf(name: string): string {
  return `/${withoutTrailing(name.replace(/^(?:\.?\/)+/, ''), '/')}`;
}

/** Returns whether a name is not a valid path in the container. The entry of the root folder itself is allowed. */
function isInvalidName(name: string): boolean {
  return !isContainerPath(pathOf(name)) && !/^\.?\/?$/.test(name);
}

/** The paths of a file system. Deleting a path costs time for what is below it, not for all paths. */
class Paths {
  /** Paths by parent folder. A path without children may have no entry of its own. */
  readonly #in = new Map<string, Set<string>>();
  readonly #most: number;

  /** @param most maximum number of non-empty folders. */
  constructor(most: number) {
    this.#most = most;
  }

  has(path: string): boolean {
    return this.#in.get(parted(path)[0])?.has(path) ?? false;
  }

  in(folder: string): readonly string[] {
    return [...(this.#in.get(folder) ?? [])];
  }

  /** Adds a path and its parent folders, even those that no layer lists. */
  add(path: string): void {
    for (let one = path; one !== ''; [one] = parted(one)) {
      const [folder] = parted(one);
      const siblings = this.#in.get(folder);
      if (siblings?.has(one)) return;
      if (siblings) siblings.add(one);
      else if (this.#in.size < this.#most) this.#in.set(folder, new Set([one]));
      else throw new EngineError('tooLarge', { operation: 'GET /images/{name}/get' });
    }
  }

  /** Deletes a path and everything below it. */
  delete(path: string): void {
    this.#in.get(parted(path)[0])?.delete(path);
    const folders = [path];
    for (let one = folders.pop(); one !== undefined; one = folders.pop()) {
      const inner = this.#in.get(one);
      this.#in.delete(one);
      // Push one at a time: hundreds of thousands of values are too many as call arguments.
      for (const path of inner ?? []) folders.push(path);
    }
  }
}
