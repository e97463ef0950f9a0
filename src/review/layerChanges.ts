/** The layers of an image as changes to what is below them. */

import {
  isContainerPath,
  type ChangeKind,
  type FileChange,
  type ContainerChanges,
} from '../engine/containers/listChanges.ts';
import { EngineError } from '../engine/errors.ts';
import type { ImageLayers, LayerNames } from '../engine/images/imageLayers.ts';
import { withoutTrailing } from '../plainText.ts';

/** Before a name: it is gone. */
const WHITEOUT = '.wh.';
/** In a folder: all that was in it is gone. */
const OPAQUE = '.wh..wh..opq';

/** With something in them, at a time. A name may have a hundred that no layer names, and each takes memory. */
const MOST_FOLDERS = 250_000;

/**
 * What the upper layers change.
 *
 * @param base how many of the layers are what is compared with.
 * @throws EngineError `tooLarge` past 250,000 folders.
 */
export function layerChanges({ layers, leftOut }: ImageLayers, base: number): ContainerChanges {
  const odd = layers.reduce((sum, names) => sum + names.filter(isOdd).length, 0);
  return { changes: changesOf(layers, base), leftOut: leftOut + odd };
}

function changesOf(layers: readonly LayerNames[], base: number): readonly FileChange[] {
  const there = new Paths();
  for (const names of layers.slice(0, base)) apply(names, there);
  /** Every path that an upper layer tells of, and whether it was there before. */
  const touched = new Map<string, boolean>();
  const note = (path: string): void => {
    if (!touched.has(path)) touched.set(path, there.has(path));
  };
  for (const names of layers.slice(base)) apply(names, there, note);
  return [...touched].flatMap(([path, wasThere]): readonly FileChange[] => {
    const kind = kindOf(wasThere, there.has(path));
    return kind ? [{ path, kind }] : [];
  });
}

function kindOf(wasThere: boolean, isThere: boolean): ChangeKind | undefined {
  if (isThere) return wasThere ? 'changed' : 'added';
  // What came in one layer and went in the next says nothing.
  return wasThere ? 'deleted' : undefined;
}

/** Puts a layer over what is there. @param note hears of each path before it changes. */
function apply(
  names: LayerNames,
  there: Paths,
  note: (path: string) => void = () => undefined,
): void {
  const entries = names.map(pathOf).filter(isContainerPath);
  // First what goes: a layer takes away what is below it, never its own.
  for (const path of entries) {
    const [folder, name] = parted(path);
    if (name === OPAQUE) {
      for (const gone of there.in(folder)) remove(gone, there, note);
    } else if (name.startsWith(WHITEOUT)) {
      remove(`${folder}/${name.slice(WHITEOUT.length)}`, there, note);
    }
  }
  for (const path of entries) {
    if (parted(path)[1].startsWith(WHITEOUT)) continue;
    note(path);
    there.add(path);
  }
}

function remove(path: string, there: Paths, note: (path: string) => void): void {
  note(path);
  there.delete(path);
}

function parted(path: string): readonly [folder: string, name: string] {
  const slash = path.lastIndexOf('/');
  return [path.slice(0, slash), path.slice(slash + 1)];
}

/** `./etc/`, `etc` and `/etc` are `/etc`. */
function pathOf(name: string): string {
  return `/${withoutTrailing(name.replace(/^(?:\.?\/)+/, ''), '/')}`;
}

/** Whether a name leads elsewhere. The folder itself, which is named, too, does not. */
function isOdd(name: string): boolean {
  return !isContainerPath(pathOf(name)) && !/^\.?\/?$/.test(name);
}

/** The paths of a file system. Removing one costs what is below it, and not what there is. */
class Paths {
  /** By folder. A path without anything in it may have no entry of its own. */
  readonly #in = new Map<string, Set<string>>();

  has(path: string): boolean {
    return this.#in.get(parted(path)[0])?.has(path) ?? false;
  }

  in(folder: string): readonly string[] {
    return [...(this.#in.get(folder) ?? [])];
  }

  /** With the folders above it, whether a layer tells of them or not. */
  add(path: string): void {
    for (let one = path; one !== ''; [one] = parted(one)) {
      const [folder] = parted(one);
      const siblings = this.#in.get(folder);
      if (siblings?.has(one)) return;
      if (siblings) siblings.add(one);
      else if (this.#in.size < MOST_FOLDERS) this.#in.set(folder, new Set([one]));
      else throw new EngineError('tooLarge', { operation: 'GET /images/{name}/get' });
    }
  }

  /** With all that is below it. */
  delete(path: string): void {
    this.#in.get(parted(path)[0])?.delete(path);
    const folders = [path];
    for (let one = folders.pop(); one !== undefined; one = folders.pop()) {
      const inner = this.#in.get(one);
      this.#in.delete(one);
      // One by one: as arguments of a call, hundreds of thousands are too many.
      for (const path of inner ?? []) folders.push(path);
    }
  }
}
