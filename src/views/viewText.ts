import type { Inventory } from '../inventory/inventory.ts';
import type { L10n } from '../l10n.ts';
import { lostMessage } from './stateText.ts';

/** What a view knows of itself for its message. */
export interface Shown {
  /** Containers or images that have a row. */
  readonly shown: number;
  /** All there are. */
  readonly known: number;
}

/** What is said above the rows of a view; empty for nothing, and then an empty view shows its welcome. */
export function viewMessage(
  { phase }: Pick<Inventory, 'phase'>,
  { shown, known }: Shown,
  l10n: L10n,
): string {
  if (phase.kind === 'lost' && shown > 0) return lostMessage(phase.error, l10n);
  if (phase.kind !== 'live' || shown > 0 || known === 0) return '';
  return known === 1
    ? l10n.t('1 stopped container is hidden.')
    : l10n.t('{0} stopped containers are hidden.', known);
}
