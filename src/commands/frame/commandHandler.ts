import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { TreeNode } from '../../views/treeNode.ts';
import { checkArguments, isPlainObject, type ArgumentSchema } from '../ui/checkArguments.ts';
import { failureMessage } from '../ui/errorMessage.ts';
import { withErrorMessage } from '../ui/withErrorMessage.ts';
import type { Command, CommandHandler, EngineCommand, PlainCommand } from './command.ts';
import type { Frame } from './commandDependencies.ts';
import { namedTarget, runOnNamed, targetSchema } from './runOnTarget.ts';
import { runForKey, runForRows } from './runOnTargets.ts';
import { acceptFocused, acceptRows, areEngines, nodesOf } from './selectedTargets.ts';

/**
 * The argument of our own keybindings. Their `when` clause has checked that the view has the focus, which no
 * API provides. For other callers the argument has no meaning.
 */
const FOCUSED = 'focusedView';

/** The field that selects the engine; `EngineChoice` checks it. */
const ENGINE: ArgumentSchema = { engine: { kind: 'text' } };

/** Returns the handler of a command for VS Code. */
export function commandHandler(command: Command, frame: Frame): CommandHandler {
  if (command.on === 'editor') return (first) => command.run(first);
  const handler = (first?: unknown, second?: unknown): unknown => {
    const call = callOf(command, first, second);
    if (call) return invokeCommand(command, call, frame);
    return Promise.reject(new Error(l10n.t('{0}: the argument must be an object.', command.id)));
  };
  return Object.assign(handler, { argument: argumentOf(command) });
}

/** Way in which a command was called. */
type Call =
  /** From a script or a keybinding, which want the result: nothing is asked or shown. */
  | { readonly way: 'argument'; readonly argument: Fields }
  /** From the menu of a file or from a lens, for the user. */
  | { readonly way: 'choice'; readonly argument: Fields }
  /** From a menu or a button of a row, with the selected rows if the row is one of them. */
  | { readonly way: 'rows'; readonly rows: readonly TreeNode[] }
  | { readonly way: 'palette' }
  /** By our keybinding for the focused view: it acts on the selected rows or on nothing, and never asks for one. */
  | { readonly way: 'key' };

type Fields = Readonly<Record<string, unknown>>;
type CheckedCommand = Exclude<Command, { on: 'editor' }>;

/** Returns how a command was called; undefined if what was passed is not an argument. */
function callOf(command: CheckedCommand, first: unknown, second: unknown): Call | undefined {
  const plain = command.on === undefined ? command : undefined;
  const file = first instanceof vscode.Uri ? plain?.ofUri?.(first) : undefined;
  const argument = file ? { ...file } : first;
  // Menus of VS Code and our lenses pass a second argument. A caller that passes only the first wants the result.
  if (isPlainObject(argument))
    return { way: plain?.runInteractive && second !== undefined ? 'choice' : 'argument', argument };
  if (first instanceof TreeNode) return { way: 'rows', rows: nodesOf(first, second) };
  if (first === FOCUSED) return { way: 'key' };
  return first === undefined || first === null ? { way: 'palette' } : undefined;
}

/** Returns the schema of the argument of a command. */
function argumentOf(command: CheckedCommand): ArgumentSchema {
  if (command.on === undefined) return { ...ENGINE, ...command.schema };
  if (command.on === 'window') return command.schema;
  if (command.on === 'engine') return { engine: { kind: 'text', required: true } };
  return { ...ENGINE, ...targetSchema(command) };
}

/** Runs a command, in all ways that it can be called. */
async function invokeCommand(command: CheckedCommand, call: Call, frame: Frame): Promise<unknown> {
  if (call.way === 'argument') return runWithArgument(command, call.argument, frame);
  if (command.on === undefined) return invokePlain(command, call, frame);
  const rows = call.way === 'rows' ? call.rows : [];
  if (command.on === 'engine') return runOnEngine(command, rows, frame);
  if (command.on === 'window')
    return withErrorMessage(command.failureTitle, frame, () =>
      command.runInteractive(rows[0] && frame.choice.ofEngine(rows[0].engine)?.unit),
    );
  return withErrorMessage(undefined, frame, () =>
    call.way === 'key' ? runForKey(command, frame) : runForRows(command, rows, frame),
  );
}

/**
 * Runs a command without a user.
 *
 * @throws Error with a complete message: VS Code passes on nothing else of an error.
 */
async function runWithArgument(
  command: CheckedCommand,
  argument: Fields,
  { choice }: Frame,
): Promise<unknown> {
  try {
    if (command.on === undefined) {
      const { engine, ...args } = argument;
      const context = choice.forArgument(engine, textIn(args['id'] ?? args['ids']));
      checkArguments(args, command.schema, command.id);
      return await command.run(args, context, new AbortController().signal);
    }
    if (command.on !== 'engine' && command.on !== 'window')
      return await runOnNamed(command, argument, choice);
    checkArguments(argument, argumentOf(command), command.id);
    if (command.on === 'window') return await command.run(argument);
    return await command.run(choice.named(argument['engine']));
  } catch (error) {
    throw new Error(failureMessage(failureTitleOf(command, argument), error), { cause: error });
  }
}

function failureTitleOf(command: CheckedCommand, argument: Fields): string {
  if (command.on === undefined || command.on === 'window') return command.failureTitle;
  return command.failureTitle(
    command.on === 'engine' ? String(argument['engine']) : namedTarget(command, argument),
  );
}

async function runOnEngine(
  command: EngineCommand,
  [row]: readonly TreeNode[],
  frame: Frame,
): Promise<unknown> {
  return withErrorMessage(undefined, frame, async () => {
    const { choice } = frame;
    const unit = row
      ? choice.ofEngine(row.engine)?.unit
      : await choice.pick(command.fits, command.id);
    if (!unit || (command.confirm && !(await command.confirm(unit)))) return undefined;
    return withErrorMessage(command.failureTitle(unit.name), frame, () => command.run(unit));
  });
}

/** Runs a plain command on rows: those of the menu, or the selected ones. */
async function invokePlain(
  command: PlainCommand,
  call: Exclude<Call, { way: 'argument' }>,
  frame: Frame,
): Promise<unknown> {
  if (!command.runInteractive) return runWithArgument(command, {}, frame);
  if (call.way === 'choice') return runPlain(command, [], frame, call.argument);
  if (call.way === 'rows') return runPlain(command, call.rows, frame);
  const rows = command.selects === undefined ? [] : selectedRows(command, call.way, frame);
  const isNothing = call.way === 'key' && command.selects !== undefined && rows?.length === 0;
  return rows && !isNothing ? runPlain(command, rows, frame) : undefined;
}

/**
 * Returns the selected rows of the view that was used last, see {@link acceptRows}, or of the first one if it has
 * the focus, see {@link acceptFocused}.
 */
function selectedRows(
  command: PlainCommand,
  way: 'key' | 'palette',
  { ui, selection }: Frame,
): readonly TreeNode[] | undefined {
  const kinds = [command.selects ?? []].flat();
  const [first] = kinds;
  if (way === 'key' && first) return acceptFocused(ui, command, first, selection(first, true));
  const rows = kinds.map((kind) => selection(kind, false));
  return acceptRows(ui, command, rows.find((one) => one.length > 0) ?? []);
}

/** @param chosen the argument of a file or a lens, which have no row. */
function runPlain(
  command: PlainCommand,
  rows: readonly TreeNode[],
  frame: Frame,
  chosen?: Fields,
): Promise<unknown> {
  const { choice } = frame;
  return withErrorMessage(undefined, frame, async () => {
    const { engine, ...args } = chosen ?? {};
    const isPicked = !chosen && command.pick && areEngines(rows);
    const picked = isPicked && (await command.pick(choice.contextsFor(rows)));
    if (isPicked && !picked) return undefined;
    const nodes = picked ? [picked] : rows;
    const context =
      engine === undefined ? await choice.forUser(nodes, command.id) : choice.forArgument(engine);
    if (!context) return undefined;
    return withErrorMessage(command.failureTitle, frame, async () => {
      checkArguments(args, chosen ? command.schema : {}, command.id);
      return command.runInteractive?.(context, nodes, chosen && args);
    });
  });
}

/** Returns the name or ID of the container in an argument, or the first of several. */
function textIn(id: unknown): string {
  const first: unknown = Array.isArray(id) ? (id as readonly unknown[])[0] : id;
  return typeof first === 'string' ? first : '';
}
