import { realpath, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { BuildRequest } from '../engine/builds/model.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import { nodeFiles } from '../engine/discovery/nodeFiles.ts';
import type { Connect } from '../engine/sameEngineOnly.ts';
import { Emitter, type Disposable, type Event } from '../lifetime.ts';
import { buildCopies, pathsInBuild } from '../logs/sources/buildCopies.ts';
import { containerPathsOf, type ContainerPaths } from '../logs/sources/containerPaths.ts';
import { SourceFinder, type FileLookup } from '../logs/sources/sourceFinder.ts';
import type { SourceReference } from '../logs/text/sourcePath.ts';
import { oneLine } from '../plainText.ts';
import type { SourceLookup, SourceLocation } from '../logs/sources/sourceLookup.ts';

/** Maximum number of containers, or steps of a build, per viewer whose paths are kept. */
const MOST_MEMBERS = 200;

/** Finds the workspace files that the source references in logs point to. */
export class WorkspaceSources implements SourceLookup, Disposable {
  readonly #readPaths: ReadPaths;
  readonly #finder = new SourceFinder(files);
  readonly #paths = new Map<string, Promise<ContainerPaths>>();
  readonly #changes = new Emitter<void>();
  readonly #end = new AbortController();
  readonly #subscription: vscode.Disposable;

  readonly onDidChange: Event<void> = this.#changes.event;

  constructor(readPaths: ReadPaths) {
    this.#readPaths = readPaths;
    this.#subscription = vscode.workspace.onDidChangeWorkspaceFolders(() => {
      this.#finder.clear();
      // A compose file may be available now.
      this.#paths.clear();
      this.#changes.fire();
    });
  }

  async find(
    memberId: string,
    reference: SourceReference,
    signal: AbortSignal,
  ): Promise<SourceLocation | undefined> {
    if (folders().length === 0) return undefined;
    const path = await this.#finder.find(reference, await this.#pathsOf(memberId));
    signal.throwIfAborted();
    if (path === undefined) return undefined;
    const { line, column } = reference;
    const shown = oneLine(vscode.workspace.asRelativePath(vscode.Uri.file(path)));
    return { path, line, column, title: line === undefined ? shown : `${shown}:${line}` };
  }

  dispose(): void {
    this.#end.abort();
    this.#subscription.dispose();
    this.#changes.dispose();
  }

  /** Reads the paths once and shares them. The reading is not canceled if one of the callers is canceled. */
  #pathsOf(id: string): Promise<ContainerPaths> {
    const known = this.#paths.get(id);
    if (known) return known;
    const asked = this.#readPaths(id, this.#end.signal);
    this.#paths.set(id, asked);
    const [oldest] = this.#paths.keys();
    if (this.#paths.size > MOST_MEMBERS && oldest !== undefined) this.#paths.delete(oldest);
    asked.catch(() => this.#paths.delete(id));
    return asked;
  }
}

/** Resolves to where the files of a member of a log, by its ID, come from. */
export type ReadPaths = (id: string, signal: AbortSignal) => Promise<ContainerPaths>;

/** Returns what reads the paths of containers. */
export function containerPaths(connect: Connect): ReadPaths {
  return async (id, signal) => {
    const details = await inspectContainer(await connect(signal), id, signal);
    const paths = containerPathsOf(details);
    return { ...paths, copies: await buildCopies(paths, readText) };
  };
}

/** Returns what reads the paths in the steps of a build; `request` is missing if another client has started it. */
export function buildPaths(request: BuildRequest | undefined): ReadPaths {
  return async (id) => pathsInBuild(id, request, request && (await readText(request.dockerfile)));
}

function folders(): readonly string[] {
  const all = vscode.workspace.workspaceFolders ?? [];
  return all.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}

const files: FileLookup = {
  folders,
  isFile: async (path) => (await realFile(path)) !== undefined,
  findByTail: async (tail, limit) => {
    const pattern = `**/${tail.replaceAll(/[*?[\]{}!]/g, '[$&]')}`;
    const found = await vscode.workspace.findFiles(pattern, undefined, limit);
    return found.map(({ fsPath }) => fsPath);
  },
};

/** No compose file is larger than this, in characters. */
const LARGEST_READ = 256 * 1024;

async function readText(path: string): Promise<string | undefined> {
  const real = await realFile(path);
  const text = real === undefined ? undefined : await nodeFiles.readText(real);
  return text !== undefined && text.length <= LARGEST_READ ? text : undefined;
}

/** Resolves to the real path if it is a file within the workspace, otherwise to undefined. */
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
