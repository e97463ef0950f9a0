import * as l10n from '@vscode/l10n';
import { DisposableStore } from '../../base/lifetime.ts';
import type { SourceReference } from '../../logs/text/sourcePath.ts';
import { SourceResolver } from './sourceResolver.ts';
import type { ViewerQuery, ToPage } from '../protocol.ts';
import { RowMaker } from './rowMaker.ts';
import { RowServer } from './rowServer.ts';
import { formatShortTime } from './formatLineTime.ts';
import { GoToTime } from './goToTime.ts';
import type { ViewerContext } from './viewerContent.ts';
import { ViewerFind } from './viewerFind.ts';
import { ViewerText } from './viewerText.ts';
import { matchRanges, QueryMatcher } from '../../logs/rows/queryMatcher.ts';

export type ViewerServices = ReturnType<typeof createViewerServices>;

/** Creates the services that show the content of a session. Disposing `owned` disposes all of them. */
export function createViewerServices(given: ViewerContext) {
  // A row is revealed by its index, so the page must know first how rows have moved.
  const post = (message: ToPage): void => {
    if (message.type === 'reveal') {
      given.rows.settle();
      server.settleExtent();
    }
    given.post(message);
  };
  const context: ViewerContext = { ...given, post };
  const owned = new DisposableStore();
  /** IDs of the lines whose JSON fields are shown below them. */
  const openJson = new Set<number>();
  const sources = owned.add(new SourceResolver(context.sources));
  const find = owned.add(
    new ViewerFind({
      ...context,
      filter: () => context.content.lineFilter,
      back: () => ({ horizon: searchedPattern(context), isOn: context.content.back.isSearching }),
    }),
  );
  const matchers = latestMatchers(() => [find.query, context.content.filter.include]);
  const maker = new RowMaker({
    ...context,
    matches: (plain) => matchRanges(matchers(), plain),
    isJsonOpen: (id) => openJson.has(id),
    titleOfSource: sourceTitles(context, sources),
  });
  const server: RowServer = owned.add(new RowServer(context, maker));
  owned.add(sources.onDidFind(server.refresh));
  return {
    maker,
    server,
    find,
    sources,
    openJson,
    owned,
    /** Formatted time back to which all lines are loaded; undefined if nothing was read back or the time is unknown. */
    horizon: () => horizonOf(context),
    jump: owned.add(new GoToTime(context)),
    text: new ViewerText(context, maker),
  };
}

function sourceTitles({ content }: ViewerContext, sources: SourceResolver) {
  return (member: number, reference: SourceReference): string | undefined => {
    const id = content.members.idOf(member);
    return id === undefined ? undefined : sources.get(id, reference)?.title;
  };
}

function horizonOf({ content, clock, style }: ViewerContext): string | undefined {
  const { horizon } = content.back;
  return horizon && formatShortTime(horizon, style().times, clock.now());
}

/** Returns the text about how far back the log is searched. */
function searchedPattern(parts: ViewerContext): string | undefined {
  const { content } = parts;
  const { horizon, isStart, isFull } = content.back;
  if (horizon === undefined) return undefined;
  if (isStart && !isFull) return l10n.t('searched the whole log');
  const moment = horizonOf(parts);
  if (!moment) return isFull ? l10n.t('memory limit reached') : undefined;
  return isFull
    ? l10n.t('searched back to {0}, memory limit reached', moment)
    : l10n.t('searched back to {0}', moment);
}

/** Returns matchers for the current queries. They are only created again if the queries change. */
function latestMatchers(
  queries: () => readonly (ViewerQuery | undefined)[],
): () => readonly QueryMatcher[] {
  let key = '';
  let matchers: readonly QueryMatcher[] = [];
  return () => {
    const wanted = queries().filter((one) => one !== undefined);
    const wantedKey = JSON.stringify(wanted);
    if (wantedKey !== key) matchers = wanted.map((query) => new QueryMatcher(query));
    key = wantedKey;
    return matchers;
  };
}
