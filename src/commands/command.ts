import type { Uri } from 'vscode';
import type { Connection } from '../engine/http/connection.ts';
import type { EngineUnit } from '../engines/engineUnit.ts';
import type { Verb } from '../inventory/activity.ts';
import type { TreeNode } from '../views/nodes.ts';
import type { CommandContext } from './context.ts';
import type { Action } from './person.ts';
import type { Shape } from './shape.ts';
import type { Fits, Target } from './targets.ts';

/** One run of a command on one target. */
export interface TargetCall<Args> {
  readonly args: Args;
  /** What the caller called the target by. */
  readonly text: string;
  readonly signal: AbortSignal;
  /** Whether a person is there to be asked and told. */
  readonly isPerson: boolean;
  readonly connect: () => Promise<Connection>;
  readonly target: () => Promise<Target>;
}

/** A command on containers or images. */
export interface TargetCommand<Args extends object, Result> {
  readonly id: string;
  readonly kind: 'container' | 'image';
  /** The fields of the argument besides `id`. */
  readonly shape: Shape;
  readonly fits?: Fits;
  /** Whether it makes sense for one at a time only; of a selection the one clicked is meant. */
  readonly isForOne?: true;
  /** What the row says while it runs. */
  readonly verb?: Verb;
  /** Asks the person for the rest, or for their consent; undefined where they leave. */
  readonly ask?: (targets: readonly Target[], before?: Args) => Promise<Args | undefined>;
  /** Whether a failure offers to ask again, with what was said before. */
  readonly canEdit?: true;
  /** "Stopping web": the title of the progress. */
  readonly doing: (name: string) => string;
  /** "Could not stop web": the beginning of an error. */
  readonly failing: (name: string) => string;
  /** A notification with Cancel from the start, once it takes long, or never. */
  readonly progress?: 'atOnce' | 'late' | 'never';
  /** Called at once, before anything asynchronous. */
  readonly run: (call: TargetCall<Args>, context: CommandContext) => Promise<Result>;
  /** What a person is told when it went well; undefined: the view says enough. */
  readonly say?: (
    result: Result,
    target: Target,
  ) => Promise<string | undefined> | string | undefined;
  /** Buttons of what is said of one target. */
  readonly offers?: (result: Result, target: Target) => readonly Action[];
}

/** A command on an engine itself. */
export interface EngineCommand<Result> {
  readonly id: string;
  /** Whether it makes sense for an engine as it is now. */
  readonly fits: (unit: EngineUnit) => boolean;
  /** "Could not connect staging": the beginning of an error. */
  readonly failing: (name: string) => string;
  /** Asks the person for their consent. */
  readonly confirm?: (unit: EngineUnit) => Promise<boolean>;
  readonly run: (unit: EngineUnit) => Promise<Result> | Result;
}

/** A command on the engines of the window as a whole. */
export interface WindowCommand<Args extends object, Result> {
  readonly id: string;
  readonly shape: Shape;
  readonly failing: string;
  /** Runs for an argument: silent, resolves or rejects. */
  readonly run: (args: Args) => Promise<Result>;
  /** Runs for a person; `unit` is the engine of the row. Undefined where they leave. */
  readonly person: (unit: EngineUnit | undefined) => Promise<Result | undefined>;
}

/** A command without a target. */
export interface PlainCommand<Args extends object, Result> {
  readonly id: string;
  readonly shape: Shape;
  /** Of what is handed to a person's run where they pointed at nothing: what is selected in that view. */
  readonly selects?: 'container' | 'image';
  /** Runs for an argument: silent, resolves or rejects. */
  readonly run: (args: Args, context: CommandContext, signal: AbortSignal) => Promise<Result>;
  /** Runs for a person: asks, shows; undefined where they leave. Or as for an empty argument. */
  readonly person:
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
  readonly failing: string;
}
