import { capabilitiesOf } from '../../engine/capabilities/capabilities.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { failedWith, InputError, unlessNotFound } from '../../engine/errors.ts';
import { actInside, type FileSpot } from '../../engine/files/actInside.ts';
import { checkNoMount, type ContainerOrVolume } from '../../engine/files/checkNoMount.ts';
import { copyByArchive } from '../../engine/files/copyByArchive.ts';
import { copyPath } from '../../engine/files/copyPath.ts';
import { createFolder } from '../../engine/files/createFolder.ts';
import { findFileTools, NoToolsError, type FileProgram } from '../../engine/files/fileTools.ts';
import { measureFolder, type FolderSize } from '../../engine/files/measureFolder.ts';
import { movePath } from '../../engine/files/movePath.ts';
import { removePath, type RemovePathOptions } from '../../engine/files/removePath.ts';
import { resolveParents } from '../../engine/files/resolveParents.ts';
import { writeFile } from '../../engine/files/writeFile.ts';
import type { Connection } from '../../engine/http/connection.ts';
import type { ArchiveRoot } from '../../engine/archive/archive.ts';
import { oneLine } from '../../base/plainText.ts';
import type { AllFiles } from '../allFiles.ts';
import { splitPath, type FileRoot } from '../fileRoot.ts';

/** Changes the tree of files of containers and volumes, for commands and for VS Code's file system. */
export class FileChanges {
  readonly #all: AllFiles;

  constructor(all: AllFiles) {
    this.#all = all;
  }

  /** Creates a folder, and those above it; see `createFolder`. */
  createFolder(
    root: FileRoot,
    path: string,
    mode?: number,
    signal?: AbortSignal,
  ): Promise<{ readonly path: string }> {
    return this.#change(root, { created: path }, signal, (connection, archive) =>
      createFolder(connection, archive, path, { mode }, signal),
    );
  }

  /** Creates an empty file, and the folders above it. @throws PathExistsError if it exists; as `writeFile`. */
  createFile(
    root: FileRoot,
    path: string,
    mode?: number,
    signal?: AbortSignal,
  ): Promise<{ readonly path: string }> {
    return this.#change(root, { created: path }, signal, async (connection, archive) => {
      const folder = `/${splitPath(path).slice(0, -1).join('/')}`;
      const isMissing = !(await unlessNotFound(resolveParents(connection, archive, path, signal)));
      if (isMissing) await createFolder(connection, archive, folder, {}, signal);
      const options = { create: true, overwrite: false, mode };
      const done = await writeFile(connection, archive, path, new Uint8Array(), options, signal);
      return { path: done.path };
    });
  }

  /** Looks at what would be deleted. @throws InputError if it cannot be; EngineError. */
  lookToRemove(root: FileRoot, path: string, signal?: AbortSignal): Promise<Removable> {
    return this.#reach(root, signal, async (connection, archive) => {
      const spot = await spotOf(connection, archive, root, 'rm', undefined, signal).catch(
        (error: unknown) => {
          if (error instanceof NoToolsError && error.why === 'volume') return undefined;
          throw error;
        },
      );
      const found = spot
        ? await actInside(spot, path, signal)
        : await resolveParents(connection, archive, path, signal);
      if (!spot) await checkNoMount(connection, idOf(root), found.path, signal);
      const isFolder = found.stat?.kind === 'folder';
      const inside = isFolder
        ? await measureFolder(connection, archive, found.path, signal)
        : { files: 0, folders: 0, bytes: 0, isWhole: true };
      const own = isFolder ? 0 : (found.stat?.size ?? 0);
      return {
        path: found.path,
        files: inside.files + (isFolder ? 0 : 1),
        folders: inside.folders + (isFolder ? 1 : 0),
        bytes: inside.bytes + own,
        isWhole: inside.isWhole,
      };
    });
  }

  /** Deletes a file, a link or a folder; see `removePath`. */
  remove(
    root: FileRoot,
    path: string,
    { image, ...options }: RemoveOptions,
    signal?: AbortSignal,
  ): Promise<{ readonly path: string }> {
    return this.#change(root, { deleted: path }, signal, async (connection, archive) => {
      const spot = await spotOf(connection, archive, root, 'rm', this.#helper(image), signal);
      return removePath(spot, path, options, signal);
    });
  }

  /** Renames or moves a file, a link or a folder; see `movePath`. */
  move(
    root: FileRoot,
    { path, to, image }: PathChange,
    signal?: AbortSignal,
  ): Promise<{ readonly path: string; readonly to: string }> {
    const what = { deleted: path, created: to };
    return this.#change(root, what, signal, async (connection, archive) => {
      const spot = await spotOf(connection, archive, root, 'mv', this.#helper(image), signal);
      return movePath(spot, path, to, signal);
    });
  }

  /** Copies a file, a link or a folder within a container or volume; see `copyPath`. */
  copy(
    root: FileRoot,
    { path, to, image }: PathChange,
    signal?: AbortSignal,
  ): Promise<{ readonly path: string; readonly to: string }> {
    return this.#change(root, { created: to }, signal, async (connection, archive) => {
      try {
        const spot = await spotOf(connection, archive, root, 'cp', this.#helper(image), signal);
        return await copyPath(spot, path, to, signal);
      } catch (error) {
        const { keepsOwnersInArchives } = capabilitiesOf(await connection.info(signal));
        if (!(error instanceof NoToolsError) || !keepsOwnersInArchives) throw error;
        return copyByArchive(connection, archive, idOf(root), { path, to }, signal);
      }
    });
  }

  #helper(
    image: string | undefined,
  ): { readonly image: string; readonly owner: string } | undefined {
    return image === undefined ? undefined : { image, owner: this.#all.owner };
  }

  /** Runs a change. Also after a failure, the files are read again: a part of them may have changed. */
  async #change<T>(
    root: FileRoot,
    what: { readonly created?: string; readonly deleted?: string },
    signal: AbortSignal | undefined,
    work: (connection: Connection, archive: ArchiveRoot) => Promise<T>,
  ): Promise<T> {
    try {
      const result = await this.#reach(root, signal, work);
      this.#all.refresh(root, what);
      return result;
    } catch (error) {
      this.#all.refresh(root);
      throw error;
    }
  }

  async #reach<T>(
    root: FileRoot,
    signal: AbortSignal | undefined,
    work: (connection: Connection, archive: ArchiveRoot) => Promise<T>,
  ): Promise<T> {
    if (root.kind === 'image')
      throw InputError.of('An image cannot be changed. Create a container from it first.');
    try {
      return await this.#all.access(root)(work, signal);
    } catch (error) {
      if (failedWith(error, 'notFound') && root.kind === 'container')
        await this.#all.access(root)((connection) => checkThere(connection, root));
      throw error;
    }
  }
}

/** What would be deleted. */
export interface Removable extends FolderSize {
  /** Without links on the way to it. */
  readonly path: string;
}

interface RemoveOptions extends RemovePathOptions {
  /** A local image whose program is used in a volume that no running container can change. */
  readonly image?: string | undefined;
}

interface PathChange {
  readonly path: string;
  readonly to: string;
  /** As that of {@link RemoveOptions}. */
  readonly image?: string | undefined;
}

/** @throws InputError if the container is gone, or another one has its name. */
async function checkThere(connection: Connection, { id, name }: FileRoot): Promise<void> {
  if (await unlessNotFound(inspectContainer(connection, id))) return;
  const shown = oneLine(name, 100);
  if (await unlessNotFound(inspectContainer(connection, name)))
    throw InputError.of(
      'The container {0} was replaced by another one of this name. Nothing was changed: browse the files of the new one.',
      shown,
    );
  throw InputError.of('The container {0} does not exist any more.', shown);
}

function idOf({ kind, id }: FileRoot): ContainerOrVolume {
  return { kind: kind === 'volume' ? 'volume' : 'container', id };
}

async function spotOf(
  connection: Connection,
  archive: ArchiveRoot,
  root: FileRoot,
  program: FileProgram,
  helper: { readonly image: string; readonly owner: string } | undefined,
  signal: AbortSignal | undefined,
): Promise<FileSpot> {
  const owner = idOf(root);
  const tools = await findFileTools(connection, owner, program, helper, signal);
  return { connection, archive, owner, tools };
}
