import { realpath, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { BuildRequest } from '../engine/builds/model.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import { nodeFiles } from '../engine/discovery/nodeFiles.ts';
import type { Connect } from '../engine/http/sameEngineOnly.ts';
import { Emitter, type Disposable, type Event } from '../base/lifetime.ts';
import { buildCopies, fileOriginsInBuild } from '../logs/sources/buildCopies.ts';
import { fileOriginsOf, type FileOrigins } from '../logs/sources/fileOrigins.ts';
import { SourceFinder, type FileLookup } from '../logs/sources/sourceFinder.ts';
import type { SourceReference } from '../logs/text/sourcePath.ts';
import { oneLine } from '../base/plainText.ts';
import type { SourceLookup, SourceLocation } from '../logs/sources/sourceLookup.ts';

/** Maximum number of containers, or steps of a build, per viewer whose file origins are kept. */
const MOST_MEMBERS = 200;

/** Finds the workspace files that the source references in logs point to. */
export class WorkspaceSources implements SourceLookup, Disposable {
  readonly #readOrigins: ReadOrigins;
  readonly #finder = new SourceFinder(files);
  readonly #origins = new Map<string, Promise<FileOrigins>>();
  readonly #changes = new Emitter<void>();
  readonly #end = new AbortController();
  readonly #subscription: vscode.Disposable;

  readonly onDidChange: Event<void> = this.#changes.event;

  constructor(readOrigins: ReadOrigins) {
    this.#readOrigins = readOrigins;
    this.#subscription = vscode.workspace.onDidChangeWorkspaceFolders(() => {
      this.#finder.clear();
      // A compose file may be available now.
      this.#origins.clear();
      this.#changes.fire();
    });
  }

  async find(
    memberId: string,
    reference: SourceReference,
    signal: AbortSignal,
  ): Promise<SourceLocation | undefined> {
    if (folders().length === 0) return undefined;
    const path = await this.#finder.find(reference, await this.#originsOf(memberId));
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

  /** Reads the origins once and shares them. The reading is not canceled if one of the callers is canceled. */
  #originsOf(id: string): Promise<FileOrigins> {
    const known = this.#origins.get(id);
    if (known) return known;
    const asked = this.#readOrigins(id, this.#end.signal);
    this.#origins.set(id, asked);
    const [oldest] = this.#origins.keys();
    if (this.#origins.size > MOST_MEMBERS && oldest !== undefined) this.#origins.delete(oldest);
    asked.catch(() => this.#origins.delete(id));
    return asked;
  }
}

/** Resolves to where the files of a member of a log, by its ID, come from. */
export type ReadOrigins = (id: string, signal: AbortSignal) => Promise<FileOrigins>;

/** Returns what reads the origins of the files in containers. */
export function originsInContainers(connect: Connect): ReadOrigins {
  return async (id, signal) => {
    const details = await inspectContainer(await connect(signal), id, signal);
    const origins = fileOriginsOf(details);
    return { ...origins, copies: await buildCopies(origins, readText) };
  };
}

/** Returns what reads those in the steps of a build; `request` is missing if another client has started it. */
export function originsInBuild(request: BuildRequest | undefined): ReadOrigins {
  return async (id) =>
    fileOriginsInBuild(id, request, request && (await readText(request.dockerfile)));
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
