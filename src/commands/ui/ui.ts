import type { CliCall, ReadLine } from '../../engine/cli/cliCall.ts';
import type { ComposeError, ComposePlace } from '../../projects/cli/composeErrors.ts';
import type { UpChange } from '../../projects/cli/upChanges.ts';
import type { WorktreeDifference } from '../../projects/worktrees/separate.ts';
import type { TargetKind } from '../../views/treeNode.ts';
import type { DevContainers } from './devContainers.ts';
import type { Event } from '../../base/lifetime.ts';
import type { FileUriParts } from '../../files/fileRoot.ts';
import type { Settings } from '../../base/settings.ts';

/**
 * The user interface that commands use. `editorUi` implements it in VS Code; unit tests have an
 * implementation that answers from a script. Texts are passed unsanitized: the implementation makes them safe
 * to show.
 */
export interface Ui {
  readonly settings: Settings;
  /** The name and version of the editor, such as "Visual Studio Code 1.100.0". */
  readonly editor: string;
  /** The kind of remote machine the window works on; undefined if it is the local machine. */
  readonly remoteName: string | undefined;
  readonly devContainers: DevContainers;
  /** Returns the words of the palette for a command, as the title of what it asks: "Containers: Remove". */
  commandTitle(id: CommandId): string | undefined;
  /** Returns the paths of the workspace folders on the machine that the extension runs on. */
  workspaceFolders(): readonly string[];
  /** Whether the user trusts the workspace: what is in it can run anything as the user. */
  isTrusted(): boolean;
  /**
   * Finds files of the workspace on that machine, by a pattern of VS Code.
   *
   * @param most the most files that are returned.
   * @param exclude a pattern of files to leave out besides those of the settings.
   * @returns absolute paths.
   */
  findFiles(pattern: string, most: number, exclude?: string): Promise<readonly string[]>;
  /** Returns the absolute path of the file in the active editor if it is on that machine and matches the pattern. */
  activeFile(pattern: string): string | undefined;
  /** Returns the absolute paths of the files on that machine that are open in text editors, those in front first. */
  openFiles(): readonly string[];
  /** Shows a message. Does not wait for the user. */
  info(message: string, ...actions: readonly MessageAction[]): void;
  /** Shows a warning. Does not wait for the user. */
  warn(message: string, ...actions: readonly MessageAction[]): void;
  /** Shows an error. Does not wait for the user. */
  error(message: string, ...actions: readonly MessageAction[]): void;
  /** Shows a modal message with details. Resolves to the title of the selected button, or to undefined. */
  message(message: string, detail: string, buttons: readonly string[]): Promise<string | undefined>;
  /**
   * Asks a question with several buttons. Resolves to the title of one, or to undefined if the user cancels.
   *
   * @throws MessageError if the text is too long to show completely: users must not confirm what they cannot
   * read.
   */
  choose(message: string, detail: string, buttons: readonly string[]): Promise<string | undefined>;
  /** Asks with one button, before something is removed or replaced; see {@link choose}. */
  confirm(message: string, detail: string, button: string): Promise<boolean>;
  /** Lets the user pick an item of a list. Resolves to undefined if the user cancels. */
  pick<Item extends PickItem>(question: PickQuestion<Item>): Promise<Item | undefined>;
  /** Lets the user check items of a list. Resolves to the checked items, or to undefined if the user cancels. */
  pickMany<Item extends PickItem>(
    question: PickManyQuestion<Item>,
  ): Promise<readonly Item[] | undefined>;
  /** Asks for text. Resolves to undefined if the user cancels. */
  input(question: InputQuestion): Promise<string | undefined>;
  /**
   * Runs work with a progress notification that has a Cancel button.
   *
   * @param when `atOnce`: show the notification immediately; `late`: after one second.
   * @param run gets the signal of Cancel and a function that reports progress.
   */
  progress<T>(
    title: string,
    when: 'atOnce' | 'late',
    run: (signal: AbortSignal, report: (progress: Progress) => void) => Promise<T>,
  ): Promise<T>;
  /** Lets the user choose files or folders. Resolves to an empty array if the user cancels. */
  openDialog(question: OpenQuestion): Promise<readonly FileUri[]>;
  /** Lets the user choose a file to write. VS Code asks before it returns an existing file. */
  saveDialog(question: SaveQuestion): Promise<FileUri | undefined>;
  /** Copies text to the clipboard. */
  copy(text: string): Promise<void>;
  /** Creates a URI from its parts. */
  uri(parts: FileUriParts): FileUri;
  /**
   * Shows an object as JSON in a read-only document. An open document of the same owner, kind, and name is updated.
   *
   * @param owner the engine that the object is from.
   */
  showJson(owner: string, kind: TargetKind, name: string, value: unknown): Promise<void>;
  /** Shows text in a read-only document. An open document of the same owner and name is updated. */
  showText(owner: string, name: string, text: string): Promise<void>;
  /** Shows what Up would change in its view, or closes the view. */
  showUpChanges(shown: ShownUpChanges | undefined): Promise<void>;
  /**
   * Shows in Problems why Compose refuses these files, or that it takes them.
   *
   * @param files absolute paths, each overriding those before.
   */
  showComposeProblem(files: readonly string[], error: ComposeError | undefined): Promise<void>;
  /** Sends a request to the active log viewer. Does nothing if no viewer is active. */
  askLogViewer(what: 'find' | 'copy' | 'copyWithColors'): Promise<void>;
  /**
   * Runs a program in a task whose terminal first shows the command.
   *
   * @returns its exit code; 125 if it was terminated or could not be started.
   */
  runTask(call: CliCall, options: ProgramTask): Promise<number>;
  /**
   * Runs a command in a container as a task, whose terminal shows its output.
   *
   * @returns its exit code; 125 if it was ended or could not be started.
   */
  runExecTask(task: ExecTask): Promise<number>;
  /**
   * Changes a text file as one step that can be undone, and shows what was inserted. A file that is missing is created.
   *
   * @param path absolute.
   * @param change returns the edits of the current text, in any order; what it throws is thrown, and nothing changes.
   * @param confirm called while a file that exists is shown next to the new text: whether to change it.
   * @returns whether it was saved: not a file that had other changes which were not. Undefined if it was not changed.
   */
  changeText(
    path: string,
    change: (text: string) => Promise<TextInsertion> | TextInsertion,
    confirm?: () => Promise<boolean>,
  ): Promise<boolean | undefined>;
  /** Opens a file in the editor for its type, at a line, from 1, if one is given. */
  openFile(uri: FileUri, line?: number): Promise<void>;
  /** Opens a URL in the browser. In a remote window, VS Code forwards its port. */
  openExternal(url: string): Promise<void>;
  /** Moves the focus to one of our views, by the command that VS Code generates for it. */
  focusView(command: `gantry.${string}.focus`): void;
  /** Shows the editor in which the user can trust the workspace. */
  manageTrust(): void;
}

/** The ID of a command, as in the manifest. */
export type CommandId = `gantry.${string}`;

/** Options for showing and stopping a task. */
export interface ProgramTask {
  /** The type of the task. */
  readonly type: string;
  /** The name of the task. */
  readonly title: string;
  readonly linesOf: ReadLine;
  /** Terminates the program. */
  readonly signal?: AbortSignal;
}

/** A command to run in a container, in the words of a task of this type. */
export interface ExecTask {
  /** The name of the task. */
  readonly title: string;
  readonly engine: string;
  /** The full ID of the container. */
  readonly container: string;
  readonly command: readonly string[];
  readonly user?: string;
  readonly folder?: string;
  readonly env?: readonly string[];
  readonly tty?: boolean;
  readonly mapPaths?: boolean;
  /** The names of problem matchers. */
  readonly problemMatcher?: readonly string[];
}

/** Edits of a text, and where what they insert will be in the new one, if that is shown. */
export interface TextInsertion {
  readonly edits: readonly TextEdit[];
  readonly shown?: { readonly start: number; readonly end: number };
}

/** Text in place of a part of another one. */
export interface TextEdit {
  readonly offset: number;
  readonly length: number;
  readonly content: string;
}

/** Changes that Up would make, as they are shown before. */
export interface ShownUpChanges {
  /** The project, or the file of one that does not exist yet, and the services. */
  readonly name: string;
  readonly changes: readonly UpChange[];
  /** Of the project of a worktree. */
  readonly differences: readonly PlacedDifference[];
}

/** How the project of a worktree differs from its files, and where that comes from, if it is known. */
export interface PlacedDifference extends WorktreeDifference {
  readonly place: ComposePlace | undefined;
}

/** A button of a message. */
export interface MessageAction {
  readonly title: string;
  readonly run: () => unknown;
}

/** The title of a step, with its number. */
export interface StepTitle {
  readonly title: string;
  readonly step?: number;
  readonly totalSteps?: number;
}

export interface IconButton {
  /** The name of a codicon. */
  readonly icon: string;
  readonly tooltip: string;
  readonly run: () => void;
}

/** An item of a quick pick. */
export interface PickItem {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  /** The name of a codicon. */
  readonly icon?: string;
  /** The name of a codicon before the detail. */
  readonly detailIcon?: string;
  /** The label of the separator above the item. */
  readonly heading?: string;
  /** Whether to show the item whatever the user types. */
  readonly alwaysShow?: boolean;
  /** Whether the item is only informative: picking it does nothing. */
  readonly isDisabled?: boolean;
  /** After the user clicks a button, the list is rebuilt. */
  readonly buttons?: readonly IconButton[];
}

/** The options of a quick pick. */
export interface PickQuestion<Item extends PickItem> extends Partial<StepTitle> {
  /** The title, read again each time the list is rebuilt; replaces `title`. */
  readonly liveTitle?: () => string;
  readonly placeholder?: string;
  /** The initial filter text. */
  readonly value?: string;
  /** The items. A function is called again whenever the filter text changes. */
  readonly items: readonly Item[] | ((typed: string) => readonly Item[]);
  /** Returns the first item, which represents the typed text. If undefined, its position stays empty. */
  readonly typedItem?: (typed: string) => Item | undefined;
  /** Returns what Enter picks if no item is active. */
  readonly unlistedItem?: (typed: string) => Item | undefined;
  /** Returns the item to make active whenever the list is rebuilt; the first by default. */
  readonly activeItem?: (items: readonly Item[], typed: string) => Item | undefined;
  /** Fires when the list must be rebuilt. The active item stays active. */
  readonly onDidChange?: Event<void>;
  /** Whether more items are still loading. */
  readonly isBusy?: () => boolean;
  /** Called with the typed text before the list is rebuilt. */
  readonly onType?: (typed: string) => void;
  readonly matchOnDescription?: boolean;
  readonly matchOnDetail?: boolean;
  /** Whether the quick pick is a step of a form, and stays open when it loses the focus. */
  readonly isStep?: boolean;
  /** Whether to show a Back button, which cancels. */
  readonly canGoBack?: boolean;
  /** A button of the title bar, and the item that it picks. */
  readonly titleButton?: { readonly icon: string; readonly tooltip: string; readonly item: Item };
}

/** The options of a quick pick with checkboxes. */
export interface PickManyQuestion<Item extends PickItem> {
  /** Returns the title; called whenever the checked items change. */
  readonly title: (checked: readonly Item[]) => string;
  readonly placeholder: string;
  readonly items: readonly Item[];
  /** Whether the item is checked at first. */
  readonly isChecked: (item: Item) => boolean;
}

/** The options of an input box. */
export interface InputQuestion extends Partial<StepTitle> {
  readonly prompt: string;
  readonly placeholder?: string;
  readonly value?: string;
  /** The initial selection within the value, as start and end. */
  readonly selection?: readonly [number, number];
  readonly isSecret?: boolean;
  /** Returns an error message for invalid text. Invalid text is not accepted. */
  readonly problem?: (text: string) => string | undefined;
  /** Returns a warning about valid text. */
  readonly warning?: (text: string) => string | undefined;
  /** Returns a note about valid text. */
  readonly hint?: (text: string) => string | undefined;
  readonly onType?: (text: string) => void;
  readonly canGoBack?: boolean;
  /** Cancels the question. */
  readonly signal?: AbortSignal;
}

/** The progress of work. */
export interface Progress {
  readonly message: string;
  /** 0 to 100; undefined if unknown. */
  readonly percent?: number;
}

/** The options of an Open dialog; one file by default. */
export interface OpenQuestion {
  readonly title?: string;
  readonly button?: string;
  readonly canSelect?: 'files' | 'folders' | 'both';
  readonly isMany?: boolean;
  /** The initial folder. */
  readonly folder?: string;
  /** File extensions by the label of the filter. */
  readonly filters?: Readonly<Record<string, readonly string[]>>;
}

/** The options of a Save dialog. */
export interface SaveQuestion {
  readonly title?: string;
  readonly button?: string;
  /** The proposed file name, in the workspace folder or the home folder. */
  readonly name: string;
  readonly filters?: Readonly<Record<string, readonly string[]>>;
}

/** The location of a file, with the shape of VS Code's `Uri`. */
export interface FileUri {
  readonly scheme: string;
  readonly path: string;
  /** The path in the local file system, if the scheme is `file`. */
  readonly fsPath: string;
  /** Returns the complete URI. */
  toString(): string;
}
