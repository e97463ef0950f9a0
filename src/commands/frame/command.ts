import type { Connection } from '../../engine/http/connection.ts';
import type { EngineUnit } from '../../engines/engineUnit.ts';
import type { Verb } from '../../inventory/activity.ts';
import type {
  ContainerNode,
  ProjectNode,
  ServiceNode,
} from '../../views/containers/containerNode.ts';
import type { RowKind, TargetKind, TreeNode } from '../../views/treeNode.ts';
import type { CommandContext } from './commandContext.ts';
import type { CommandId, FileUri, MessageAction } from '../ui/ui.ts';
import type { ArgumentSchema } from '../ui/checkArguments.ts';
import type { TargetFilter, CommandTarget } from './targets.ts';

/**
 * A command. What it is `on` decides what it is called for, by `commandHandler`: each of its targets, an engine, or the
 * window; a plain command decides itself.
 */
export type Command = TargetCommand | PlainCommand | EngineCommand | WindowCommand | EditorCommand;

/** One run of a command on one target. */
export interface TargetCall<Args> {
  readonly args: Args;
  /** The ID or name that the caller used for the target. */
  readonly text: string;
  readonly signal: AbortSignal;
  /** Whether the user started the run, and can be asked and shown messages. */
  readonly isInteractive: boolean;
  readonly connect: () => Promise<Connection>;
  readonly target: () => Promise<CommandTarget>;
}

/** A command on containers, images, volumes or networks. */
export interface TargetCommand<Args extends object = object, Result = unknown> {
  readonly id: CommandId;
  readonly on: TargetKind;
  /** The fields of the argument besides `id`; none by default. */
  readonly schema?: ArgumentSchema;
  readonly fits?: TargetFilter;
  /** Whether the command works on one target at a time. With a selection, it runs for the row that was clicked. */
  readonly isForOne?: true;
  /**
   * Lets the user choose a target, and the arguments, among the containers of a group, whose row was clicked. Resolves
   * to undefined if the user cancels, or there is nothing to choose, which it says.
   */
  readonly within?: (group: ContainerGroup) => Promise<ChosenTarget<Args> | undefined>;
  /**
   * Returns what its key does if not all selected rows are targets: another command on the rows, or an act of its
   * own; undefined if it does nothing.
   */
  readonly ofOthers?: (rows: readonly TreeNode[]) => CommandId | (() => unknown) | undefined;
  /** The activity that the row shows while the command runs. */
  readonly verb?: Verb;
  /** Asks the user for the remaining arguments or for confirmation. Resolves to undefined if the user cancels. */
  ask?(targets: readonly CommandTarget[], before?: Args): Promise<Args | undefined>;
  /** Whether an error message offers to ask again, with the previous values. */
  readonly canEdit?: true;
  /** The title of the progress notification: "Stopping web". */
  readonly progressTitle: (name: string) => string;
  /** The beginning of an error message: "Could not stop web". */
  readonly failureTitle: (name: string) => string;
  /** When to show a notification with Cancel: from the start, once the command takes long (default), or never. */
  readonly progress?: 'atOnce' | 'late' | 'never';
  /** Called immediately, before anything asynchronous. */
  run(call: TargetCall<Args>, context: CommandContext): Promise<Result>;
  /** Returns a message for the user after success; undefined if the view already shows the result. */
  message?(result: Result, target: CommandTarget): Promise<string | undefined> | string | undefined;
  /** Returns the buttons of that message, if there is one target. */
  offers?(result: Result, target: CommandTarget): readonly MessageAction[];
}

/** The row of a project or a service. */
export type ContainerGroup = ProjectNode | ServiceNode;

/** A container of a group, and what to do with it. */
interface ChosenTarget<Args> {
  readonly row: ContainerNode;
  readonly args: Args;
}

/** A command on an engine. */
export interface EngineCommand<Result = unknown> {
  readonly id: CommandId;
  readonly on: 'engine';
  /** Whether the command applies to an engine in its current state. */
  readonly fits: (unit: EngineUnit) => boolean;
  /** The beginning of an error message: "Could not connect staging". */
  readonly failureTitle: (name: string) => string;
  /** Asks the user for confirmation. */
  readonly confirm?: (unit: EngineUnit) => Promise<boolean>;
  readonly run: (unit: EngineUnit) => Promise<Result> | Result;
}

/** A command on the engines of the window. */
export interface WindowCommand<Args extends object = object, Result = unknown> {
  readonly id: CommandId;
  readonly on: 'window';
  readonly schema: ArgumentSchema;
  readonly failureTitle: string;
  /** Runs with an argument. Shows nothing: resolves to the result or rejects. */
  run(args: Args): Promise<Result>;
  /** Runs for the user; `unit` is the engine of the row. Resolves to undefined if the user cancels. */
  readonly runInteractive: (unit: EngineUnit | undefined) => Promise<Result | undefined>;
}

/** A command that accepts what VS Code passes, unchecked: a row, or nothing. */
export interface EditorCommand {
  readonly id: CommandId;
  readonly on: 'editor';
  run(first: unknown): unknown;
}

/** Returns commands that accept what VS Code passes, from what each does by its ID. */
export function editorCommands(
  runs: Readonly<Record<CommandId, EditorCommand['run']>>,
): readonly EditorCommand[] {
  return Object.entries(runs).map(([id, run]) => ({ id: id as CommandId, on: 'editor', run }));
}

/** A command without a target. */
export interface PlainCommand<Args extends object = object, Result = unknown> {
  readonly id: CommandId;
  readonly on?: undefined;
  readonly schema: ArgumentSchema;
  /** The views whose selection becomes `nodes` if the user ran the command without a row: the one used last. */
  readonly selects?: RowKind | readonly RowKind[];
  /** Whether the command works on a selected row; by default, if it is a container, an image, a volume or a network. */
  readonly accepts?: (row: TreeNode) => boolean;
  /** Whether the command works on one row at a time. */
  readonly isForOne?: true;
  /**
   * Lets the user pick what the command works on, among that of several engines, if there is no row. Without it, the
   * user picks an engine. Resolves to undefined if the user cancels.
   */
  readonly pick?: (contexts: readonly CommandContext[]) => Promise<TreeNode | undefined>;
  /** Runs with an argument. Shows nothing: resolves to the result or rejects. */
  run(args: Args, context: CommandContext, signal: AbortSignal): Promise<Result>;
  /**
   * Runs for the user: asks, shows messages, and resolves to undefined if the user cancels. If absent, `run`
   * is called with an empty argument.
   *
   * @param args what the user chose where there is no row: a file, or a lens.
   */
  runInteractive?(
    context: CommandContext,
    nodes: readonly TreeNode[],
    args?: Args,
  ): Promise<Result | undefined>;
  /**
   * Converts a file to the argument, for a command that accepts files. A URI alone is an argument. A URI with
   * the second argument that VS Code's menus add is a file that the user selected: the command runs
   * interactively for it.
   */
  readonly ofUri?: (uri: FileUri) => Args;
  readonly failureTitle: string;
}

/** Runs a command with what VS Code passes. */
export interface CommandHandler {
  (first?: unknown, second?: unknown): unknown;
  /** The schema of a plain argument; undefined if it is not checked. Tests read it. */
  readonly argument?: ArgumentSchema;
}
