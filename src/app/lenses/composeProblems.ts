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
  #showings = 0;

  constructor() {
    this.#store.add(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.#problems.delete(document.uri);
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
    const showing = ++this.#showings;
    for (const file of files) this.#problems.delete(vscode.Uri.file(file));
    if (!error) return;
    const texts = new Map<string, string>();
    for (const file of files) {
      const text = await currentText(vscode.Uri.file(file));
      if (text !== undefined) texts.set(file, text);
    }
    const place = await placeOfMistake(error, texts);
    // A newer run says more.
    if (!place || showing !== this.#showings) return;
    const { file, line, column } = place;
    const length = texts.get(file)?.split(/\r?\n/)[line]?.length ?? column;
    const range = new vscode.Range(line, column, line, length);
    const problem = new vscode.Diagnostic(range, plainText(error.message));
    problem.source = 'Gantry';
    this.#problems.set(vscode.Uri.file(file), [problem]);
  }

  dispose(): void {
    this.#store.dispose();
  }
}
