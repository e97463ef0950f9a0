import * as l10n from '@vscode/l10n';

import type { UpChange } from '../../projects/cli/upChanges.ts';
import { formatLine, joinParts } from '../../views/format.ts';

/** Returns the groups that have changes, in their order. */
export function groupUpChanges(changes: readonly UpChange[]): readonly UpChangeGroup[] {
  const groups = Map.groupBy(changes, ({ action }) => action);
  return ORDER.flatMap((action) => {
    const own = groups.get(action);
    return own ? [{ action, changes: own }] : [];
  });
}

/** A row of the view: an action, or below it what it happens to. */
export type UpChangeRow = UpChangeGroup | UpChange;

/** All that Up would do the same with. */
export interface UpChangeGroup {
  readonly action: UpChange['action'];
  readonly changes: readonly UpChange[];
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
export function formatUpAction(action: UpChange['action']): string {
  const texts: Readonly<Record<UpChange['action'], string>> = {
    unchanged: l10n.t('Unchanged'),
    created: l10n.t('Created'),
    recreated: l10n.t('Recreated'),
    started: l10n.t('Started'),
    orphaned: l10n.t('Orphaned'),
    removed: l10n.t('Removed'),
    other: l10n.t('Other'),
  };
  return texts[action];
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
