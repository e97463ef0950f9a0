import * as l10n from '@vscode/l10n';
import { PATH_LIMIT } from '../engine/wire/wire.ts';
import { formatLine, formatSize, joinParts, joinSpoken } from '../views/format.ts';
import type { ChangeCounts, ChangeEntry, ChangeList } from './changeTree.ts';
import type { ExcludedMount, Review } from './review.ts';

/** A row of the Changes view, created when its parent is expanded. */
export type ReviewRow =
  | { readonly kind: 'entry'; readonly entry: ChangeEntry; readonly list: ChangeList }
  | {
      readonly kind: 'rest';
      readonly list: ChangeList;
      readonly folder: string;
      readonly from: number;
      readonly size: number;
    }
  | { readonly kind: 'noise'; readonly list: ChangeList }
  | { readonly kind: 'mounts'; readonly mounts: readonly ExcludedMount[] }
  | { readonly kind: 'mount'; readonly mount: ExcludedMount };

export function rootRows({ tree, subject }: Review): readonly ReviewRow[] {
  return [
    ...rowsIn(tree.main, ''),
    ...(tree.ignored.size > 0 ? [{ kind: 'noise', list: tree.ignored } as const] : []),
    ...(subject.mounts.length > 0 ? [{ kind: 'mounts', mounts: subject.mounts } as const] : []),
  ];
}

/** Returns the rows below a row, or undefined if it cannot be expanded. */
export function rowsBelow(row: ReviewRow): readonly ReviewRow[] | undefined {
  switch (row.kind) {
    case 'entry':
      return row.entry.size === 0 ? undefined : rowsIn(row.list, row.entry.path);
    case 'rest':
      return rowsIn(row.list, row.folder, row.from);
    case 'noise':
      return rowsIn(row.list, '');
    case 'mounts':
      return row.mounts.map((mount) => ({ kind: 'mount', mount }));
    case 'mount':
      return undefined;
  }
}

function rowsIn(list: ChangeList, folder: string, from?: number): readonly ReviewRow[] {
  const { entries, rest } = list.childrenOf(folder, from);
  return [
    ...entries.map((entry) => ({ kind: 'entry', entry, list }) as const),
    ...(rest ? [{ kind: 'rest', list, folder, ...rest } as const] : []),
  ];
}

/**
 * Returns the message above the rows: what the review is of, that there are no changes, and which paths are missing.
 * Empty if the welcome view has it, which VS Code does not show beside a message. A description of the view would not
 * be shown: alone in the panel, it has no header.
 */
export function reviewMessage(review: Review): string {
  const { subject, tree, leftOut } = review;
  const isEmpty = tree.main.size + tree.ignored.size === 0;
  if (isEmpty && subject.mounts.length === 0 && leftOut === 0) return '';
  const sentences = [
    isEmpty ? l10n.t('No changes compared to {0}.', formatLine(subject.base)) : '',
    leftOut > 0
      ? l10n.t(
          'Not shown: {0} (paths that are invalid or longer than {1} characters).',
          leftOut,
          String(PATH_LIMIT),
        )
      : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
  return joinParts(isEmpty ? formatLine(subject.name) : describeReview(review), sentences);
}

/** Formats what a review is of: the name, the counts, and how much larger it is than what it is compared with. */
export function describeReview({ subject, tree }: Review): string {
  const { name, sizeChange } = subject;
  const sign = (sizeChange ?? 0) < 0 ? '−' : '+';
  const size = sizeChange === undefined ? '' : `${sign}${formatSize(Math.abs(sizeChange))}`;
  return joinParts(formatLine(name), formatChangeCounts(tree.counts), size);
}

/** Formats counts as "3 added, 2 changed, 1 deleted", without zeros. Has its own text if all are zero. */
export function formatChangeCounts({ added, changed, deleted }: ChangeCounts): string {
  const words = joinSpoken(
    added > 0 ? l10n.t('{0} added', added) : '',
    changed > 0 ? l10n.t('{0} changed', changed) : '',
    deleted > 0 ? l10n.t('{0} deleted', deleted) : '',
  );
  return words === '' ? l10n.t('no changes') : words;
}

export function formatExcludedMount({ type, source }: ExcludedMount): string {
  switch (type) {
    case 'volume':
      return l10n.t('volume {0}', formatLine(source));
    case 'bind':
      return l10n.t('bind mount {0}', formatLine(source));
    case 'tmpfs':
      return l10n.t('tmpfs');
    default:
      return formatLine(`${type} ${source}`);
  }
}
