import { basename } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/lifetime.ts';
import { plainText } from '../../base/plainText.ts';
import { isSameText, unsavedOrDiskText } from '../../output/buildProblems.ts';
import { placeOfMistake, type ComposeError } from '../../projects/cli/composeErrors.ts';

/** Shows in Problems why Compose refuses a file, at its line, until the file changes or Compose takes it. */
export class ComposeProblems implements Disposable {
  readonly #store = new DisposableStore();
  readonly #problems = this.#store.add(
    vscode.languages.createDiagnosticCollection('gantry.compose'),
  );
  /** The watcher of each file that has a problem: it may be changed outside of an editor. */
  readonly #watchers = new Map<string, Disposable>();
  /** What the last run of each file has read, by URI. What it says replaces what earlier ones say. */
  readonly #reads = new Map<string, Read>();

  constructor() {
    this.#store.add(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) void this.#hideIfChanged(document.uri);
      }),
    );
  }

  /**
   * Replaces the problem of the files of a run.
   *
   * @param files absolute paths, each overriding those before.
   * @param error undefined if Compose took them.
   */
  async show(files: readonly string[], error: ComposeError | undefined): Promise<void> {
    const reads = new Map<string, Read>(files.map((file) => [file, {}]));
    for (const [file, read] of reads) {
      const uri = vscode.Uri.file(file);
      this.#hide(uri);
      if (error) this.#reads.set(uri.toString(), read);
    }
    if (!error) return;
    const texts = new Map<string, string>();
    for (const [file, read] of reads) {
      const text = await unsavedOrDiskText(vscode.Uri.file(file));
      read.text = text;
      if (text !== undefined) texts.set(file, text);
    }
    const place = await placeOfMistake(error, texts);
    if (!place) return;
    const { file, line, column } = place;
    const uri = vscode.Uri.file(file);
    if (this.#reads.get(uri.toString()) !== reads.get(file)) return;
    const length = texts.get(file)?.split(/\r?\n/)[line]?.length ?? column;
    const range = new vscode.Range(line, column, line, length);
    const problem = new vscode.Diagnostic(range, plainText(error.message));
    problem.source = 'Gantry';
    this.#problems.set(uri, [problem]);
    this.#watch(uri);
  }

  dispose(): void {
    for (const one of this.#watchers.values()) one.dispose();
    this.#store.dispose();
  }

  #watch(uri: vscode.Uri): void {
    const folder = vscode.Uri.joinPath(uri, '..');
    const watcher = vscode.workspace.createFileSystemWatcher(
      new vscode.RelativePattern(folder, basename(uri.fsPath)),
    );
    const hide = (): void => void this.#hideIfChanged(uri);
    watcher.onDidChange(hide);
    watcher.onDidCreate(hide);
    watcher.onDidDelete(hide);
    this.#watchers.set(uri.toString(), watcher);
  }

  /** A change is reported late: it may be the one that the run has already read. */
  async #hideIfChanged(uri: vscode.Uri): Promise<void> {
    const read = this.#reads.get(uri.toString());
    if (read?.text === undefined) return;
    const text = await unsavedOrDiskText(uri);
    if (this.#reads.get(uri.toString()) !== read) return;
    if (text === undefined || !isSameText(text, read.text)) this.#hide(uri);
  }

  #hide(uri: vscode.Uri): void {
    this.#reads.delete(uri.toString());
    this.#problems.delete(uri);
    this.#watchers.get(uri.toString())?.dispose();
    this.#watchers.delete(uri.toString());
  }
}

/** What a run has read of a file; nothing until it has read it, or if it cannot. */
interface Read {
  text?: string | undefined;
}
