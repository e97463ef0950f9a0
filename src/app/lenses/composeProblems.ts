import { basename } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/lifetime.ts';
import { plainText } from '../../base/plainText.ts';
import { currentText } from '../../output/buildProblems.ts';
import { placeOfMistake, type ComposeError } from '../../projects/cli/composeErrors.ts';

/** Shows in Problems why Compose refuses a file, at its line, until the file changes or Compose takes it. */
export class ComposeProblems implements Disposable {
  readonly #store = new DisposableStore();
  readonly #problems = this.#store.add(
    vscode.languages.createDiagnosticCollection('gantry.compose'),
  );
  /** The watcher of each file that has a problem: it may be changed outside of an editor. */
  readonly #watchers = new Map<string, Disposable>();
  /** The last run of each file: what it says replaces what earlier ones say. */
  readonly #runs = new Map<string, symbol>();

  constructor() {
    this.#store.add(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.#hide(document.uri);
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
    const run = Symbol('run');
    for (const file of files) {
      this.#hide(vscode.Uri.file(file));
      if (error) this.#runs.set(file, run);
      else this.#runs.delete(file);
    }
    if (!error) return;
    const texts = new Map<string, string>();
    for (const file of files) {
      const text = await currentText(vscode.Uri.file(file));
      if (text !== undefined) texts.set(file, text);
    }
    const place = await placeOfMistake(error, texts);
    if (!place || this.#runs.get(place.file) !== run) return;
    const { file, line, column } = place;
    const length = texts.get(file)?.split(/\r?\n/)[line]?.length ?? column;
    const range = new vscode.Range(line, column, line, length);
    const problem = new vscode.Diagnostic(range, plainText(error.message));
    problem.source = 'Gantry';
    const uri = vscode.Uri.file(file);
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
    const hide = (): void => this.#hide(uri);
    watcher.onDidChange(hide);
    watcher.onDidCreate(hide);
    watcher.onDidDelete(hide);
    this.#watchers.set(uri.toString(), watcher);
  }

  #hide(uri: vscode.Uri): void {
    this.#problems.delete(uri);
    this.#watchers.get(uri.toString())?.dispose();
    this.#watchers.delete(uri.toString());
  }
}
