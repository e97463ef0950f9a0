import { DisposableStore, type Disposable } from '../lifetime.ts';
import { AllFiles, type FilesEngine, type FilesEngines } from './allFiles.ts';
import { ContainerFileSystem } from './containerFileSystem.ts';
import { FilesView } from './filesView.ts';
import { sweepLeftovers, type LeftoverEngine } from './sweepLeftovers.ts';

/**
 * Makes the file system and the view of containers' and images' files. Asks nothing of any engine, until there is
 * something to show or to sweep.
 *
 * @param owner stands on the containers that are made for images' files, so that no other window removes them.
 * @param describe an error as a sentence.
 * @param now milliseconds.
 */
export function createFileServices(
  engines: FilesEngines & { readonly all: readonly (FilesEngine & LeftoverEngine)[] },
  owner: string,
  describe: (error: unknown) => string,
  now: () => number,
): FileServices & Disposable {
  const store = new DisposableStore();
  store.add(sweepLeftovers(engines, owner));
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

/** The files of containers and images as commands know them. */
export interface FileServices {
  readonly files: AllFiles;
  readonly filesView: FilesView;
}
