import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Engines } from '../../engines/engines.ts';
import { DisposableStore, type Disposable } from '../../base/lifetime.ts';
import { workspaceFolders } from '../workspaceFiles.ts';
import { presentStatus, type StatusLook } from './presentStatus.ts';
import { WorkspaceProjects, type WorkspaceProjectsParts } from './workspaceProjects.ts';

/** Shows the compose projects of the workspace in the status bar, while an engine that has one is connected. */
export class ProjectStatus implements Disposable {
  readonly #engines: Engines;
  readonly #store = new DisposableStore();
  readonly #projects: WorkspaceProjects;
  readonly #item: vscode.StatusBarItem;
  #shown = '';
  /** The same object for the same project: with another one, VS Code ignores a click until it has heard of it. */
  #command: vscode.Command | undefined;

  constructor(engines: Engines, known: Pick<WorkspaceProjectsParts, 'orphans' | 'worktrees'>) {
    this.#engines = engines;
    const parts = { engines, ...known, folders: workspaceFolders };
    this.#projects = this.#store.add(new WorkspaceProjects(parts));
    const { Left } = vscode.StatusBarAlignment;
    this.#item = this.#store.add(vscode.window.createStatusBarItem('gantry.project', Left, 0));
    this.#item.name = l10n.t('Gantry: Compose Projects');
    this.#store.listen(this.#projects.onDidChange, () => this.#update());
    this.#store.listen(vscode.workspace.onDidChangeWorkspaceFolders, () => this.#projects.reset());
    this.#update();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #update(): void {
    const look = presentStatus(this.#projects.all, this.#engines.areSeveral);
    const key = look ? JSON.stringify(look) : '';
    if (key === this.#shown) return;
    this.#shown = key;
    if (look) this.#show(look);
    else this.#item.hide();
  }

  #show({ text, tooltip, accessibilityLabel, isWarning, argument }: StatusLook): void {
    const args = argument ? [argument] : [];
    if (JSON.stringify(args) !== JSON.stringify(this.#command?.arguments)) {
      const title = l10n.t('Show Actions...');
      this.#command = { command: 'gantry.projects.actions', title, arguments: args };
    }
    Object.assign(this.#item, {
      text,
      tooltip,
      command: this.#command,
      accessibilityInformation: { label: accessibilityLabel, role: 'button' },
      backgroundColor: isWarning
        ? new vscode.ThemeColor('statusBarItem.warningBackground')
        : undefined,
    });
    this.#item.show();
  }
}
