// The parts of `vscode` that commands use, for fakeEditor.ts.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Pseudoterminal, QuickPickItem, TerminalLinkProvider, TreeViewOptions } from 'vscode';

/** An input, message, or notification passed to VS Code. */
export interface Shown {
  readonly kind:
    | 'warning'
    | 'information'
    | 'error'
    | 'pick'
    | 'box'
    | 'dialog'
    | 'progress'
    | 'line'
    | 'document';
  readonly text: string;
  readonly detail?: string | undefined;
  readonly buttons?: readonly string[];
  readonly items?: readonly QuickPickItem[];
  /** For a pick: the focused item. */
  readonly active?: QuickPickItem | undefined;
  /** For an input box: its value. */
  readonly value?: string | undefined;
  /** For an input box: validates a text. */
  readonly hint?: ((text: string) => unknown) | undefined;
  /** For a progress: presses Cancel. */
  readonly cancel?: () => void;
}

export const script: ((shown: Shown) => unknown)[] = [];
export const log: Shown[] = [];

function ask(input: Shown): unknown {
  log.push(input);
  return script.shift()?.(input);
}

export const extensions = { getExtension: (): undefined => undefined };

export const ConfigurationTarget = { Global: 1 };

/** English has no bundle. */
export const l10n: { bundle: Readonly<Record<string, string>> | undefined } = { bundle: undefined };

export class ThemeIcon {
  static readonly File = new ThemeIcon('file');
  static readonly Folder = new ThemeIcon('folder');
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

export class ThemeColor extends ThemeIcon {}

export class MarkdownString {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}

export class TreeItem {
  readonly label: string;
  readonly collapsibleState: number;
  constructor(label: string, collapsibleState = 0) {
    this.label = label;
    this.collapsibleState = collapsibleState;
  }
}

export class FileDecoration {
  readonly badge: string;
  readonly tooltip: string;
  constructor(badge: string, tooltip: string) {
    this.badge = badge;
    this.tooltip = tooltip;
  }
}

export class Disposable {
  static from(...all: readonly { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const one of all) one.dispose();
    });
  }
  readonly dispose: () => void;
  constructor(dispose: () => void) {
    this.dispose = dispose;
  }
}

export class DataTransferItem {
  readonly #value: string;
  constructor(value: string) {
    this.#value = value;
  }
  asString(): Promise<string> {
    return Promise.resolve(this.#value);
  }
}

export class DataTransfer extends Map<string, DataTransferItem> {}

export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export const QuickPickItemKind = { Separator: -1, Default: 0 };
export const InputBoxValidationSeverity = { Info: 1, Warning: 2, Error: 3 };
export const ProgressLocation = { Window: 10, Notification: 15 };
export const ViewColumn = { Active: -1 };
export const StatusBarAlignment = { Left: 1, Right: 2 };
export const FileType = { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 };
export const FilePermission = { Readonly: 1 };
export const FileChangeType = { Changed: 1 };
export const TaskPanelKind = { Shared: 1, Dedicated: 2, New: 3 };
export const TaskScope = { Global: 1, Workspace: 2 };
export const QuickInputButtons = { Back: {} };

export class FileSystemError extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
  static readonly FileNotFound = (): FileSystemError => new FileSystemError('FileNotFound');
  static readonly FileIsADirectory = (): FileSystemError => new FileSystemError('FileIsADirectory');
  static readonly NoPermissions = (): FileSystemError => new FileSystemError('NoPermissions');
  static readonly Unavailable = (why: string): FileSystemError =>
    new FileSystemError(`Unavailable: ${why}`);
}

export class EventEmitter<T> {
  readonly #listeners = new Set<(event: T) => unknown>();
  readonly event = (listener: (event: T) => unknown): { dispose(): void } => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };
  fire(event: T): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

export class CancellationTokenSource {
  readonly #emitter = new EventEmitter<void>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.#emitter.event };
  cancel(): void {
    this.token.isCancellationRequested = true;
    this.#emitter.fire();
  }
  dispose(): void {
    this.#emitter.dispose();
  }
}

/** Zero-based. */
export class Position {
  readonly line: number;
  readonly column: number;
  constructor(line: number, column: number) {
    this.line = line;
    this.column = column;
  }
}

/** Zero-based. */
export class Range extends Position {
  readonly start: Position;
  readonly end: Position;
  constructor(line: number | Position, column: number | Position, endLine = 0, endColumn = 0) {
    if (typeof line === 'number') super(line, Number(column));
    else super(line.line, line.column);
    this.start = new Position(this.line, this.column);
    this.end = typeof column === 'number' ? new Position(endLine, endColumn) : column;
  }
}

export const DiagnosticSeverity = { Error: 0, Warning: 1 };

export class Diagnostic {
  readonly range: Range;
  readonly message: string;
  readonly severity: number;
  source: string | undefined;
  constructor(range: Range, message: string, severity: number) {
    this.range = range;
    this.message = message;
    this.severity = severity;
  }
}

/** What is shown in Problems, by path. */
export const diagnostics = new Map<string, readonly Diagnostic[]>();

export class CodeLens {
  readonly range: Range;
  readonly command: object;
  constructor(range: Range, command: object) {
    this.range = range;
    this.command = command;
  }
}

export class TerminalLink {
  readonly startIndex: number;
  readonly length: number;
  readonly tooltip: string;
  constructor(startIndex: number, length: number, tooltip: string) {
    this.startIndex = startIndex;
    this.length = length;
    this.tooltip = tooltip;
  }
}

export class CustomExecution {
  readonly callback: (definition: object) => Promise<Pseudoterminal>;
  constructor(callback: CustomExecution['callback']) {
    this.callback = callback;
  }
}

export class Task {
  readonly definition: object;
  readonly scope: unknown;
  readonly name: string;
  readonly source: string;
  readonly execution: CustomExecution;
  readonly problemMatchers: readonly string[];
  isBackground = false;
  constructor(
    ...parts: readonly [object, unknown, string, string, CustomExecution, (readonly string[])?]
  ) {
    [this.definition, this.scope, this.name, this.source, this.execution] = parts;
    this.problemMatchers = parts[5] ?? [];
  }
}

export class Uri {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
  readonly fragment = '';
  constructor(scheme: string, authority: string, path: string, query = '') {
    this.scheme = scheme;
    this.authority = authority;
    this.path = path;
    this.query = query;
  }
  static from({ scheme, authority = '', path = '', query }: UriParts): Uri {
    return new Uri(scheme, authority, path, query);
  }
  static file(path: string): Uri {
    return new Uri('file', '', path);
  }
  static parse(text: string): Uri {
    const [, scheme = '', authority = '', path = ''] = /^([^:]+):\/\/([^/]*)(.*)$/.exec(text) ?? [];
    return new Uri(scheme, authority, decodeURIComponent(path));
  }
  static joinPath(uri: Uri, ...parts: readonly string[]): Uri {
    return new Uri(uri.scheme, uri.authority, posix.join(uri.path, ...parts));
  }
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    const query = this.query === '' ? '' : `?${this.query}`;
    return `${this.scheme}://${this.authority}${encodeURI(this.path)}${query}`;
  }
}

interface UriParts {
  readonly scheme: string;
  readonly authority?: string;
  readonly path?: string;
  readonly query?: string;
}

type Message = (text: string, ...more: readonly unknown[]) => Promise<unknown>;

function message(kind: Shown['kind']): Message {
  return (text, ...more) => {
    const buttons = more.filter((one) => typeof one === 'string');
    const [options] = more.filter((one) => typeof one === 'object') as { detail?: string }[];
    return Promise.resolve(ask({ kind, text, detail: options?.detail, buttons }));
  };
}

interface BoxOptions {
  readonly title?: string;
  readonly prompt?: string;
  readonly value?: string;
  readonly validateInput?: (text: string) => unknown;
}

/** Common base of the inputs: accepted or hidden after they are shown, according to the script. */
class Input {
  readonly #accept = new EventEmitter<void>();
  readonly #hide = new EventEmitter<void>();
  title = '';
  value = '';
  onDidAccept = this.#accept.event;
  onDidHide = this.#hide.event;
  onDidChangeValue = new EventEmitter<string>().event;
  onDidChangeActive = new EventEmitter<unknown>().event;
  onDidTriggerButton = new EventEmitter<unknown>().event;
  onDidTriggerItemButton = new EventEmitter<unknown>().event;
  protected settle(isAnswered: boolean): void {
    queueMicrotask(() => (isAnswered ? this.#accept : this.#hide).fire());
  }
  hide(): void {
    this.#hide.fire();
  }
  dispose(): void {
    this.#accept.dispose();
    this.#hide.dispose();
  }
}

class Box extends Input {
  prompt = '';
  show(): void {
    const { title, prompt, value } = this;
    const answer = ask({ kind: 'box', text: title, detail: prompt, value });
    if (typeof answer === 'string') this.value = answer;
    this.settle(typeof answer === 'string');
  }
}

/** Takes a number because only the types of `vscode` are available, not its enums. */
function isSeparator(kind: number | undefined): boolean {
  return kind === QuickPickItemKind.Separator;
}

class Pick extends Input {
  items: readonly QuickPickItem[] = [];
  placeholder = '';
  selectedItems: readonly QuickPickItem[] = [];
  #active: readonly QuickPickItem[] | undefined;
  /** The first item unless set otherwise, as in VS Code. An empty list leaves none active. */
  get activeItems(): readonly QuickPickItem[] {
    return this.#active ?? this.items.filter(({ kind }) => !isSeparator(kind)).slice(0, 1);
  }
  set activeItems(items: readonly QuickPickItem[]) {
    this.#active = items;
  }
  show(): void {
    const { items, title, placeholder } = this;
    const [active] = this.activeItems;
    const answer = ask({ kind: 'pick', text: title, detail: placeholder, items, active });
    if (answer && typeof answer === 'object') this.selectedItems = [answer as QuickPickItem];
    this.settle(answer !== undefined);
  }
}

/** A tree view in which revealed rows become selected, as in VS Code. */
interface FakeTreeView {
  readonly options: TreeViewOptions<never>;
  description?: string;
  message?: string;
  selection: readonly unknown[];
  readonly visible: boolean;
  readonly onDidChangeVisibility: EventEmitter<{ readonly visible: boolean }>['event'];
  readonly reveal: (row: unknown) => Promise<void>;
  /** Makes the view visible, which it is not at first. */
  readonly open: () => void;
  readonly dispose: () => void;
}

/** A visible panel. */
export class FakePanel {
  readonly #closed = new EventEmitter<void>();
  #isClosed = false;
  /** Fires messages from the page. */
  readonly messages = new EventEmitter<unknown>();
  readonly title: string;
  reveals = 0;
  readonly webview = {
    cspSource: '',
    asWebviewUri: (uri: Uri): Uri => uri,
    onDidReceiveMessage: this.messages.event,
    postMessage: (): Promise<boolean> => Promise.resolve(true),
  };
  readonly onDidDispose = this.#closed.event;
  readonly onDidChangeViewState = new EventEmitter<unknown>().event;
  constructor(title: string) {
    this.title = title;
  }
  /** As in VS Code, throws after the panel was closed. */
  get visible(): boolean {
    if (this.#isClosed) throw new Error('Webview is disposed');
    return true;
  }
  reveal(): void {
    this.reveals += 1;
  }
  dispose(): void {
    this.#isClosed = true;
    panels.delete(this);
    this.#closed.fire();
  }
}

/** A terminal that is open until it is disposed. Counts how often it was shown. */
export class FakeTerminal {
  readonly name: string;
  readonly pty: Pseudoterminal;
  shows = 0;
  constructor({ name, pty }: { readonly name: string; readonly pty: Pseudoterminal }) {
    this.name = name;
    this.pty = pty;
  }
  show(): void {
    this.shows += 1;
  }
  dispose(): void {
    if (!terminals.delete(this)) return;
    terminalList.splice(terminalList.indexOf(this), 1);
    this.pty.close();
    closedTerminals.fire(this);
  }
}

interface FakeDecorations {
  readonly provideFileDecoration: (uri: Uri) => unknown;
}

interface FakeDocument {
  readonly uri: Uri;
  readonly isDirty?: boolean;
  readonly getText?: () => string;
}

/** The tree views by ID. */
export const views = new Map<string, FakeTreeView>();
export const decorations = new Set<FakeDecorations>();
/** The open webview panels. */
export const panels = new Set<FakePanel>();
/** The open terminals. */
export const terminals = new Set<FakeTerminal>();
export const terminalLinks = new Set<TerminalLinkProvider>();
const terminalList: FakeTerminal[] = [];
const closedTerminals = new EventEmitter<FakeTerminal>();
/** Registered file systems and text document content providers, by scheme. */
export const providers = new Map<string, unknown>();
/** Fires when the visible text editors change. */
export const changedEditors = new EventEmitter<readonly object[]>();
export const openedDocuments = new EventEmitter<FakeDocument>();
export const closedDocuments = new EventEmitter<FakeDocument>();
const savedDocuments = new EventEmitter<FakeDocument>();
export const changedDocuments = new EventEmitter<{
  readonly document: FakeDocument;
  readonly contentChanges: readonly {
    readonly range: { readonly start: { readonly line: number } };
  }[];
}>();

function register(scheme: string, provider: unknown): { dispose(): void } {
  providers.set(scheme, provider);
  return { dispose: () => providers.delete(scheme) };
}

export const window = {
  visibleTextEditors: [] as { readonly document: object }[],
  showWarningMessage: message('warning'),
  showInformationMessage: message('information'),
  showErrorMessage: message('error'),
  showInputBox: ({ title = '', prompt, value, validateInput }: BoxOptions): Promise<unknown> =>
    Promise.resolve(ask({ kind: 'box', text: title, detail: prompt, value, hint: validateInput })),
  showSaveDialog: ({ title = '' }): Promise<unknown> =>
    Promise.resolve(ask({ kind: 'dialog', text: title })),
  showOpenDialog: ({ title = '' }): Promise<unknown> =>
    Promise.resolve(ask({ kind: 'dialog', text: title })),
  showTextDocument: (uri: Uri, { selection }: { selection?: Range } = {}): Promise<void> => {
    const place = selection ? `:${selection.line}:${selection.column}` : '';
    log.push({ kind: 'document', text: `${uri.toString()}${place}` });
    return Promise.resolve();
  },
  createQuickPick: (): Pick => new Pick(),
  createInputBox: (): Box => new Box(),
  createTreeView: (id: string, options: TreeViewOptions<never>): FakeTreeView => {
    const visibility = new EventEmitter<{ readonly visible: boolean }>();
    let visible = false;
    const view: FakeTreeView = {
      options,
      selection: [],
      get visible() {
        return visible;
      },
      onDidChangeVisibility: visibility.event,
      open: () => {
        visible = true;
        visibility.fire({ visible });
      },
      reveal: (row) => Promise.resolve(void (view.selection = [row])),
      dispose: () => views.delete(id),
    };
    views.set(id, view);
    return view;
  },
  createWebviewPanel: (_: string, title: string): FakePanel => {
    const panel = new FakePanel(title);
    panels.add(panel);
    return panel;
  },
  createTerminal: (options: ConstructorParameters<typeof FakeTerminal>[0]): FakeTerminal => {
    const terminal = new FakeTerminal(options);
    terminals.add(terminal);
    terminalList.push(terminal);
    return terminal;
  },
  terminals: terminalList,
  onDidCloseTerminal: closedTerminals.event,
  registerTerminalLinkProvider: (provider: TerminalLinkProvider) => {
    terminalLinks.add(provider);
    return { dispose: () => terminalLinks.delete(provider) };
  },
  registerWebviewPanelSerializer: () => new Disposable(() => undefined),
  registerFileDecorationProvider: (provider: FakeDecorations) => {
    decorations.add(provider);
    return { dispose: () => decorations.delete(provider) };
  },
  onDidChangeVisibleTextEditors: changedEditors.event,
  withProgress: (
    { title = '' },
    work: (progress: object, token: object) => Promise<unknown>,
  ): Promise<unknown> => {
    const source = new CancellationTokenSource();
    const cancel = (): void => source.cancel();
    log.push({ kind: 'progress', text: title, cancel });
    return work({ report: () => undefined }, source.token);
  },
  createStatusBarItem: () => ({
    show: () => undefined,
    hide: () => undefined,
    dispose: () => undefined,
  }),
  createOutputChannel: (detail: string) => ({
    appendLine: (text: string) => log.push({ kind: 'line', text, detail }),
    dispose: () => undefined,
  }),
};

/** Registered commands by ID. */
export const handlers = new Map<string, (...args: readonly unknown[]) => unknown>();

/** The executed commands with their arguments. */
export const executed: (readonly unknown[])[] = [];

export const commands = {
  executeCommand: (...command: readonly unknown[]): Promise<void> =>
    Promise.resolve(void executed.push(command)),
  registerCommand: (id: string, handler: (...args: readonly unknown[]) => unknown) => {
    handlers.set(id, handler);
    return { dispose: () => handlers.delete(id) };
  },
  getCommands: (): Promise<readonly string[]> => Promise.resolve([...handlers.keys()]),
};

export const UIKind = { Desktop: 1, Web: 2 };

/** In a browser, dialogs offer files and folders. */
export const env = { language: 'en', appName: '', appHost: '', uiKind: UIKind.Web };

export const languages = {
  /** Every document is of the kind that is asked for. */
  match: () => 10,
  createDiagnosticCollection: () => ({
    get: ({ path }: Uri) => diagnostics.get(path),
    set: ({ path }: Uri, all: readonly Diagnostic[]) => diagnostics.set(path, all),
    delete: ({ path }: Uri) => diagnostics.delete(path),
    dispose: () => undefined,
  }),
  registerCodeLensProvider: () => new Disposable(() => undefined),
  registerDocumentLinkProvider: () => new Disposable(() => undefined),
  setTextDocumentLanguage: (document: Uri): Promise<Uri> => Promise.resolve(document),
};

export const tasks = {};

/** Fires with a file that another program has changed. */
export const changedFiles = new EventEmitter<Uri>();
/** The files that are watched. */
export const watchedFiles = new Set<string>();

export class RelativePattern {
  readonly path: string;
  constructor(folder: Uri, pattern: string) {
    this.path = posix.join(folder.path, pattern);
  }
}

function watchFile({ path }: RelativePattern) {
  watchedFiles.add(path);
  const { event } = changedFiles;
  return {
    onDidChange: (listener: () => void) =>
      event((uri) => {
        if (uri.path === path) listener();
      }),
    onDidCreate: new EventEmitter<void>().event,
    onDidDelete: new EventEmitter<void>().event,
    dispose: () => watchedFiles.delete(path),
  };
}

export const workspace = {
  /** No setting has a value. */
  getConfiguration: () => ({ get: () => undefined }),
  onDidGrantWorkspaceTrust: new EventEmitter<void>().event,
  onDidChangeWorkspaceFolders: new EventEmitter<unknown>().event,
  workspaceFolders: undefined as readonly { readonly uri: Uri }[] | undefined,
  isTrusted: true,
  textDocuments: [] as readonly FakeDocument[],
  onDidOpenTextDocument: openedDocuments.event,
  onDidChangeTextDocument: changedDocuments.event,
  onDidCloseTextDocument: closedDocuments.event,
  onDidSaveTextDocument: savedDocuments.event,
  createFileSystemWatcher: watchFile,
  /** A document is represented by its URI. */
  openTextDocument: (uri: Uri): Promise<Uri> => Promise.resolve(uri),
  registerTextDocumentContentProvider: register,
  registerFileSystemProvider: register,
  asRelativePath: (uri: Uri): string => posix.basename(uri.path),
  getWorkspaceFolder: (): undefined => undefined,
  fs: {
    stat: async ({ path }: Uri): Promise<{ size: number; type: number }> => {
      const found = await stat(path).catch(() => {
        throw new FileSystemError('FileNotFound');
      });
      return { size: found.size, type: found.isDirectory() ? FileType.Directory : FileType.File };
    },
    readFile: ({ path }: Uri): Promise<Uint8Array> => readFile(path),
    writeFile: ({ path }: Uri, bytes: Uint8Array): Promise<void> => writeFile(path, bytes),
  },
};
