// The parts of `vscode` that commands use, for fakeEditor.ts.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { QuickPickItem } from 'vscode';
import { english } from '../../../src/l10n.ts';

/** One input, message or notification as the editor was handed it. */
export interface Shown {
  readonly kind: 'warning' | 'information' | 'error' | 'pick' | 'box' | 'dialog' | 'progress';
  readonly text: string;
  readonly detail?: string | undefined;
  readonly buttons?: readonly string[];
  readonly items?: readonly QuickPickItem[];
  /** Of a pick: the item that has the focus. */
  readonly active?: QuickPickItem | undefined;
  /** Of a box: what stands in it. */
  readonly value?: string | undefined;
  /** Of a box: what is said of a text in it. */
  readonly hint?: ((text: string) => unknown) | undefined;
}

export const script: ((shown: Shown) => unknown)[] = [];
export const log: Shown[] = [];

function ask(input: Shown): unknown {
  log.push(input);
  return script.shift()?.(input);
}

export const l10n = english;

export class ThemeIcon {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

export const QuickPickItemKind = { Separator: -1, Default: 0 };
export const InputBoxValidationSeverity = { Info: 1, Warning: 2, Error: 3 };
export const ProgressLocation = { Window: 10, Notification: 15 };
export const FileType = { Unknown: 0, File: 1, Directory: 2 };
export const QuickInputButtons = { Back: {} };

export class FileSystemError extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
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

export class Uri {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query = '';
  readonly fragment = '';
  constructor(scheme: string, authority: string, path: string) {
    this.scheme = scheme;
    this.authority = authority;
    this.path = path;
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
    return `${this.scheme}://${this.authority}${encodeURI(this.path)}`;
  }
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

interface PickOptions {
  readonly title?: string;
  readonly placeHolder?: string;
  readonly canPickMany?: boolean;
}

/** What the editor's inputs have in common: accepted or hidden once they are shown, as the script says. */
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
    queueMicrotask(() => {
      (isAnswered ? this.#accept : this.#hide).fire();
    });
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

/** The types of the editor are there, its enums are not. */
function isSeparator(kind: number | undefined): boolean {
  return kind === QuickPickItemKind.Separator;
}

class Pick extends Input {
  items: readonly QuickPickItem[] = [];
  placeholder = '';
  selectedItems: readonly QuickPickItem[] = [];
  #active: readonly QuickPickItem[] | undefined;
  /** As in the editor the first is active, but where it was set otherwise: an empty list leaves none. */
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

export const window = {
  showWarningMessage: message('warning'),
  showInformationMessage: message('information'),
  showErrorMessage: message('error'),
  showInputBox: ({ title = '', prompt, value, validateInput }: BoxOptions): Promise<unknown> =>
    Promise.resolve(ask({ kind: 'box', text: title, detail: prompt, value, hint: validateInput })),
  showQuickPick: (
    items: readonly QuickPickItem[],
    { title = '', placeHolder, canPickMany }: PickOptions = {},
  ): Promise<unknown> => {
    const active = canPickMany === true ? undefined : items[0];
    return Promise.resolve(ask({ kind: 'pick', text: title, detail: placeHolder, items, active }));
  },
  showSaveDialog: ({ title = '' }): Promise<unknown> =>
    Promise.resolve(ask({ kind: 'dialog', text: title })),
  showOpenDialog: ({ title = '' }): Promise<unknown> =>
    Promise.resolve(ask({ kind: 'dialog', text: title })),
  showTextDocument: (): Promise<void> => Promise.resolve(),
  createQuickPick: (): Pick => new Pick(),
  createInputBox: (): Box => new Box(),
  createTreeView: () => ({
    selection: [],
    reveal: () => Promise.resolve(),
    dispose: () => undefined,
  }),
  withProgress: (
    { title = '' },
    work: (progress: object, token: object) => Promise<unknown>,
  ): Promise<unknown> => {
    log.push({ kind: 'progress', text: title });
    return work({ report: () => undefined }, new CancellationTokenSource().token);
  },
};

export const commands = { executeCommand: (): Promise<void> => Promise.resolve() };

export const workspace = {
  workspaceFolders: undefined as readonly { readonly uri: Uri }[] | undefined,
  isTrusted: true,
  textDocuments: [],
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
