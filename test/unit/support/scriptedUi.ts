import type {
  FileUri,
  InputQuestion,
  MessageAction,
  PickItem,
  PickManyQuestion,
  PickQuestion,
  Progress,
  ShownUpChanges,
  Ui,
} from '../../../src/commands/ui/ui.ts';
import type { DevContainers } from '../../../src/commands/ui/devContainers.ts';
import type { ComposeError } from '../../../src/projects/cli/composeErrors.ts';
import type { FileUriParts } from '../../../src/files/fileRoot.ts';
import type { Settings } from '../../../src/base/settings.ts';

/** The reaction of the user to an input. Undefined cancels it. */
export type Answer = (shown: Shown) => unknown;

/** An input, message, or other call, as shown to the user. */
export interface Shown {
  readonly kind: keyof Ui;
  /** The message, the title, or what was copied or opened. */
  readonly text: string;
  readonly detail?: string;
  readonly buttons?: readonly string[];
  /** For a message: runs the action of a button. */
  readonly press?: (button: string) => unknown;
  /** For a list: the items while nothing is typed. */
  readonly items?: readonly PickItem[];
  /** For a list with checkboxes: the items that are checked at first. */
  readonly checked?: readonly PickItem[];
  /** For a list: the item that Enter picks. */
  readonly active?: PickItem | undefined;
  readonly pick?: PickQuestion<PickItem>;
  readonly input?: InputQuestion;
  /** For a progress: the reported values. */
  readonly reports?: readonly Progress[];
}

/**
 * A user interface with a scripted user, which records what is shown and cancels inputs without an answer.
 * Throws if VS Code would not accept the answer: a text with a problem, or an item that is disabled or not
 * listed.
 */
export class ScriptedUi implements Ui {
  /** The settings used by a test. Others must not be read. */
  settings = {} as Settings;
  readonly editor = 'Editor 1.0';
  remoteName: string | undefined;
  folders: readonly string[] = [];
  /** The extension Dev Containers: by default, an editor that cannot have it. */
  devContainers = { isPossible: () => false } as DevContainers;
  trusted = true;
  /** What is found in the workspace. */
  files: readonly string[] = [];
  /** The file in the active editor. */
  active: string | undefined;
  /** The files in editors. */
  open: readonly string[] = [];
  /** The documents that were shown: owner, name, and text. */
  readonly documents: (readonly [owner: string, name: string, text: string])[] = [];
  /** What the view shows of Up. */
  upChanges: ShownUpChanges | undefined;
  /** What Problems show of compose files. */
  composeProblem: (ComposeError & { readonly files: readonly string[] }) | undefined;
  filter = '';
  runTask: Ui['runTask'] = () => Promise.reject(new Error('no task is expected'));
  runExecTask: Ui['runExecTask'] = () => Promise.reject(new Error('no task is expected'));
  changeText: Ui['changeText'] = () => Promise.reject(new Error('no change is expected'));
  /** Everything shown, in order. */
  readonly shown: Shown[] = [];
  readonly #answers: Answer[];
  /** Cancels the current progress. */
  cancel: () => void = () => undefined;

  constructor(...answers: readonly Answer[]) {
    this.#answers = [...answers];
  }

  /** Adds reactions to the next inputs, in order. */
  act(...answers: readonly Answer[]): void {
    this.#answers.push(...answers);
  }

  /** Returns everything shown of one kind. */
  of(kind: keyof Ui): readonly Shown[] {
    return this.shown.filter((one) => one.kind === kind);
  }

  /** The ID in place of the words. */
  commandTitle(id: string): string {
    return id;
  }

  workspaceFolders(): readonly string[] {
    return this.folders;
  }

  isTrusted(): boolean {
    return this.trusted;
  }

  findFiles(): Promise<readonly string[]> {
    return Promise.resolve(this.files);
  }

  activeFile(): string | undefined {
    return this.active;
  }

  openFiles(): readonly string[] {
    return this.open;
  }

  showJson(owner: string, kind: string, name: string, value: unknown): Promise<void> {
    return this.showText(owner, `${kind} ${name}`, JSON.stringify(value));
  }

  showText(...document: ScriptedUi['documents'][number]): Promise<void> {
    this.documents.push(document);
    return Promise.resolve();
  }

  showUpChanges(shown: ShownUpChanges | undefined): Promise<void> {
    this.upChanges = shown;
    return Promise.resolve();
  }

  showComposeProblem(files: readonly string[], error: ComposeError | undefined): Promise<void> {
    this.composeProblem = error && { ...error, files };
    return Promise.resolve();
  }

  askLogViewer(text: string): Promise<void> {
    this.shown.push({ kind: 'askLogViewer', text });
    return Promise.resolve();
  }

  info(text: string, ...actions: readonly MessageAction[]): void {
    this.#say('info', text, actions);
  }

  warn(text: string, ...actions: readonly MessageAction[]): void {
    this.#say('warn', text, actions);
  }

  error(text: string, ...actions: readonly MessageAction[]): void {
    this.#say('error', text, actions);
  }

  message(text: string, detail: string, buttons: readonly string[]): Promise<string | undefined> {
    return this.#press({ kind: 'message', text, detail, buttons });
  }

  choose(text: string, detail: string, buttons: readonly string[]): Promise<string | undefined> {
    return this.#press({ kind: 'choose', text, detail, buttons });
  }

  async confirm(text: string, detail: string, button: string): Promise<boolean> {
    const pressed = await this.#press({ kind: 'confirm', text, detail, buttons: [button] });
    return pressed === button;
  }

  async pick<Item extends PickItem>(question: PickQuestion<Item>): Promise<Item | undefined> {
    const text = question.value ?? '';
    question.onType?.(text);
    const items = listOf(question, text);
    const active =
      question.activeItem?.(items, text) ?? items.find((item) => item.alwaysShow) ?? items[0];
    const title = question.liveTitle?.() ?? question.title ?? '';
    const shown = {
      kind: 'pick',
      text: title,
      detail: question.placeholder,
      items,
      active,
    } as const;
    const pick = question as unknown as PickQuestion<PickItem>;
    const answer = (await this.#ask({ ...shown, pick })) as Item | undefined;
    if (answer?.isDisabled) throw new Error(`${answer.label} cannot be picked`);
    return answer;
  }

  async pickMany<Item extends PickItem>(
    question: PickManyQuestion<Item>,
  ): Promise<readonly Item[] | undefined> {
    const { items, placeholder, title, isChecked } = question;
    const checked = items.filter(isChecked);
    const text = title(checked);
    const detail = placeholder;
    const answer = await this.#ask({ kind: 'pickMany', text, detail, items, checked });
    return answer as readonly Item[] | undefined;
  }

  async input(question: InputQuestion): Promise<string | undefined> {
    const { title = '', prompt } = question;
    const answer = await this.#ask({ kind: 'input', text: title, detail: prompt, input: question });
    if (answer === undefined) return undefined;
    const text = answer as string;
    question.onType?.(text);
    const problem = question.problem?.(text);
    if (problem !== undefined) throw new Error(`"${text}" is not taken: ${problem}`);
    return text;
  }

  async progress<T>(
    text: string,
    _when: 'atOnce' | 'late',
    run: (signal: AbortSignal, report: (progress: Progress) => void) => Promise<T>,
  ): Promise<T> {
    const reports: Progress[] = [];
    const controller = new AbortController();
    this.shown.push({ kind: 'progress', text, reports });
    this.cancel = () => controller.abort();
    return run(controller.signal, (progress) => reports.push(progress));
  }

  async openDialog({ title = '' }: { readonly title?: string }): Promise<readonly FileUri[]> {
    return ((await this.#ask({ kind: 'openDialog', text: title })) ?? []) as readonly FileUri[];
  }

  async saveDialog({ title = '', name = '' }): Promise<FileUri | undefined> {
    const answer = await this.#ask({ kind: 'saveDialog', text: title, detail: name });
    return answer as FileUri | undefined;
  }

  copy(text: string): Promise<void> {
    this.shown.push({ kind: 'copy', text });
    return Promise.resolve();
  }

  uri({ scheme, path, query }: FileUriParts): FileUri {
    return { scheme, path, fsPath: path, toString: () => `${scheme}:${path}?${query}` };
  }

  openFile(uri: FileUri, line?: number): Promise<void> {
    const at = line === undefined ? '' : `:${line}`;
    this.shown.push({ kind: 'openFile', text: `${uri.toString()}${at}` });
    return Promise.resolve();
  }

  openExternal(text: string): Promise<void> {
    this.shown.push({ kind: 'openExternal', text });
    return Promise.resolve();
  }

  manageTrust(): void {
    this.shown.push({ kind: 'manageTrust', text: '' });
  }

  focusView(text: string): void {
    this.shown.push({ kind: 'focusView', text });
  }

  #say(kind: keyof Ui, text: string, actions: readonly MessageAction[]): void {
    const press = (button: string): unknown =>
      actions.find(({ title }) => title === button)?.run() ?? undefined;
    this.shown.push({ kind, text, buttons: actions.map(({ title }) => title), press });
  }

  async #press(shown: Shown): Promise<string | undefined> {
    const answer = (await this.#ask(shown)) as string | undefined;
    if (answer !== undefined && !shown.buttons?.includes(answer))
      throw new Error(`no button ${answer} among ${shown.buttons?.join() ?? ''}`);
    return answer;
  }

  async #ask(shown: Shown): Promise<unknown> {
    this.shown.push(shown);
    // As in VS Code, the answer comes asynchronously.
    await Promise.resolve();
    return this.#answers.shift()?.(shown);
  }
}

/** Presses Enter: accepts the active item or the text in the box. */
export const ENTER: Answer = ({ active, input }) => active ?? input?.value ?? '';

/** Cancels the input. */
export const ESCAPE: Answer = () => undefined;

/** Picks the item whose label starts with `label`. */
export function pick(label: string): Answer {
  return ({ items = [] }) => found(items, label);
}

/** Presses a button of the item with this label, then reacts to the updated list. */
export function press(label: string, tooltip: string, next: Answer): Answer {
  return (shown) => {
    const button = found(shown.items ?? [], label).buttons?.find((one) => one.tooltip === tooltip);
    if (!button || !shown.pick) throw new Error(`no ${tooltip} at ${label}`);
    button.run();
    return next({ ...shown, items: listOf(shown.pick, '') });
  };
}

/** Types a text into a list and presses Enter. */
export function type(text: string): Answer {
  return ({ pick: question }) => {
    if (!question) return text;
    question.onType?.(text);
    const items = listOf(question, text);
    return (
      question.activeItem?.(items, text) ??
      question.typedItem?.(text) ??
      items.find(({ label }) => label.includes(text)) ??
      question.unlistedItem?.(text) ??
      items.find(({ alwaysShow }) => alwaysShow)
    );
  };
}

/** Checks exactly the items with these labels. */
export function check(...labels: readonly string[]): Answer {
  return ({ items = [] }) => labels.map((label) => found(items, label));
}

/** Types a text, presses a button, or selects files. */
export function give(value: unknown): Answer {
  return () => value;
}

/** Returns a local file URI, as from a dialog. */
export function file(path: string): FileUri {
  return { scheme: 'file', path, fsPath: path, toString: () => `file://${path}` };
}

function found(items: readonly PickItem[], label: string): PickItem {
  const item =
    items.find((one) => one.label === label) ?? items.find((one) => one.label.startsWith(label));
  if (!item) throw new Error(`no ${label} among ${items.map((one) => one.label).join()}`);
  return item;
}

function listOf<Item extends PickItem>(
  { items, typedItem }: PickQuestion<Item>,
  text: string,
): readonly Item[] {
  const listed = typeof items === 'function' ? items(text) : items;
  const typed = typedItem?.(text);
  return typed ? [typed, ...listed] : listed;
}
