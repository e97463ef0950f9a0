import { realpath, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Connection } from '../engine/http/connection.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import { nodeFiles } from '../engine/discovery/nodeFiles.ts';
import { Emitter, type Disposable, type Event } from '../lifetime.ts';
import { buildCopies } from '../logs/sources/buildCopies.ts';
import { containerPathsOf, type ContainerPaths } from '../logs/sources/containerPaths.ts';
import { SourceFinder, type FileLookup } from '../logs/sources/sourceFinder.ts';
import type { SourceReference } from '../logs/text/sourcePath.ts';
import { oneLine } from '../plainText.ts';
import type { SourceLookup, SourceLocation } from './session/sessionContext.ts';

/** More are remembered of no viewer. */
const MOST_CONTAINERS = 200;

type Connect = (signal?: AbortSignal) => Promise<Connection>;

/** Finds files of this window's workspace for the places in the logs of an engine's containers. */
export class WorkspaceSources implements SourceLookup, Disposable {
  readonly #connect: Connect;
  readonly #finder = new SourceFinder({ files, folders });
  readonly #paths = new Map<string, Promise<ContainerPaths>>();
  readonly #changes = new Emitter<void>();
  readonly #end = new AbortController();
  readonly #subscription: vscode.Disposable;

  readonly onDidChange: Event<void> = this.#changes.event;

  constructor(connect: Connect) {
    this.#connect = connect;
    this.#subscription = vscode.workspace.onDidChangeWorkspaceFolders(() => {
      this.#finder.clear();
      // A compose file may be within reach now.
      this.#paths.clear();
      this.#changes.fire();
    });
  }

  async find(
    containerId: string,
    place: SourceReference,
    signal: AbortSignal,
  ): Promise<SourceLocation | undefined> {
    if (folders().length === 0) return undefined;
    const path = await this.#finder.find(place, await this.#pathsOf(containerId));
    signal.throwIfAborted();
    if (path === undefined) return undefined;
    const { line, column } = place;
    const shown = oneLine(vscode.workspace.asRelativePath(vscode.Uri.file(path)));
    return { path, line, column, title: line === undefined ? shown : `${shown}:${line}` };
  }

  dispose(): void {
    this.#end.abort();
    this.#subscription.dispose();
    this.#changes.dispose();
  }

  /** Asked for once, for all who want to know: it goes on when one of them does not any more. */
  #pathsOf(id: string): Promise<ContainerPaths> {
    const known = this.#paths.get(id);
    if (known) return known;
    const { signal } = this.#end;
    const asked = this.#connect(signal)
      .then((connection) => inspectContainer(connection, id, signal))
      .then(containerPathsOf)
      .then(withCopies);
    this.#paths.set(id, asked);
    const [oldest] = this.#paths.keys();
    if (this.#paths.size > MOST_CONTAINERS && oldest !== undefined) this.#paths.delete(oldest);
    asked.catch(() => this.#paths.delete(id));
    return asked;
  }
}

function folders(): readonly string[] {
  const all = vscode.workspace.workspaceFolders ?? [];
  return all.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}

const files: FileLookup = {
  isFile: async (path) => (await realFile(path)) !== undefined,
  findByTail: async (tail, limit) => {
    const pattern = `**/${tail.replaceAll(/[*?[\]{}!]/g, '[$&]')}`;
    const found = await vscode.workspace.findFiles(pattern, undefined, limit);
    return found.map(({ fsPath }) => fsPath);
  },
};

/** Larger ones are nobody's compose file. */
const LARGEST_READ = 256 * 1024;

async function withCopies(paths: ContainerPaths): Promise<ContainerPaths> {
  return { ...paths, copies: await buildCopies(paths, readText) };
}

async function readText(path: string): Promise<string | undefined> {
  const real = await realFile(path);
  const text = real === undefined ? undefined : await nodeFiles.readText(real);
  return text !== undefined && text.length <= LARGEST_READ ? text : undefined;
}

/** The file behind a path, if it is within the workspace. */
async function realFile(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    if (!(await stat(real)).isFile()) return undefined;
    const uri = vscode.Uri.file(real);
    const roots = await Promise.all(folders().map((folder) => realpath(folder)));
    const isInside = roots.some((root) =>
      uri.fsPath.startsWith(vscode.Uri.file(`${root}/`).fsPath),
    );
    return isInside ? real : undefined;
  } catch {
    return undefined;
  }
}
