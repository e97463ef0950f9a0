import * as vscode from 'vscode';
import { lineShift } from '../builds/lineShift.ts';
import { linesStillThere } from '../engine/builds/failedLines.ts';
import type { BuildSource, BuildWarning } from '../engine/builds/model.ts';
import { readLocalText } from '../base/readLocalFile.ts';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import { plainText } from '../base/plainText.ts';
import { messageOf } from '../base/translate.ts';
import type { FoundProblems } from '../builds/buildsAccess.ts';

/** Limit of the problems of one file. */
const MOST_PROBLEMS = 200;

/** Shows the errors and warnings of builds in Problems, at the lines of the Dockerfiles. */
export class BuildProblems implements Disposable {
  readonly #store = new DisposableStore();
  readonly #problems = this.#store.add(vscode.languages.createDiagnosticCollection('gantry'));
  /** The errors of builds, not of checks, and when they were found. */
  readonly #errors = new WeakMap<vscode.Diagnostic, number>();
  /** The text of the file that a problem is in, as long as its editor has not read it. */
  readonly #unread = new WeakMap<vscode.Diagnostic, string>();
  /** When the problems of each file were found by builds. */
  readonly #builtAt = new Map<string, number>();
  /** The same by checks. */
  readonly #checkedAt = new Map<string, number>();

  constructor() {
    this.#store.add(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        this.#follow(document, contentChanges);
      }),
    );
  }

  /**
   * Replaces the problems of a Dockerfile by those of its last build or check. A problem whose lines have changed
   * since is left out. Does nothing if those of a newer build, or of a newer check, are shown. A build does not replace
   * the problems of a check that is newer.
   *
   * @param dockerfile absolute path.
   * @param foundAt when they were found, in milliseconds since 1970; by default now, which the engine's clock may be
   * ahead of.
   */
  async show(dockerfile: string, found: FoundProblems, foundAt?: number): Promise<void> {
    const times = found.isCheck ? this.#checkedAt : this.#builtAt;
    const at = foundAt ?? Math.max(Date.now(), this.#lastOf(dockerfile) + 1);
    if (at < (times.get(dockerfile) ?? 0)) return;
    times.set(dockerfile, at);
    const uri = vscode.Uri.file(dockerfile);
    const text = await unsavedOrDiskText(uri);
    if (times.get(dockerfile) !== at) return;
    const shown = text === undefined ? [] : problemsOf(found, text);
    const edited = openDocument(uri)?.getText();
    if (text !== undefined && edited !== undefined && !isSameText(edited, text))
      for (const one of shown) this.#unread.set(one, text);
    const kept = this.#kept(dockerfile, found, at);
    if (!found.isCheck) this.#recordErrors(shown, at);
    const all = [...kept, ...shown].toSorted((a, b) => a.severity - b.severity);
    this.#problems.set(uri, all.slice(0, MOST_PROBLEMS));
  }

  #lastOf(dockerfile: string): number {
    return Math.max(this.#builtAt.get(dockerfile) ?? 0, this.#checkedAt.get(dockerfile) ?? 0);
  }

  /**
   * Returns the problems that stay: with those of a check, the errors of builds; with an older build, those of checks.
   */
  #kept(dockerfile: string, { isCheck }: FoundProblems, at: number): readonly vscode.Diagnostic[] {
    const before = this.#problems.get(vscode.Uri.file(dockerfile)) ?? [];
    if (isCheck) return before.filter((one) => this.#errors.has(one));
    const isOlder = at < (this.#checkedAt.get(dockerfile) ?? 0);
    return isOlder ? before.filter((one) => !this.#errors.has(one)) : [];
  }

  #recordErrors(problems: readonly vscode.Diagnostic[], at: number): void {
    for (const one of problems) if (one.severity === ERROR) this.#errors.set(one, at);
  }

  /** Hides the error of the build of a Dockerfile that was found at this time, and nothing else. */
  hide(dockerfile: string, at: number): void {
    const uri = vscode.Uri.file(dockerfile);
    const shown = this.#problems.get(uri) ?? [];
    const left = shown.filter((one) => this.#errors.get(one) !== at);
    if (left.length < shown.length) this.#problems.set(uri, left);
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Removes the problems of changed lines, and moves those below. */
  #follow(
    document: vscode.TextDocument,
    changes: readonly vscode.TextDocumentContentChangeEvent[],
  ): void {
    const { uri } = document;
    const before = this.#problems.get(uri);
    if (!before || before.length === 0 || changes.length === 0) return;
    const after = before.flatMap((one) => {
      const text = this.#unread.get(one);
      if (text !== undefined) return this.#caughtUp(one, text, document);
      return changes.reduce<readonly vscode.Diagnostic[]>(
        (left, change) => left.flatMap((moving) => moved(moving, change)),
        [one],
      );
    });
    this.#problems.set(uri, after);
  }

  /** A problem does not move while its editor reads the text that it is in; it is gone if an older text is edited. */
  #caughtUp(
    problem: vscode.Diagnostic,
    text: string,
    document: vscode.TextDocument,
  ): readonly vscode.Diagnostic[] {
    if (isSameText(document.getText(), text)) this.#unread.delete(problem);
    else if (document.isDirty) return [];
    return [problem];
  }
}

const { Error: ERROR, Warning: WARNING } = vscode.DiagnosticSeverity;

function problemsOf({ failure, warnings }: FoundProblems, text: string): vscode.Diagnostic[] {
  const error = failure && problemOf(failure.message, failure.source, text, ERROR);
  const all = [error, ...warnings.map((warning) => warningOf(warning, text))];
  return all.filter((one) => one !== undefined);
}

function warningOf(warning: BuildWarning, text: string): vscode.Diagnostic | undefined {
  const { detail = '', source, url } = warning;
  const message = messageOf(warning);
  const words = detail === '' ? message : `${message}\n${detail}`;
  const problem = problemOf(words, source, text, WARNING);
  if (problem && url !== undefined && /^https?:\/\//.test(url)) {
    const [rule = message] = message.split(':', 1);
    problem.code = { value: plainText(rule), target: vscode.Uri.parse(url) };
  }
  return problem;
}

function problemOf(
  message: string,
  source: BuildSource | undefined,
  text: string,
  severity: vscode.DiagnosticSeverity,
): vscode.Diagnostic | undefined {
  const { start, end } = source?.lines ?? { start: 1, end: 1 };
  const lines = text.split(/\r?\n/);
  const isChanged = source?.text !== undefined && !linesStillThere(source, text);
  if (isChanged || end > lines.length) return undefined;
  const range = new vscode.Range(start - 1, 0, end - 1, lines[end - 1]?.length ?? 0);
  const problem = new vscode.Diagnostic(range, plainText(message), severity);
  problem.source = 'Gantry';
  return problem;
}

/** Returns a problem after a change of the text, at its new lines; nothing if its own lines have changed. */
function moved(
  problem: vscode.Diagnostic,
  change: vscode.TextDocumentContentChangeEvent,
): readonly vscode.Diagnostic[] {
  const { start, end } = problem.range;
  const shift = lineShift({ start: start.line, end: end.line }, change);
  if (shift === undefined) return [];
  const first = start.line + shift;
  const last = end.line + shift;
  problem.range = new vscode.Range(first, start.character, last, end.character);
  return [problem];
}

/** The largest file that is read, in bytes. */
const LARGEST_FILE = 2 * 1024 * 1024;

/** Returns the text of a file as it is in its editor, or on disk; undefined if it cannot be read. */
export async function currentText(uri: vscode.Uri): Promise<string | undefined> {
  return openDocument(uri)?.getText() ?? diskText(uri);
}

/**
 * Returns the text of a file as other programs read it, or as it is in its editor if it has unsaved changes; undefined
 * if it cannot be read. An editor learns late of a change on disk.
 */
export async function unsavedOrDiskText(uri: vscode.Uri): Promise<string | undefined> {
  const open = openDocument(uri);
  return open?.isDirty ? open.getText() : diskText(uri);
}

/** Whether two texts are the same for an editor, which has one kind of line ends and no byte order mark. */
export function isSameText(text: string, other: string): boolean {
  return asEdited(text) === asEdited(other);
}

function asEdited(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
}

function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
}

async function diskText(uri: vscode.Uri): Promise<string | undefined> {
  if (uri.scheme === 'file')
    return readLocalText(uri.fsPath, { within: false, limit: LARGEST_FILE });
  try {
    if ((await vscode.workspace.fs.stat(uri)).size > LARGEST_FILE) return undefined;
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return undefined;
  }
}
