import type { DetailsTarget } from '../../commands/frame/detailsTarget.ts';
import type { CommandId } from '../../commands/ui/ui.ts';
import type { NamedValue } from '../../engine/facts/containerFacts.ts';
import { oneLine } from '../../base/plainText.ts';
import type { PageRow, PageSection } from '../protocol.ts';

/** A row, with what its value does and what is copied of it. */
export interface SourceRow extends Pick<
  PageRow,
  'label' | 'value' | 'note' | 'block' | 'isTail' | 'isBad'
> {
  /** By default, the value. */
  readonly copied?: string;
  /** By which the value is asked for, if it is masked. */
  readonly hiddenKey?: string;
  readonly act?: RowAct;
}

/** Whether the value with this key is masked. */
export type IsMasked = (key: string) => boolean;

/** What a value that is a link does. */
export type RowAct =
  | { readonly kind: 'details'; readonly target: DetailsTarget }
  /** Opens the log viewer for a container, at a time in milliseconds since 1970 if known: other places have no times. */
  | {
      readonly kind: 'logs';
      readonly owner: { readonly id: string; readonly name: string };
      readonly at: number | undefined;
    }
  | { readonly kind: 'command'; readonly id: CommandId; readonly argument: object };

export interface SourceSection extends Pick<PageSection, 'id' | 'title'> {
  readonly rows: readonly SourceRow[];
}

/** Returns rows for all pairs with a value. */
export function plainRows(
  ...pairs: readonly (readonly [label: string, value: string])[]
): readonly SourceRow[] {
  return pairs.flatMap(([label, value]) => (value === '' ? [] : [{ label, value }]));
}

/** Returns a row whose label is of the engine. @param kind of the value in `HiddenValues`. */
export function namedRow(kind: string, { name, value, isSecret }: NamedValue): SourceRow {
  return { label: oneLine(name), value, ...(isSecret && { hiddenKey: `${kind} ${name}` }) };
}

/** Returns the row of a command, which is masked as a whole. */
export function hiddenRow(
  label: string,
  value: string,
  hiddenKey: string,
  isMasked: IsMasked,
): readonly SourceRow[] {
  if (value === '') return [];
  return [{ label, value, ...(isMasked(hiddenKey) && { hiddenKey }) }];
}

/** Returns the sections that have rows. */
export function withRows(sections: readonly SourceSection[]): readonly SourceSection[] {
  return sections.filter(({ rows }) => rows.length > 0);
}
