import { newOwner } from '../engine/imageContainer.ts';
import { DisposableStore, type Disposable } from '../lifetime.ts';
import { AllFiles, type FilesEngine, type FilesEngines } from './allFiles.ts';
import { ContainerFileSystem } from './fileSystem.ts';
import { FilesView } from './filesView.ts';
import { sweepLeftBehind, type SweptEngine } from './leftBehind.ts';

/** The files of containers and images as commands know them. */
export interface Files {
  /** This window's mark on its temporary containers. */
  readonly owner: string;
  readonly files: AllFiles;
  readonly filesView: FilesView;
}

/**
 * Makes the file system and the view of containers' and images' files. Asks nothing of any engine, until there is
 * something to show or to sweep.
 *
 * @param describe an error as a sentence.
 * @param now milliseconds.
 */
export function openFiles(
  engines: FilesEngines & { readonly all: readonly (FilesEngine & SweptEngine)[] },
  describe: (error: unknown) => string,
  now: () => number,
): Files & Disposable {
  const store = new DisposableStore();
  const owner = newOwner();
  store.add(sweepLeftBehind(engines, owner));
  const files = store.add(new AllFiles(engines, owner, now));
  store.add(new ContainerFileSystem(files, describe));
  const filesView = store.add(new FilesView(files, describe));
  return {
    owner,
    files,
    filesView,
    dispose: () => {
      store.dispose();
    },
  };
}
