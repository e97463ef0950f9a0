import { Emitter, type DisposableStore } from '../base/lifetime.ts';
import { wallClock } from '../base/time.ts';
import type { CommandContext } from '../commands/frame/commandContext.ts';
import { GraphPages } from '../graphs/graphPages.ts';
import type { GraphStatistics } from '../graphs/graphSession.ts';
import type { LogPositions } from '../logviewer/logPositions.ts';
import type { Core } from './core.ts';

/** Returns the statistics pages of the window. @param store owns them. */
export function openGraphs(
  { context, engines }: Core,
  contextOf: (engine: string) => CommandContext | undefined,
  positions: LogPositions,
  store: DisposableStore,
): GraphPages {
  const { extensionUri } = context;
  const statisticsOf = (): GraphStatistics => NO_STATISTICS;
  const pages = new GraphPages({
    extensionUri,
    contextOf,
    statisticsOf,
    positions,
    clock: wallClock,
  });
  store.listen(engines.onDidRemove, ({ id }) => pages.end(id));
  return store.add(pages);
}

/** Stands in until each engine has its `Statistics`. */
const NO_STATISTICS: GraphStatistics = {
  watch: () => ({ dispose: () => undefined }),
  historyOf: () => [],
  marksOf: () => [],
  onDidRead: new Emitter<readonly string[]>().event,
};
