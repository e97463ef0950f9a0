import * as vscode from 'vscode';
import type { Engines } from '../../engines/engines.ts';
import { DEFAULT_ENGINE } from '../../engines/engineUnit.ts';
import type { Container } from '../../engine/model.ts';
import type { CodeLensMode } from '../../base/settings.ts';
import { DisposableStore, type Disposable } from '../../base/lifetime.ts';
import { COMPOSE_SELECTOR } from '../../projects/composeFiles.ts';
import { readComposeFile, type ComposeFile } from '../../projects/composeFile.ts';
import type { Orphans } from '../../projects/orphans.ts';
import { composeLenses, type ComposeLens } from './composeLenses.ts';

/** Shows the state of services above them in compose files, and what can be done. */
export class ComposeLensProvider implements Disposable {
  readonly #parts: LensParts;
  readonly #store = new DisposableStore();
  /** Contents read of each open document, with the version. */
  readonly #files = new WeakMap<
    vscode.TextDocument,
    { readonly version: number; readonly file: Promise<ComposeFile | undefined> }
  >();

  /** Whether VS Code was notified of a change, and has not asked for the lenses since. */
  #isAnnounced = false;

  constructor(parts: LensParts) {
    this.#parts = parts;
    const { engines, orphans, onDidChange } = parts;
    const update = (): void => {
      const isVisible = vscode.window.visibleTextEditors.some(
        ({ document }) => vscode.languages.match(COMPOSE_SELECTOR, document) > 0,
      );
      // Each change would restart the pause that VS Code makes before it asks, so that it would not ask at all.
      if (!isVisible || this.#isAnnounced) return;
      this.#isAnnounced = true;
      onDidChange();
    };
    this.#store.listen(engines.onDidChangeInventory, update);
    this.#store.listen(engines.onDidChange, update);
    this.#store.listen(orphans.onDidChange, update);
    this.#store.listen(vscode.workspace.onDidGrantWorkspaceTrust, update);
  }

  async provide(
    document: vscode.TextDocument,
    mode: Exclude<CodeLensMode, 'off'>,
  ): Promise<vscode.CodeLens[]> {
    this.#isAnnounced = false;
    const { engines } = this.#parts;
    // The others are started by the views: they may ask for a password.
    engines.get(DEFAULT_ENGINE)?.start();
    const file = await this.#read(document);
    if (!file) return [];
    const lenses = composeLenses({
      file,
      path: document.uri.fsPath,
      engines: new Map(
        engines.all.map(({ name, inventory }) => [name, [...inventory.containers.values()]]),
      ),
      canRun: vscode.workspace.isTrusted,
      isQuiet: mode === 'state',
      isKnown: engines.all.some(({ inventory }) => inventory.phase.kind === 'live'),
      expectedOf: (engine, container) =>
        document.isDirty ? undefined : this.#expectedOf(engine, container),
    });
    return lenses.map((lens) => asCodeLens(lens, document.uri));
  }

  /** Returns no service if the row has read the files, but does not know them all. */
  #expectedOf(name: string, container: Container): Iterable<string> | undefined {
    const { engines, orphans } = this.#parts;
    const unit = engines.named(name);
    const files = unit ? orphans.of(unit).filesOf(container) : undefined;
    return files ? (files.expected ?? []) : undefined;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #read(document: vscode.TextDocument): Promise<ComposeFile | undefined> {
    const { version } = document;
    const known = this.#files.get(document);
    if (known?.version === version) return known.file;
    const file = readComposeFile(document.getText());
    this.#files.set(document, { version, file });
    return file;
  }
}

/** Dependencies of the lenses. */
interface LensParts {
  readonly engines: Engines;
  readonly orphans: Pick<Orphans, 'of' | 'onDidChange'>;
  /** Called when the lenses of a visible file may have changed. */
  readonly onDidChange: () => void;
}

function asCodeLens(
  { line, title, tooltip, command, argument, isChoice, build }: ComposeLens,
  uri: vscode.Uri,
): vscode.CodeLens {
  const range = new vscode.Range(line, 0, line, 0);
  if (build !== undefined) {
    const args = [uri.with({ fragment: build }), []];
    return new vscode.CodeLens(range, { title, command: 'gantry.images.build', arguments: args });
  }
  // The second argument marks it as a choice of the user, as that of a menu.
  const args = argument && { arguments: isChoice === true ? [argument, []] : [argument] };
  return new vscode.CodeLens(range, { title, tooltip, command: command ?? '', ...args });
}
