import * as l10n from '@vscode/l10n';
import { EngineNode, NoteNode } from '../../views/engines/engineNode.ts';
import { ImageNode } from '../../views/images/imageNode.ts';
import { MemberNode, NetworkNode } from '../../views/networks/networkNode.ts';
import { ContainerNode } from '../../views/containers/containerNode.ts';
import { TreeNode, type RowKind } from '../../views/treeNode.ts';
import { VolumeNode } from '../../views/volumes/volumeNode.ts';
import type { PlainCommand, TargetCommand } from './command.ts';
import type { CommandContext } from './commandContext.ts';
import { formatNames } from '../ui/formatNames.ts';
import { targetsOf, type CommandTarget } from './targets.ts';
import type { Ui } from '../ui/ui.ts';

/** Targets of a command on several selected rows. Rows of an engine that was removed are left out. */
interface SelectedTargets {
  readonly targets: readonly CommandTarget[];
  /** Targets that the command does not apply to in their state. */
  readonly unfit: readonly CommandTarget[];
  /** Rows of another kind. */
  readonly others: readonly TreeNode[];
}

/** Sorts selected rows into the targets of a command and the rest. */
export function selectedTargets(
  nodes: readonly TreeNode[],
  { on, fits }: SelectingCommand,
  contextOf: ContextOf,
): SelectedTargets {
  const known = nodes.filter((node) => contextOf(node) !== undefined);
  const all = targetsOf(known, on, undefined, contextOf);
  const targets = targetsOf(known, on, fits, contextOf);
  const ids = new Set(targets.map(({ id, context }) => `${context.unit.id} ${id}`));
  return {
    targets,
    unfit: all.filter(({ id, context }) => !ids.has(`${context.unit.id} ${id}`)),
    others: known.filter((node) => targetsOf([node], on, undefined, contextOf).length === 0),
  };
}

/**
 * Returns the targets, and names those that the command leaves out because of their state. Returns none, with a
 * message, if there are rows of another kind: a command must not act on a part of what is selected.
 */
export function acceptTargets(
  ui: Ui,
  { on, isForOne }: SelectingCommand,
  { targets, unfit, others }: SelectedTargets,
): readonly CommandTarget[] {
  if (others.length > 0) {
    ui.info(ONLY[on]());
    return [];
  }
  if (isForOne && targets.length + unfit.length > 1) {
    ui.info(l10n.t('Select only one row.'));
    return [];
  }
  if (unfit.length > 0) {
    const names = unfit.map(({ name }) => name);
    ui.info(l10n.t('Left out because of their state: {0}.', formatNames(names)));
  }
  return targets;
}

/** Returns whether all rows are engines, or messages below them. */
export function areEngines(nodes: readonly TreeNode[]): boolean {
  return nodes.every((node) => node instanceof EngineNode || node instanceof NoteNode);
}

/**
 * Returns the selected rows if a plain command works on all of them; none if it works on none of them, so that the
 * user picks one. Undefined, with a message, if it works on a part of them.
 */
export function acceptRows(
  ui: Ui,
  { accepts = isTarget, isForOne }: Pick<PlainCommand, 'accepts' | 'isForOne'>,
  rows: readonly TreeNode[],
): readonly TreeNode[] | undefined {
  const accepted = rows.filter(accepts);
  if (accepted.length > 0 && accepted.length < rows.length)
    ui.info(l10n.t('The command does not apply to all selected rows.'));
  else if (accepted.length > 1 && isForOne) ui.info(l10n.t('Select only one row.'));
  else return accepted;
  return undefined;
}

/**
 * Returns the selected rows for the key of a plain command; none, with a message, if there are rows that it does not
 * work on.
 */
export function acceptFocused(
  ui: Ui,
  { accepts = isTarget, isForOne }: Pick<PlainCommand, 'accepts' | 'isForOne'>,
  kind: RowKind,
  rows: readonly TreeNode[],
): readonly TreeNode[] {
  if (!rows.every(accepts)) ui.info(ONLY[kind]());
  else if (rows.length > 1 && isForOne) ui.info(l10n.t('Select only one row.'));
  else return rows;
  return [];
}

function isTarget(row: TreeNode): boolean {
  const isObject = row instanceof ContainerNode || row instanceof ImageNode;
  const isUsed = row instanceof VolumeNode || row instanceof NetworkNode;
  return isObject || isUsed || row instanceof MemberNode;
}

/**
 * Returns the targets of the rows of a menu; see {@link acceptTargets}. Undefined if they are engines, which select
 * where a command works, not on what.
 */
export function targetsOfMenu(
  ui: Ui,
  command: SelectingCommand,
  nodes: readonly TreeNode[],
  contextOf: ContextOf,
): readonly CommandTarget[] | undefined {
  if (areEngines(nodes)) return undefined;
  // The menu of a single row has checked its state.
  if (nodes.length === 1) return targetsOf(nodes, command.on, undefined, contextOf);
  return acceptTargets(ui, command, selectedTargets(nodes, command, contextOf));
}

/** Returns the targets of the selection for the palette. Undefined if the user has to pick one. */
export function targetsOfSelection(
  ui: Ui,
  command: SelectingCommand,
  nodes: readonly TreeNode[],
  contextOf: ContextOf,
): readonly CommandTarget[] | undefined {
  const selected = selectedTargets(nodes, command, contextOf);
  const { length } = selected.targets;
  if (length === 0 || (command.isForOne && length > 1)) return undefined;
  return acceptTargets(ui, command, selected);
}

type SelectingCommand = Pick<TargetCommand, 'on' | 'fits' | 'isForOne'>;
type ContextOf = (node: TreeNode) => CommandContext | undefined;

const ONLY: Readonly<Record<RowKind, () => string>> = {
  container: () => l10n.t('Select only containers.'),
  image: () => l10n.t('Select only images.'),
  volume: () => l10n.t('Select only volumes.'),
  network: () => l10n.t('Select only networks.'),
  build: () => l10n.t('Select only builds.'),
  file: () => l10n.t('Select only files and folders.'),
};

/** Returns the selection that a menu passes if the clicked node is part of it, with that node first. */
export function nodesOf(node: TreeNode, selection: unknown): readonly TreeNode[] {
  const selected: readonly unknown[] = Array.isArray(selection) ? selection : [];
  const nodes = selected.filter((one) => one instanceof TreeNode);
  return nodes.includes(node) ? [node, ...nodes.filter((one) => one !== node)] : [node];
}
