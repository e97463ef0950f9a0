import * as l10n from '@vscode/l10n';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { errorMessage, MessageError } from '../commands/ui/errorMessage.ts';
import type { OpenQuestion, Progress, SaveQuestion, Ui } from '../commands/ui/ui.ts';
import type { LogViewers } from '../logviewer/logViewers.ts';
import type { CliTasks } from '../tasks/cliTasks.ts';
import { devContainers } from './devContainers.ts';
import type { ExecTasks } from '../tasks/execTasks.ts';
import type { Documents } from './documents.ts';
import { workspaceFolders } from './workspaceFiles.ts';
import { input, pick, pickMany } from './editorQuickInputs.ts';
import { isCancellation, once, type Disposable } from '../base/lifetime.ts';
import { settings } from '../base/settings.ts';
import { displayText, displayTitle, isDisplayedWhole } from '../base/plainText.ts';

const { window } = vscode;

/** The publisher, and the name. */
const OWN = 'gantry';

/** Milliseconds after which work gets a progress notification. */
const LATE_MS = 1000;

/**
 * Returns the user interface of commands in VS Code. Sanitizes text from engines and registries before it is shown.
 */
export function editorUi({ documents, own, ...parts }: EditorParts): Ui {
  const upChanges = once(async () => {
    const { UpChangesView } = await import('./upChanges/upChangesView.ts');
    return own(new UpChangesView());
  });
  const composeProblems = once(async () => {
    const { ComposeProblems } = await import('./lenses/composeProblems.ts');
    return own(new ComposeProblems());
  });
  let isRefused = false;
  return {
    ...editor,
    showJson: (...shown) => documents.showJson(...shown),
    showText: (...shown) => documents.showText(...shown),
    showUpChanges: async (shown) => (await upChanges()).show(shown),
    showComposeProblem: async (files, error) => {
      // Loaded only when there is something to show, or to hide.
      isRefused ||= error !== undefined;
      if (isRefused) await (await composeProblems()).show(files, error);
    },
    askLogViewer: async (what) => (await parts.viewers()).ask(what),
    runTask: async (call, options) => (await parts.tasks()).run(call, options),
    runExecTask: async (task) => (await parts.execTasks()).run(task),
    changeText: async (...change) => (await import('./changeText.ts')).changeText(...change),
  };
}

/** Parts that the user interface shows things in. Those that are functions are loaded on first use. */
interface EditorParts {
  readonly documents: Documents;
  readonly viewers: () => Promise<LogViewers>;
  /** Keeps what the user interface opens until the window is closed. */
  readonly own: <T extends Disposable>(item: T) => T;
  readonly tasks: () => Promise<CliTasks>;
  readonly execTasks: () => Promise<ExecTasks>;
}

const info = notifying((text, titles) => window.showInformationMessage(text, ...titles));
const warn = notifying((text, titles) => window.showWarningMessage(text, ...titles));
const error = notifying((text, titles) => window.showErrorMessage(text, ...titles));

/** Members that need nothing of the extension. */
const editor = {
  settings,
  editor: `${vscode.env.appName} ${vscode.version}`,
  remoteName: vscode.env.remoteName,
  devContainers,
  commandTitle,
  workspaceFolders,
  isTrusted: () => vscode.workspace.isTrusted,
  findFiles,
  activeFile,
  openFiles,
  info,
  warn,
  error,
  message: async (message, detail, buttons) =>
    window.showInformationMessage(
      displayText(message),
      { modal: true, detail: displayText(detail) },
      ...buttons,
    ),
  choose,
  confirm: async (message, detail, button) => (await choose(message, detail, [button])) === button,
  pick,
  pickMany,
  input,
  progress,
  openDialog,
  saveDialog,
  copy: async (text) => vscode.env.clipboard.writeText(text),
  uri: (parts) => vscode.Uri.from(parts),
  openFile: async (uri, line) => {
    const at = line === undefined ? undefined : new vscode.Position(line - 1, 0);
    const options = at && { preview: true, selection: new vscode.Range(at, at) };
    // VS Code's own command, because it also opens images and other binary files.
    await vscode.commands.executeCommand('vscode.open', uri, ...(options ? [options] : []));
  },
  openExternal: async (url) => {
    await vscode.env.openExternal(await vscode.env.asExternalUri(vscode.Uri.parse(url)));
  },
  focusView: (command) => {
    void vscode.commands.executeCommand(command);
  },
  manageTrust: () => {
    void vscode.commands.executeCommand('workbench.trust.manage');
  },
} satisfies Partial<Ui>;

async function findFiles(
  pattern: string,
  most: number,
  exclude?: string,
): Promise<readonly string[]> {
  const found = await vscode.workspace.findFiles(pattern, exclude, most);
  return found.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
}

function activeFile(pattern: string): string | undefined {
  const { document } = window.activeTextEditor ?? {};
  const isMatch = document && vscode.languages.match({ scheme: 'file', pattern }, document) > 0;
  return isMatch ? document.uri.fsPath : undefined;
}

function openFiles(): readonly string[] {
  const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
  const uris = tabs
    .toSorted((one, other) => Number(other.isActive) - Number(one.isActive))
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  const local = uris.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath);
  return [...new Set(local)];
}

function commandTitle(id: Parameters<Ui['commandTitle']>[0]): string | undefined {
  const all = vscode.extensions.getExtension(`${OWN}.${OWN}`)?.packageJSON as Manifest | undefined;
  const found = all?.contributes.commands.find(({ command }) => command === id);
  if (!found) return undefined;
  const [category, title] = [found.category, found.title].map((text) =>
    typeof text === 'string' ? text : (text?.value ?? ''),
  );
  const noun = category?.replace(/^Gantry ?/, '') ?? '';
  const verb = title?.replace(/\.\.\.$/, '') ?? '';
  return noun === '' ? verb : `${noun}: ${verb}`;
}

/** The commands in the manifest, as VS Code has localized them. */
interface Manifest {
  readonly contributes: {
    readonly commands: readonly {
      readonly command: string;
      readonly title: Localized;
      readonly category?: Localized;
    }[];
  };
}

type Localized = string | { readonly value: string };

async function choose(
  message: string,
  detail: string,
  buttons: readonly string[],
): Promise<string | undefined> {
  if (!isDisplayedWhole(message) || !isDisplayedWhole(detail))
    throw new MessageError(l10n.t('The confirmation is too long to show. Nothing was done.'));
  const options = { modal: true, detail: displayText(detail) };
  return window.showWarningMessage(displayText(message), options, ...buttons);
}

/** Shows a message with buttons and runs the action of the selected button. */
function notifying(
  show: (text: string, titles: readonly string[]) => Thenable<string | undefined>,
): Ui['info'] {
  return (message, ...actions) => {
    const titles = actions.map(({ title }) => title);
    void show(displayText(message), titles)
      .then((title) => actions.find((action) => action.title === title)?.run())
      .then(undefined, (failure: unknown) => {
        if (!isCancellation(failure)) error(errorMessage(failure));
      });
  };
}

async function progress<T>(
  title: string,
  when: 'atOnce' | 'late',
  run: (signal: AbortSignal, report: (progress: Progress) => void) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let latest: Progress | undefined;
  let paint: (() => void) | undefined;
  const work = run(controller.signal, (now) => {
    latest = now;
    paint?.();
  });
  const location = vscode.ProgressLocation.Notification;
  const show = (): void => {
    const options = { location, title: displayTitle(title), cancellable: true };
    void window.withProgress(options, async (bar, token) => {
      const cancel = token.onCancellationRequested(() => controller.abort());
      let painted = 0;
      paint = () => {
        if (!latest) return;
        const { message, percent } = latest;
        // Without an increment, the progress bar stays indeterminate.
        bar.report(percent === undefined ? { message } : { message, increment: percent - painted });
        painted = percent ?? painted;
      };
      paint();
      // The caller of `progress` reports the outcome.
      await work.catch(() => undefined);
      cancel.dispose();
    });
  };
  const timer = setTimeout(show, when === 'atOnce' ? 0 : LATE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

async function openDialog(question: OpenQuestion): Promise<readonly vscode.Uri[]> {
  const { title, button, isMany, folder, filters } = question;
  const canSelect = await selectable(question.canSelect ?? 'files');
  if (!canSelect) return [];
  const chosen = await window.showOpenDialog({
    title: title === undefined ? undefined : displayTitle(title),
    openLabel: button,
    canSelectFiles: canSelect !== 'folders',
    canSelectFolders: canSelect !== 'files',
    canSelectMany: isMany ?? false,
    defaultUri: folder === undefined ? undefined : vscode.Uri.file(folder),
    filters: filters && editorFilters(filters),
  });
  return chosen ?? [];
}

/** Asks for one of both where a dialog of the system cannot offer both: it would offer folders only. */
async function selectable(
  what: NonNullable<OpenQuestion['canSelect']>,
): Promise<OpenQuestion['canSelect']> {
  if (what !== 'both' || process.platform === 'darwin') return what;
  const { uiKind, remoteName } = vscode.env;
  if (uiKind !== vscode.UIKind.Desktop || remoteName !== undefined) return what;
  const items = [
    { label: l10n.t('Files...'), what: 'files' },
    { label: l10n.t('Folders...'), what: 'folders' },
  ] as const;
  return (await window.showQuickPick(items))?.what;
}

async function saveDialog(question: SaveQuestion): Promise<vscode.Uri | undefined> {
  const { title, button, name, filters } = question;
  return window.showSaveDialog({
    title: title === undefined ? undefined : displayTitle(title),
    saveLabel: button,
    defaultUri: vscode.Uri.joinPath(vscode.Uri.file(workspaceFolders()[0] ?? homedir()), name),
    filters: filters && editorFilters(filters),
  });
}

function editorFilters(filters: NonNullable<OpenQuestion['filters']>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(filters).map(([name, endings]) => [name, [...endings]]));
}
