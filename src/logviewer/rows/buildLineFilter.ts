import type { LineFilter } from '../../logs/search/lineQuery.ts';
import type { ViewerFilter } from '../protocol.ts';

/**
 * The words of a filter and the boxes that are ticked, as a store is asked.
 *
 * @param members whose lines are shown; undefined: all.
 * @returns undefined where nothing is kept back.
 */
export function buildLineFilter(
  { include, exclude, levels, streams, context }: ViewerFilter,
  members: readonly number[] | undefined,
): LineFilter | undefined {
  const filter: LineFilter = {
    ...(include && { include }),
    ...(exclude && { exclude }),
    ...(levels.length > 0 && { levels }),
    // What Gantry says of the containers is of no stream, and belongs to both.
    ...(streams.length > 0 && { kinds: [...streams, 'marker', 'gap'] }),
    ...(members && { members }),
  };
  if (Object.keys(filter).length === 0) return undefined;
  return context > 0 ? { ...filter, context } : filter;
}
