import * as vscode from 'vscode';
import type { Connection } from '../engine/http/connection.ts';
import { InputError } from '../engine/errors.ts';
import { isPassing } from '../engine/model.ts';
import { DisposableStore, type Disposable } from '../lifetime.ts';
import { EngineNode } from '../views/engines/engineNode.ts';
import { TreeNode } from '../views/treeNode.ts';
import { mapConcurrently, once } from './mapConcurrently.ts';
import type {
  EngineCommand,
  PlainCommand,
  TargetCall,
  TargetCommand,
  WindowCommand,
} from './command.ts';
import type { CommandContext } from './context.ts';
import type { EngineChoice } from './engines/engineChoice.ts';
import { showOutcomes, type TargetOutcome } from './showOutcomes.ts';
import { withErrorMessage, withProgress, type ErrorDetails } from './notifications.ts';
import { failureMessage } from './errorMessages.ts';
import { checkArguments, isPlainObject, type ArgumentSchema } from './arguments.ts';
import {
  findContainerTarget,
  findImageTarget,
  pickTarget,
  targetsOf,
  type CommandTarget,
} from './targets.ts';

/**
 * What our own keybindings pass: their `when` has seen that the view has the focus, which no API tells. For
 * everybody else it is as nothing.
 */
const FOCUSED = 'focusedView';

/** The field that says which engine is meant; the choice of the engine checks it. */
const ENGINE: ArgumentSchema = { engine: { kind: 'text' } };
/** The field that says which container or image is meant. */
const ID: ArgumentSchema = { id: { kind: 'text', required: true } };

/** How many targets of one command are worked on at once. */
const AT_ONCE = 6;

/** Registers commands; each keeps to the three ways in: a plain argument, a node, nothing. */
export class CommandRegistry implements Disposable {
  readonly #choice: EngineChoice;
  readonly #selection: SelectedNodes;
  readonly #details: ErrorDetails;
  readonly #store = new DisposableStore();

  /** @param selection what is selected in the views. */
  constructor(choice: EngineChoice, selection: SelectedNodes, details: ErrorDetails) {
    this.#choice = choice;
    this.#selection = selection;
    this.#details = details;
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Registers a command that needs no rules; it may look at what it is called with. */
  simple(id: string, run: (first: unknown) => unknown): void {
    this.#store.add(vscode.commands.registerCommand(id, run));
  }

  plain<Args extends object, Result>(command: PlainCommand<Args, Result>): void {
    const { runInteractive, selects, ofUri } = command;
    const run: Run = async (first, nodes, isFocused, pointedAt) => {
      const argument = isPlainObject(first) ? first : undefined;
      if (!argument && runInteractive !== 'asArgument') {
        const isSelected = nodes.length === 0 && selects !== undefined;
        const meant = isSelected ? this.#selection(selects, isFocused) : nodes;
        const args = pointedAt && ofUri?.(pointedAt);
        return this.#plainForUser(command, meant, runInteractive, args);
      }
      return forArgument(command.failureTitle, () => {
        const { engine, ...args } = argument ?? {};
        const context = this.#choice.forArgument(engine, textIn(args['id'] ?? args['ids']));
        checkArguments(args, command.schema, command.id, vscode.l10n);
        return command.run(args as Args, context, new AbortController().signal);
      });
    };
    this.#register(command.id, { ...ENGINE, ...command.schema }, run, ofUri);
  }

  #plainForUser<Args extends object, Result>(
    command: PlainCommand<Args, Result>,
    nodes: readonly TreeNode[],
    person: Exclude<PlainCommand<Args, Result>['runInteractive'], 'asArgument'>,
    args: Args | undefined,
  ): Promise<unknown> {
    return withErrorMessage(undefined, this.#details, async () => {
      const context = await this.#choice.forUser(nodes);
      if (!context) return undefined;
      return withErrorMessage(command.failureTitle, this.#details, () =>
        person(context, nodes, args),
      );
    });
  }

  engine<Result>(command: EngineCommand<Result>): void {
    const schema: ArgumentSchema = { engine: { kind: 'text', required: true } };
    this.#register(command.id, schema, async (first, [node]) => {
      if (isPlainObject(first)) {
        return forArgument(command.failureTitle(String(first['engine'])), async () => {
          checkArguments(first, schema, command.id, vscode.l10n);
          return command.run(this.#choice.named(first['engine']));
        });
      }
      return withErrorMessage(undefined, this.#details, async () => {
        const unit = node
          ? this.#choice.ofEngine(node.engine)?.unit
          : await this.#choice.pick(command.fits);
        if (!unit || (command.confirm && !(await command.confirm(unit)))) return undefined;
        return withErrorMessage(command.failureTitle(unit.name), this.#details, async () =>
          command.run(unit),
        );
      });
    });
  }

  window<Args extends object, Result>(command: WindowCommand<Args, Result>): void {
    this.#register(command.id, command.schema, async (first, [node]) =>
      isPlainObject(first)
        ? forArgument(command.failureTitle, () => {
            checkArguments(first, command.schema, command.id, vscode.l10n);
            return command.run(first as Args);
          })
        : withErrorMessage(command.failureTitle, this.#details, () =>
            command.runInteractive(node && this.#choice.ofEngine(node.engine)?.unit),
          ),
    );
  }

  target<Args extends object, Result>(command: TargetCommand<Args, Result>): void {
    const schema: ArgumentSchema = { ...ENGINE, ...ID, ...command.schema };
    this.#register(command.id, schema, async (first, nodes, isFocused) =>
      isPlainObject(first)
        ? this.#targetForArgument(command, first)
        : this.#targetsForUser(command, command.isForOne ? nodes.slice(0, 1) : nodes, isFocused),
    );
  }

  /** Runs a command for the user on targets that are known: asks for the rest, and says how it ended. */
  runForUser<Args extends object, Result>(
    command: TargetCommand<Args, Result>,
    targets: readonly CommandTarget[],
  ): Promise<unknown> {
    return withErrorMessage(undefined, this.#details, () => this.#askAndRun(command, targets));
  }

  /** @param argument what a plain argument must be; it can be read at the handler. */
  #register(
    id: string,
    argument: ArgumentSchema,
    run: Run,
    ofUri?: (uri: vscode.Uri) => object,
  ): void {
    const handler = (first?: unknown, second?: unknown): Promise<unknown> => {
      const isNode = first instanceof TreeNode;
      if (ofUri && first instanceof vscode.Uri) {
        // A menu of the editor hands over its own beside it; whoever has the file alone wants the outcome.
        return second === undefined
          ? run(ofUri(first), [], false)
          : run(undefined, [], false, first);
      }
      if (first === FOCUSED) return run(undefined, [], true);
      if (first !== undefined && first !== null && !isNode && !isPlainObject(first)) {
        return Promise.reject(new Error(vscode.l10n.t('{0} takes an object.', id)));
      }
      return run(first, isNode ? nodesOf(first, second) : [], false);
    };
    this.#store.add(vscode.commands.registerCommand(id, Object.assign(handler, { argument })));
  }

  async #targetForArgument<Args extends object, Result>(
    command: TargetCommand<Args, Result>,
    argument: Record<string, unknown>,
  ): Promise<Result> {
    // What is no text is refused below, and may have no words of its own.
    const text = typeof argument['id'] === 'string' ? argument['id'] : '';
    return forArgument(command.failureTitle(text), () => {
      const { engine, ...given } = argument;
      checkArguments(given, { ...ID, ...command.schema }, command.id, vscode.l10n);
      if (text.trim() === '')
        throw new InputError(vscode.l10n.t('{0}: the id is empty.', command.id));
      const context = this.#choice.forArgument(engine, text);
      const { signal } = new AbortController();
      const connect = (): Promise<Connection> => context.engine.connect(signal);
      const find = async (): Promise<CommandTarget> =>
        command.kind === 'container'
          ? findContainerTarget(context, await connect(), text, signal)
          : findImageTarget(context, await connect(), text, signal);
      const args = Object.fromEntries(Object.entries(given).filter(([key]) => key !== 'id'));
      const call = { args: args as Args, text, signal, isInteractive: false, connect };
      return this.#runOne(command, { ...call, target: once(find) }, context);
    });
  }

  async #targetsForUser<Args extends object, Result>(
    command: TargetCommand<Args, Result>,
    nodes: readonly TreeNode[],
    isFocused: boolean,
  ): Promise<unknown> {
    return withErrorMessage(undefined, this.#details, async () => {
      const targets = await this.#targets(command, nodes, isFocused);
      return targets.length === 0 ? undefined : this.#askAndRun(command, targets);
    });
  }

  /** @param before what was said the last time, to be changed. */
  async #askAndRun<Args extends object, Result>(
    command: TargetCommand<Args, Result>,
    targets: readonly CommandTarget[],
    before?: Args,
  ): Promise<unknown> {
    const args = command.ask ? await command.ask(targets, before) : ({} as Args);
    if (args === undefined) return undefined;
    return this.#runAll(command, targets, args);
  }

  /** The nodes given, else the selection, else one the person picks. */
  async #targets<Args extends object, Result>(
    { kind, fits, isForOne }: TargetCommand<Args, Result>,
    nodes: readonly TreeNode[],
    isFocused: boolean,
  ): Promise<readonly CommandTarget[]> {
    const contextOf = (node: TreeNode): CommandContext | undefined =>
      this.#choice.ofEngine(node.engine);
    const rows = nodes.filter((node) => !(node instanceof EngineNode));
    if (rows.length > 0)
      return targetsOf(rows, kind, rows.length > 1 ? fits : undefined, contextOf);
    const selection = nodes.length > 0 ? [] : this.#selection(kind, isFocused);
    const selected = targetsOf(selection, kind, fits, contextOf);
    if (selected.length === 1 || (selected.length > 1 && !isForOne)) return selected;
    const context = await this.#choice.forUser(nodes);
    const picked = context && (await pickTarget(context, kind, fits));
    return picked ? [picked] : [];
  }

  async #runAll<Args extends object, Result>(
    command: TargetCommand<Args, Result>,
    targets: readonly CommandTarget[],
    args: Args,
  ): Promise<unknown> {
    const [first] = targets;
    const name =
      targets.length === 1 && first ? first.name : vscode.l10n.t('{0} items', targets.length);
    const work = (signal: AbortSignal): Promise<readonly TargetOutcome<Result>[]> =>
      // What takes until something happens elsewhere is never held back by others of its kind.
      mapConcurrently(command.progress === 'atOnce' ? targets.length : AT_ONCE, targets, (target) =>
        this.#runOneForUser(command, target, args, signal),
      );
    const progress = command.progress ?? 'late';
    const outcomes =
      progress === 'never'
        ? await work(new AbortController().signal)
        : await withProgress(command.progressTitle(name), progress, work);
    const edit = {
      title: vscode.l10n.t('Edit…'),
      run: () => this.#askAndRun(command, targets, args),
    };
    await showOutcomes(command, outcomes, command.canEdit ? [edit] : []);
    const results = outcomes.flatMap((one) => ('result' in one ? [one.result] : []));
    return targets.length === 1 ? results[0] : results;
  }

  async #runOneForUser<Args extends object, Result>(
    command: TargetCommand<Args, Result>,
    target: CommandTarget,
    args: Args,
    signal: AbortSignal,
  ): Promise<TargetOutcome<Result>> {
    const { context } = target;
    const connect = (): Promise<Connection> => context.engine.connect(signal);
    const call = {
      args,
      text: target.id,
      signal,
      isInteractive: true,
      connect,
      target: () => Promise.resolve(target),
    };
    try {
      return { target, result: await this.#runOne(command, call, context) };
    } catch (error) {
      return { target, error };
    }
  }

  /** Runs it, its row saying so meanwhile. */
  async #runOne<Args extends object, Result>(
    command: TargetCommand<Args, Result>,
    call: TargetCall<Args>,
    context: CommandContext,
  ): Promise<Result> {
    const busy = new DisposableStore();
    const { verb } = command;
    let id: string | undefined;
    const target = async (): Promise<CommandTarget> => {
      const found = await call.target();
      ({ id } = found);
      if (verb !== undefined) busy.add(context.activity.begin(id, verb));
      return found;
    };
    let isDone = false;
    try {
      const result = await command.run({ ...call, target: once(target) }, context);
      isDone = true;
      return result;
    } finally {
      busy.dispose();
      if (context.inventory.phase.kind === 'lost') context.renew();
      else if (id !== undefined) recheck(id, isDone, context);
    }
  }
}

/**
 * What is selected in the view of containers or of images: where that is visible and was used last, or is known
 * to have the focus.
 */
export type SelectedNodes = (
  kind: 'container' | 'image',
  isFocused: boolean,
) => readonly TreeNode[];

type Run = (
  first: unknown,
  nodes: readonly TreeNode[],
  isFocused: boolean,
  pointedAt?: vscode.Uri,
) => Promise<unknown>;

/**
 * A verb that fails may have changed its container all the same, and one that ends a passing state may be the only
 * one who knows: engines tell neither.
 */
function recheck(id: string, isDone: boolean, { inventory, unit }: CommandContext): void {
  const row = inventory.containers.get(id);
  if (row && (!isDone || isPassing(row))) unit.recheck(id);
}

/** What an argument calls its container by, or the first of several. */
function textIn(id: unknown): string {
  const first: unknown = Array.isArray(id) ? (id as readonly unknown[])[0] : id;
  return typeof first === 'string' ? first : '';
}

/** VS Code passes on nothing of an error but its message, so the message alone says everything. */
async function forArgument<T>(failing: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new Error(failureMessage(failing, error, vscode.l10n), { cause: error });
  }
}

/** The selection a menu hands over where the node clicked is part of it, that node first. */
function nodesOf(node: TreeNode, selection: unknown): readonly TreeNode[] {
  const selected: readonly unknown[] = Array.isArray(selection) ? selection : [];
  const nodes = selected.filter((one) => one instanceof TreeNode);
  return nodes.includes(node) ? [node, ...nodes.filter((one) => one !== node)] : [node];
}
