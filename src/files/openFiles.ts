import { DisposableStore, type Disposable } from '../lifetime.ts';
import { AllFiles, type FilesEngine, type FilesEngines } from './allFiles.ts';
import { ContainerFileSystem } from './fileSystem.ts';
import { FilesView } from './filesView.ts';
import { sweepLeftBehind, type SweptEngine } from './leftBehind.ts';

/** The files of containers and images as commands know them. */
export interface Files {
  readonly files: AllFiles;
  readonly filesView: FilesView;
}

/**
 * Makes the file system and the view of containers' and images' files. Asks nothing of any engine, until there is
 * something to show or to sweep.
 *
 * @param owner stands on the containers that are made for images' files, so that no other window removes them.
 * @param describe an error as a sentence.
 * @param now milliseconds.
 */
export function openFiles(
  engines: FilesEngines & { readonly all: readonly (FilesEngine & SweptEngine)[] },
  owner: string,
  describe: (error: unknown) => string,
  now: () => number,
): Files & Disposable {
  const store = new DisposableStore();
  store.add(sweepLeftBehind(engines, owner));
  const files = store.add(new AllFiles(engines, owner, now));
  store.add(new ContainerFileSystem(files, describe));
  const filesView = store.add(new FilesView(files, describe));
  return {
    files,
    filesView,
    dispose: () => {
      store.dispose();
    },
  };
}
