import * as l10n from '@vscode/l10n';

import type { PlacedDifference, ShownUpChanges } from '../../commands/ui/ui.ts';
import type { UpChange } from '../../projects/cli/upChanges.ts';
import { formatLine, joinParts } from '../../views/format.ts';

/**
 * Returns the groups that have changes, in their order: first how the project of a worktree differs from its files, and
 * what it shares with others.
 */
export function groupUpChanges({
  changes,
  differences,
}: Pick<ShownUpChanges, 'changes' | 'differences'>): readonly UpChangeGroup[] {
  const parts = Map.groupBy(differences, ({ isShared }) => (isShared ? 'shared' : 'separate'));
  const groups = Map.groupBy(changes, ({ action }) => action);
  return [
    ...SCOPES.flatMap((scope) => groupOf(scope, parts.get(scope))),
    ...ORDER.flatMap((action) => groupOf(action, groups.get(action))),
  ];
}

/** A row of the view: a group, or what is in it. */
export type UpChangeRow = UpChangeGroup | UpChange | PlacedDifference;

/** All that Up would do the same with, or that is different here, or shared. */
export interface UpChangeGroup {
  readonly kind: GroupKind;
  readonly rows: readonly (UpChange | PlacedDifference)[];
}

type GroupKind = UpChange['action'] | (typeof SCOPES)[number];

const SCOPES = ['shared', 'separate'] as const;

function groupOf(kind: GroupKind, rows: UpChangeGroup['rows'] = []): readonly UpChangeGroup[] {
  return rows.length === 0 ? [] : [{ kind, rows }];
}

/** Actions in order: first those that destroy, then those that create, then those that keep. */
const ORDER: readonly UpChange['action'][] = [
  'removed',
  'recreated',
  'created',
  'started',
  'other',
  'orphaned',
  'unchanged',
];

/** Returns the message above the rows; empty if Up would do something. */
export function upChangesMessage(changes: readonly UpChange[]): string {
  const isIdle = changes.every(({ action }) => action === 'unchanged' || action === 'orphaned');
  return isIdle ? l10n.t('No changes.') : '';
}

/** Returns the title of a group. */
export function formatUpGroup(kind: GroupKind): string {
  const texts: Readonly<Record<GroupKind, string>> = {
    separate: l10n.t('Different in This Worktree'),
    shared: l10n.t('Shared with Other Worktrees'),
    unchanged: l10n.t('Unchanged'),
    created: l10n.t('Created'),
    recreated: l10n.t('Recreated'),
    started: l10n.t('Started'),
    orphaned: l10n.t('Orphaned'),
    removed: l10n.t('Removed'),
    other: l10n.t('Other'),
  };
  return texts[kind];
}

/** Returns the label and description of a change: why or what happens, and what it is if it is not a container. */
export function formatUpChange({ kind, name, reason, text = '' }: UpChange): {
  readonly label: string;
  readonly description: string;
} {
  const why = reason === undefined ? '' : formatReason(reason);
  return {
    label: formatLine(name),
    description: joinParts(why, formatLine(text), formatKind(kind)),
  };
}

function formatReason(reason: NonNullable<UpChange['reason']>): string {
  const texts = {
    image: l10n.t('image changed'),
    configuration: l10n.t('configuration changed'),
    dependency: l10n.t('dependency recreated'),
  };
  return texts[reason];
}

function formatKind(kind: UpChange['kind']): string {
  const texts = {
    container: '',
    image: l10n.t('image'),
    network: l10n.t('network'),
    volume: l10n.t('volume'),
  };
  return texts[kind];
}
