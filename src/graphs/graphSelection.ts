import * as l10n from '@vscode/l10n';
import { oneLine } from '../base/plainText.ts';
import type { Container } from '../engine/model.ts';
import { asRecord, asTexts } from '../engine/wire/wire.ts';
import { projectOf, serviceOf } from '../projects/projectLabels.ts';
import type { GraphSelection } from './protocol.ts';

/** Returns the title of a page: `web`, `shop (5)`, `web and 2 more`. @param names of the containers, in order. */
export function graphTitle(
  { project, service }: Omit<GraphSelection, 'engine'>,
  names: readonly string[],
): string {
  const group = service ?? project;
  if (group !== undefined) return `${oneLine(group, NAME_LIMIT)} (${names.length})`;
  const first = oneLine(names[0] ?? '', NAME_LIMIT);
  return names.length > 1 ? l10n.t('{0} and {1} more', first, names.length - 1) : first;
}

/** Returns a key that is equal for the same containers in any order. */
export function graphKey({ engine, ids, project, service }: GraphSelection): string {
  return JSON.stringify(
    project === undefined ? [engine, ...ids.toSorted()] : [engine, { project, service }],
  );
}

/** Whether a container belongs to a selection. */
export function isSelected(
  container: Container,
  { ids, project, service }: Omit<GraphSelection, 'engine'>,
): boolean {
  if (project === undefined) return ids.includes(container.id);
  if (projectOf(container) !== project) return false;
  return service === undefined || serviceOf(container) === service;
}

/** Returns a valid selection from VS Code's storage, or undefined. The value may come from an older version. */
export function graphSelectionFrom(value: unknown): GraphSelection | undefined {
  const { engine, ids, project, service } = asRecord(value);
  const known = asTexts(ids).filter((id) => /^[0-9a-f]{64}$/.test(id));
  if (typeof engine !== 'string' || (known.length === 0 && typeof project !== 'string'))
    return undefined;
  return {
    engine,
    ids: known.slice(0, MOST_IDS),
    ...(typeof project === 'string' && { project }),
    ...(typeof service === 'string' && { service }),
  };
}

const NAME_LIMIT = 100;

/** The most containers that a page follows. It shows fewer. */
export const MOST_IDS = 50;
