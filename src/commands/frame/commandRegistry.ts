import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Connection } from '../../engine/http/connection.ts';
import { TreeNode, type RowKind } from '../../views/treeNode.ts';
import { mapConcurrently } from '../../base/mapConcurrently.ts';
import type {
  Commands,
  EngineCommand,
  PlainCommand,
  TargetCommand,
  WindowCommand,
} from './command.ts';
import type { CommandContext } from './commandContext.ts';
import type { CommandId } from '../commandIds.ts';
import type { EngineChoice } from './engineChoice.ts';
import { namedTarget, runOnNamed, runOnTarget, targetSchema } from './runOnTarget.ts';
import { showOutcomes, targetOutcome, type TargetOutcome } from './showOutcomes.ts';
import { withErrorMessage, type ErrorDetails } from '../ui/withErrorMessage.ts';
import { failureMessage } from '../ui/errorMessage.ts';
import { checkArguments, isPlainObject, type ArgumentSchema } from '../ui/checkArguments.ts';
import {
  acceptFocused,
  acceptRows,
  acceptTargets,
  areEngines,
  nodesOf,
  selectedTargets,
  targetsOfMenu,
  targetsOfSelection,
} from './selectedTargets.ts';
import type { CommandTarget } from './targets.ts';
import { pickTarget } from './pickTarget.ts';

/**
 * The argument of our own keybindings. Their `when` clause has checked that the view has the focus, which no
 * API provides. For other callers the argument has no meaning.
 */
const FOCUSED = 'focusedView';

/** The field that selects the engine; `EngineChoice` checks it. */
const ENGINE: ArgumentSchema = { engine: { kind: 'text' } };
/** Maximum number of targets that a command works on concurrently. */
const AT_ONCE = 6;

/** The handlers of commands. Each can be called in three ways: with a plain argument, a tree node, or nothing. */
export class CommandRegistry {
  readonly #choice: EngineChoice;
  readonly #selection: SelectedNodes;
  readonly #details: ErrorDetails;
  readonly #load: (id: CommandId) => Promise<CommandHandler>;
  readonly #handlers = new Map<string, CommandHandler>();

  /**
   * @param selection returns the selected rows of the views.
   * @param load returns the handler of any command.
   */
  constructor(
    choice: EngineChoice,
    selection: SelectedNodes,
    details: ErrorDetails,
    load: (id: CommandId) => Promise<CommandHandler>,
  ) {
    this.#load = load;
    this.#choice = choice;
    this.#selection = selection;
    this.#details = details;
  }

  /** Returns the handler of a registered command; undefined if there is none. */
  handlerOf(id: string): CommandHandler | undefined {
    return this.#handlers.get(id);
  }

  register(commands: Commands): void {
    for (const command of commands.targets ?? []) this.#registerTarget(command);
    for (const command of commands.plain ?? []) this.#registerPlain(command);
    for (const command of commands.engines ?? []) this.#registerEngine(command);
    for (const command of commands.window ?? []) this.#registerWindow(command);
    for (const [id, run] of Object.entries(commands.simple ?? {})) this.#handlers.set(id, run);
  }

  #registerPlain(command: PlainCommand): void {
    const { selects } = command;
    const ofUri = command.ofUri?.bind(command);
    const run: Run = async (first, nodes, isFocused, chosen) => {
      const argument = isPlainObject(first) ? first : undefined;
      if (!argument && command.runInteractive) {
        const isSelected = nodes.length === 0 && !chosen && selects !== undefined;
        const meant = isSelected ? this.#selected([selects].flat(), command, isFocused) : nodes;
        // A key acts on the selected rows or on nothing: it never asks for a row.
        if (!meant || (isSelected && isFocused && meant.length === 0)) return undefined;
        return this.#plainForUser(command, meant, chosen);
      }
      return this.#forArgument(command.failureTitle, () => {
        const { engine, ...args } = argument ?? {};
        const context = this.#choice.forArgument(engine, textIn(args['id'] ?? args['ids']));
        checkArguments(args, command.schema, command.id);
        return command.run(args, context, new AbortController().signal);
      });
    };
    const isChosen = command.runInteractive !== undefined;
    this.#register(command.id, { ...ENGINE, ...command.schema }, run, { ofUri, isChosen });
  }

  /**
   * Returns the selected rows of the view that was used last, see {@link acceptRows}, or of the first one if it has
   * the focus, see {@link acceptFocused}.
   */
  #selected(
    kinds: readonly RowKind[],
    command: PlainCommand,
    isFocused: boolean,
  ): readonly TreeNode[] | undefined {
    const { ui } = this.#details;
    const [first] = kinds;
    if (isFocused && first) return acceptFocused(ui, command, first, this.#selection(first, true));
    const rows = kinds.map((kind) => this.#selection(kind, false));
    return acceptRows(ui, command, rows.find((one) => one.length > 0) ?? []);
  }

  #plainForUser(
    command: PlainCommand,
    rows: readonly TreeNode[],
    chosen: Readonly<Record<string, unknown>> | undefined,
  ): Promise<unknown> {
    return withErrorMessage(undefined, this.#details, async () => {
      const { engine, ...args } = chosen ?? {};
      const isPicked = !chosen && command.pick && areEngines(rows);
      const picked = isPicked && (await command.pick(this.#choice.contextsFor(rows)));
      if (isPicked && !picked) return undefined;
      const nodes = picked ? [picked] : rows;
      const context =
        engine === undefined
          ? await this.#choice.forUser(nodes, command.id)
          : this.#choice.forArgument(engine);
      if (!context) return undefined;
      return withErrorMessage(command.failureTitle, this.#details, async () => {
        checkArguments(args, chosen ? command.schema : {}, command.id);
        return command.runInteractive?.(context, nodes, chosen && args);
      });
    });
  }

  #registerEngine(command: EngineCommand): void {
    const schema: ArgumentSchema = { engine: { kind: 'text', required: true } };
    this.#register(command.id, schema, async (first, [node]) => {
      if (isPlainObject(first)) {
        return this.#forArgument(command.failureTitle(String(first['engine'])), () => {
          checkArguments(first, schema, command.id);
          return command.run(this.#choice.named(first['engine']));
        });
      }
      return withErrorMessage(undefined, this.#details, async () => {
        const unit = node
          ? this.#choice.ofEngine(node.engine)?.unit
          : await this.#choice.pick(command.fits, command.id);
        if (!unit || (command.confirm && !(await command.confirm(unit)))) return undefined;
        return withErrorMessage(command.failureTitle(unit.name), this.#details, () =>
          command.run(unit),
        );
      });
    });
  }

  #registerWindow(command: WindowCommand): void {
    this.#register(command.id, command.schema, async (first, [node]) =>
      isPlainObject(first)
        ? this.#forArgument(command.failureTitle, () => {
            checkArguments(first, command.schema, command.id);
            return command.run(first);
          })
        : withErrorMessage(command.failureTitle, this.#details, () =>
            command.runInteractive(node && this.#choice.ofEngine(node.engine)?.unit),
          ),
    );
  }

  #registerTarget(command: TargetCommand): void {
    const schema: ArgumentSchema = { ...ENGINE, ...targetSchema(command) };
    this.#register(command.id, schema, async (first, nodes, isFocused) =>
      isPlainObject(first)
        ? this.#forArgument(command.failureTitle(namedTarget(command, first)), () =>
            runOnNamed(command, first, this.#choice),
          )
        : this.#targetsForUser(command, command.isForOne ? nodes.slice(0, 1) : nodes, isFocused),
    );
  }

  /** Runs a command for the user on known targets: asks for the remaining arguments and shows the outcome. */
  runForUser(command: TargetCommand, targets: readonly CommandTarget[]): Promise<unknown> {
    return withErrorMessage(undefined, this.#details, () => this.#askAndRun(command, targets));
  }

  /** VS Code passes on only the message of an error, so the message must be complete. */
  async #forArgument(failing: string, run: () => unknown): Promise<unknown> {
    try {
      return await run();
    } catch (error) {
      throw new Error(failureMessage(failing, error), { cause: error });
    }
  }

  /** @param argument schema of a plain argument, attached to the handler so that tests can read it. */
  #register(
    id: string,
    argument: ArgumentSchema,
    run: Run,
    { ofUri, isChosen = false }: ChoiceOptions = {},
  ): void {
    const handler = (first?: unknown, second?: unknown): Promise<unknown> => {
      const isNode = first instanceof TreeNode;
      const given = ofUri && first instanceof vscode.Uri ? { ...ofUri(first) } : first;
      // Menus of VS Code and our lenses pass a second argument. A caller that passes only the first wants the result.
      if (isPlainObject(given) && isChosen && second !== undefined)
        return run(undefined, [], false, given);
      if (given !== first) return run(given, [], false);
      if (first === FOCUSED) return run(undefined, [], true);
      if (first !== undefined && first !== null && !isNode && !isPlainObject(first)) {
        return Promise.reject(new Error(l10n.t('{0}: the argument must be an object.', id)));
      }
      return run(first, isNode ? nodesOf(first, second) : [], false);
    };
    this.#handlers.set(id, Object.assign(handler, { argument }));
  }

  async #targetsForUser(
    command: TargetCommand,
    nodes: readonly TreeNode[],
    isFocused: boolean,
  ): Promise<unknown> {
    return withErrorMessage(undefined, this.#details, async () => {
      if (isFocused) return this.#forKey(command);
      const targets = await this.#targets(command, nodes);
      return targets.length === 0 ? undefined : this.#askAndRun(command, targets);
    });
  }

  /** A key acts on the selected rows or on nothing: it never asks for a target. */
  async #forKey(command: TargetCommand): Promise<unknown> {
    const rows = this.#selection(command.kind, true);
    const selected = selectedTargets(rows, command, this.#contextOf);
    const act = selected.others.length > 0 ? command.ofOthers?.(rows) : undefined;
    if (typeof act === 'string') return (await this.#load(act))(rows[0], rows);
    if (act) return act();
    const targets = acceptTargets(this.#details.ui, command, selected);
    return targets.length === 0 ? undefined : this.#askAndRun(command, targets);
  }

  /** @param before the previous arguments, to be edited. */
  async #askAndRun(
    command: TargetCommand,
    targets: readonly CommandTarget[],
    before?: object,
  ): Promise<unknown> {
    const args = command.ask ? await command.ask(targets, before) : {};
    if (args === undefined) return undefined;
    return this.#runAll(command, targets, args);
  }

  /** Returns the targets of the given nodes, else of the selection, else one that the user picks. */
  async #targets(
    command: TargetCommand,
    nodes: readonly TreeNode[],
  ): Promise<readonly CommandTarget[]> {
    const { kind, fits } = command;
    const { ui } = this.#details;
    const meant =
      nodes.length > 0
        ? targetsOfMenu(ui, command, nodes, this.#contextOf)
        : targetsOfSelection(ui, command, this.#selection(kind, false), this.#contextOf);
    if (meant) return meant;
    const contexts = this.#choice.contextsFor(nodes);
    const picked = await pickTarget(contexts, command.id, kind, fits);
    return picked ? [picked] : [];
  }

  readonly #contextOf = ({ engine }: TreeNode): CommandContext | undefined =>
    this.#choice.ofEngine(engine);

  async #runAll(
    command: TargetCommand,
    targets: readonly CommandTarget[],
    args: object,
  ): Promise<unknown> {
    const [first] = targets;
    const name = targets.length === 1 && first ? first.name : l10n.t('{0} items', targets.length);
    const work = (signal: AbortSignal): Promise<readonly TargetOutcome[]> =>
      // Commands that wait for something else to happen are never queued behind others of their kind.
      mapConcurrently(command.progress === 'atOnce' ? targets.length : AT_ONCE, targets, (target) =>
        this.#runOneForUser(command, target, args, signal),
      );
    const progress = command.progress ?? 'late';
    const outcomes =
      progress === 'never'
        ? await work(new AbortController().signal)
        : await this.#details.ui.progress(command.progressTitle(name), progress, work);
    const edit = {
      title: l10n.t('Edit...'),
      run: () => this.#askAndRun(command, targets, args),
    };
    await showOutcomes(this.#details.ui, command, outcomes, command.canEdit ? [edit] : []);
    const results = outcomes.flatMap((one) => ('result' in one ? [one.result] : []));
    return targets.length === 1 ? results[0] : results;
  }

  async #runOneForUser(
    command: TargetCommand,
    target: CommandTarget,
    args: object,
    signal: AbortSignal,
  ): Promise<TargetOutcome> {
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
    return targetOutcome(target, runOnTarget(command, call, context));
  }
}

/**
 * Returns the selected rows of the view of this kind, if that view is visible and was used last, or
 * is known to have the focus.
 */
export type SelectedNodes = (kind: RowKind, isFocused: boolean) => readonly TreeNode[];

/** Runs a command with what VS Code passes. */
export interface CommandHandler {
  (first?: unknown, second?: unknown): unknown;
  /** The schema of a plain argument; undefined if it is not checked. Tests read it. */
  readonly argument?: ArgumentSchema;
}

type Run = (
  first: unknown,
  nodes: readonly TreeNode[],
  isFocused: boolean,
  chosen?: Readonly<Record<string, unknown>>,
) => Promise<unknown>;

/** How a command takes what the user chose where there is no row. */
interface ChoiceOptions {
  readonly ofUri?: ((uri: vscode.Uri) => object) | undefined;
  /** Whether it takes an argument for the user, too. */
  readonly isChosen?: boolean;
}

/** Returns the name or ID of the container in an argument, or the first of several. */
function textIn(id: unknown): string {
  const first: unknown = Array.isArray(id) ? (id as readonly unknown[])[0] : id;
  return typeof first === 'string' ? first : '';
}
