/** Opens the pages that are webview panels of an engine. Each is loaded at its first use. */

import { join } from 'node:path';
import type { CleanupPages } from '../cleanup/cleanupPages.ts';
import type { CommandHandler } from '../commands/frame/command.ts';
import type { CommandContext } from '../commands/frame/commandContext.ts';
import type { CommandId } from '../commands/ui/ui.ts';
import type { DetailsPages } from '../details/detailsPages.ts';
import type { DisposableStore } from '../base/lifetime.ts';
import type { GraphPages } from '../graphs/graphPages.ts';
import type { LogViewers } from '../logviewer/logViewers.ts';
import type { LogPositions } from '../logviewer/logPositions.ts';
import { viewerEngineOf } from './commandContexts.ts';
import type { Core } from './core.ts';

/** Opens the log viewers. */
export async function openViewers(
  { context, engines, describe }: Core,
  { store, positions }: PageParts,
): Promise<LogViewers> {
  const { LogViewers } = await import('../logviewer/logViewers.ts');
  const viewers = store.add(
    new LogViewers({
      describe,
      extensionUri: context.extensionUri,
      spillFolder: join(context.globalStorageUri.fsPath, 'logs'),
      memento: context.globalState,
      positions,
      engineOf: (id) => {
        const unit = engines.get(id);
        return unit && viewerEngineOf(unit, engines);
      },
    }),
  );
  store.listen(engines.onDidRemove, ({ id }) => viewers.end(id));
  return viewers;
}

/** Opens the clean-up pages. */
export async function openCleanUps(
  { context, engines }: Core,
  { store, contextOf }: PageParts,
): Promise<CleanupPages> {
  const { CleanupPages } = await import('../cleanup/cleanupPages.ts');
  const pages = store.add(new CleanupPages(context.extensionUri, contextOf));
  store.listen(engines.onDidRemove, ({ id }) => pages.end(id));
  return pages;
}

/** Opens the details pages. */
export async function openDetails(
  { context, engines }: Core,
  { store, contextOf, handlerOf }: PageParts,
): Promise<DetailsPages> {
  const { DetailsPages } = await import('../details/detailsPages.ts');
  const pages = store.add(
    new DetailsPages({
      extensionUri: context.extensionUri,
      contextOf,
      run: async (id, argument) => (await handlerOf(id))(argument),
    }),
  );
  store.listen(engines.onDidRemove, ({ id }) => pages.end(id));
  return pages;
}

/** Opens the statistics pages. */
export async function openGraphs(
  { context, engines }: Core,
  { store, contextOf, positions }: PageParts,
): Promise<GraphPages> {
  const { GraphPages } = await import('../graphs/graphPages.ts');
  const { extensionUri } = context;
  const pages = store.add(new GraphPages({ extensionUri, contextOf, positions }));
  store.listen(engines.onDidRemove, ({ id }) => pages.end(id));
  return pages;
}

/** What the pages need of the features. */
interface PageParts {
  /** Owns the pages. */
  readonly store: DisposableStore;
  /** Returns the context of an engine by its ID. */
  readonly contextOf: (engine: string) => CommandContext | undefined;
  readonly handlerOf: (id: CommandId) => Promise<CommandHandler>;
  /** Where the log viewers are. */
  readonly positions: LogPositions;
}
