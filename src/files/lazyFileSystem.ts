import * as vscode from 'vscode';
import { once, type Disposable } from '../base/lifetime.ts';
import type { ContainerFileSystem } from './containerFileSystem.ts';

/** The file system of containers, images and volumes. What it does is loaded with the first file. */
export class LazyFileSystem implements vscode.FileSystemProvider, Disposable {
  readonly #open: () => Promise<ContainerFileSystem>;
  readonly #changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();

  readonly onDidChangeFile = this.#changes.event;

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

  async createDirectory(uri: vscode.Uri): Promise<void> {
    await (await this.#open()).tree.createDirectory(uri);
  }

  async delete(uri: vscode.Uri, options: { readonly recursive: boolean }): Promise<void> {
    await (await this.#open()).tree.delete(uri, options);
  }

  async rename(from: vscode.Uri, to: vscode.Uri): Promise<void> {
    await (await this.#open()).tree.rename(from, to);
  }

  async copy(from: vscode.Uri, to: vscode.Uri): Promise<void> {
    await (await this.#open()).tree.copy(from, to);
  }

  dispose(): void {
    this.#changes.dispose();
  }
}
