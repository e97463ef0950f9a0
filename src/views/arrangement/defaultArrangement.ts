import { settings } from '../../base/settings.ts';
import type { ArrangedView, Arrangement } from './arrangements.ts';

/** Returns what the settings say about a view. */
export function defaultArrangement(view: ArrangedView): Partial<Arrangement> {
  if (view === 'containers') return { isHiding: settings.hideStopped() };
  if (view !== 'images') return {};
  const { groupBy, sortBy, showDangling } = settings.images();
  return { groupBy, sortBy, isHiding: !showDangling };
}
