import * as vscode from 'vscode';
import { once, type Disposable } from '../base/lifetime.ts';
import type { ContainerFileSystem } from './containerFileSystem.ts';

/** The file system of containers and images, in which files are saved. What reads them is loaded with the first file. */
export class LazyFileSystem implements vscode.FileSystemProvider, Disposable {
  readonly #open: () => Promise<ContainerFileSystem>;
  readonly #changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();

  readonly onDidChangeFile = this.#changes.event;
  readonly createDirectory = refuse;
  readonly delete = refuse;
  readonly rename = refuse;

  constructor(load: () => Promise<ContainerFileSystem>) {
    this.#open = once(async () => {
      const system = await load();
      system.onDidChangeFile(this.#changes.fire.bind(this.#changes));
      return system;
    });
  }

  /** Does nothing: engines do not report file changes. Open documents are refreshed when their container changes. */
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    return (await this.#open()).stat(uri);
  }

  async readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    return (await this.#open()).readDirectory(uri);
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#open()).readFile(uri);
  }

  async writeFile(
    uri: vscode.Uri,
    contents: Uint8Array,
    options: { readonly create: boolean; readonly overwrite: boolean },
  ): Promise<void> {
    await (await this.#open()).writeFile(uri, contents, options);
  }

  dispose(): void {
    this.#changes.dispose();
  }
}

/** Rejects what is not done through the file system of VS Code. */
function refuse(uri: vscode.Uri): never {
  throw vscode.FileSystemError.NoPermissions(uri);
}
