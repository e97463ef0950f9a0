import type { Uri } from 'vscode';
import type { Connection } from '../engine/http/connection.ts';
import type { EngineUnit } from '../engines/engineUnit.ts';
import type { Verb } from '../inventory/activity.ts';
import type { TreeNode } from '../views/treeNode.ts';
import type { CommandContext } from './context.ts';
import type { MessageAction } from './notifications.ts';
import type { ArgumentSchema } from './arguments.ts';
import type { TargetFilter, CommandTarget } from './targets.ts';

/** One run of a command on one target. */
export interface TargetCall<Args> {
  readonly args: Args;
  /** What the caller called the target by. */
  readonly text: string;
  readonly signal: AbortSignal;
  /** Whether a person is there to be asked and told. */
  readonly isInteractive: boolean;
  readonly connect: () => Promise<Connection>;
  readonly target: () => Promise<CommandTarget>;
}

/** A command on containers or images. */
export interface TargetCommand<Args extends object, Result> {
  readonly id: string;
  readonly kind: 'container' | 'image';
  /** The fields of the argument besides `id`. */
  readonly schema: ArgumentSchema;
  readonly fits?: TargetFilter;
  /** Whether it makes sense for one at a time only; of a selection the one clicked is meant. */
  readonly isForOne?: true;
  /** What the row says while it runs. */
  readonly verb?: Verb;
  /** Asks the person for the rest, or for their consent; undefined where they leave. */
  readonly ask?: (targets: readonly CommandTarget[], before?: Args) => Promise<Args | undefined>;
  /** Whether a failure offers to ask again, with what was said before. */
  readonly canEdit?: true;
  /** "Stopping web": the title of the progress. */
  readonly progressTitle: (name: string) => string;
  /** "Could not stop web": the beginning of an error. */
  readonly failureTitle: (name: string) => string;
  /** A notification with Cancel from the start, once it takes long, or never. */
  readonly progress?: 'atOnce' | 'late' | 'never';
  /** Called at once, before anything asynchronous. */
  readonly run: (call: TargetCall<Args>, context: CommandContext) => Promise<Result>;
  /** What a person is told when it went well; undefined: the view says enough. */
  readonly say?: (
    result: Result,
    target: CommandTarget,
  ) => Promise<string | undefined> | string | undefined;
  /** Buttons of what is said of one target. */
  readonly offers?: (result: Result, target: CommandTarget) => readonly MessageAction[];
}

/** A command on an engine itself. */
export interface EngineCommand<Result> {
  readonly id: string;
  /** Whether it makes sense for an engine as it is now. */
  readonly fits: (unit: EngineUnit) => boolean;
  /** "Could not connect staging": the beginning of an error. */
  readonly failureTitle: (name: string) => string;
  /** Asks the person for their consent. */
  readonly confirm?: (unit: EngineUnit) => Promise<boolean>;
  readonly run: (unit: EngineUnit) => Promise<Result> | Result;
}

/** A command on the engines of the window as a whole. */
export interface WindowCommand<Args extends object, Result> {
  readonly id: string;
  readonly schema: ArgumentSchema;
  readonly failureTitle: string;
  /** Runs for an argument: silent, resolves or rejects. */
  readonly run: (args: Args) => Promise<Result>;
  /** Runs for a person; `unit` is the engine of the row. Undefined where they leave. */
  readonly runInteractive: (unit: EngineUnit | undefined) => Promise<Result | undefined>;
}

/** A command without a target. */
export interface PlainCommand<Args extends object, Result> {
  readonly id: string;
  readonly schema: ArgumentSchema;
  /** Of what is handed to a person's run where they pointed at nothing: what is selected in that view. */
  readonly selects?: 'container' | 'image';
  /** Runs for an argument: silent, resolves or rejects. */
  readonly run: (args: Args, context: CommandContext, signal: AbortSignal) => Promise<Result>;
  /** Runs for a person: asks, shows; undefined where they leave. Or as for an empty argument. */
  readonly runInteractive:
    | 'asArgument'
    | ((
        context: CommandContext,
        nodes: readonly TreeNode[],
        args?: Args,
      ) => Promise<Result | undefined>);
  /**
   * What a file stands for, where the command takes one: by itself it is an argument; with what a menu of the editor
   * adds to it, it is what the person pointed at, and handed to their run.
   */
  readonly ofUri?: (uri: Uri) => Args;
  readonly failureTitle: string;
}
