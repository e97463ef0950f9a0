import { DisposableStore } from '../../lifetime.ts';
import type { LogRows } from '../../logs/rows/logRows.ts';
import type { LogSearch } from '../../logs/search/logSearch.ts';
import type { LineStore } from '../../logs/store/lineStore.ts';
import { SourceResolver } from '../rows/sourceResolver.ts';
import type { ViewerQuery, ToPage, ViewerStyle } from '../protocol.ts';
import { RowMaker } from '../rows/rowMaker.ts';
import { RowServer } from '../rows/rowServer.ts';
import type { SessionContext, SourceLookup } from './sessionContext.ts';
import { ExtentNotifier, type ExtentNotifierDependencies } from '../rows/extentNotifier.ts';
import { formatShortTime } from '../rows/formatLineTime.ts';
import { GoToTime } from './goToTime.ts';
import type { ViewerContent } from './viewerContent.ts';
import { ViewerFind } from '../rows/viewerFind.ts';
import { ViewerText } from '../rows/viewerText.ts';
import { matchRanges, QueryMatcher } from '../rows/queryMatcher.ts';

/** The tools by which a session shows its content; all of them end with `owned`. */
export interface ViewerServices {
  readonly maker: RowMaker;
  readonly server: RowServer;
  readonly extent: ExtentNotifier;
  readonly find: ViewerFind;
  readonly jump: GoToTime;
  readonly text: ViewerText;
  readonly places: SourceResolver;
  /** Lines whose JSON fields are shown below them. */
  readonly openJson: Set<number>;
  /** The moment back to which all is read, in words; undefined where nothing was read back, or it is unknown. */
  readonly horizon: () => string | undefined;
  readonly owned: DisposableStore;
}

/** What the tools of a session stand on. */
export interface ViewerServicesDependencies extends SessionContext {
  readonly title: string;
  readonly store: LineStore;
  readonly rows: LogRows;
  readonly content: ViewerContent;
  readonly searcher: Pick<LogSearch, 'find'>;
  readonly sources: SourceLookup;
  readonly style: () => ViewerStyle;
  readonly post: (message: ToPage) => void;
  readonly describe: (error: unknown) => string;
  readonly onProblem: (error: unknown) => void;
}

/** Lays the tools of a session ready. */
export function createViewerServices(given: ViewerServicesDependencies): ViewerServices {
  // A row is revealed by its number: the page has to know by then how rows have moved.
  const post = (message: ToPage): void => {
    if (message.type === 'reveal') {
      given.rows.settle();
      shape.settle();
    }
    given.post(message);
  };
  const parts: ViewerServicesDependencies = { ...given, post };
  const owned = new DisposableStore();
  const openJson = new Set<number>();
  const places = owned.add(new SourceResolver(parts.sources));
  const find = owned.add(findOf(parts));
  const maker = makerOf(parts, find, places, openJson);
  const shape = owned.add(
    shapeOf(
      parts,
      () => server.anchor,
      (isNew) => server.tail(isNew),
    ),
  );
  const server: RowServer = owned.add(
    new RowServer({
      ...parts,
      maker,
      generation: () => shape.generation,
      tellExtent: () => {
        shape.flush();
      },
      updateExtent: () => {
        shape.update();
      },
    }),
  );
  owned.add(
    places.onDidFind(() => {
      server.refresh();
    }),
  );
  owned.add(
    parts.rows.onDidChange(() => {
      server.review();
    }),
  );
  return {
    ...{ maker, server, extent: shape, find, places, openJson, owned },
    horizon: () => horizonOf(parts),
    jump: jumpOf(parts),
    text: textOf(parts, maker),
  };
}

function makerOf(
  parts: ViewerServicesDependencies,
  find: ViewerFind,
  places: SourceResolver,
  openJson: ReadonlySet<number>,
): RowMaker {
  const { l10n, clock, style, content } = parts;
  const matchers = new LatestMatchers(() => [find.query, content.filter.include]);
  return new RowMaker({
    ...{ l10n, style },
    now: () => clock.now(),
    matches: (plain) => matchRanges(matchers.now, plain),
    isJsonOpen: (id) => openJson.has(id),
    titleOfSource: (member, place) => {
      const id = content.members.idOf(member);
      return id === undefined ? undefined : places.get(id, place)?.title;
    },
  });
}

function shapeOf(
  parts: ViewerServicesDependencies,
  anchor: ExtentNotifierDependencies['anchor'],
  tail: ExtentNotifierDependencies['tail'],
): ExtentNotifier {
  const { store, content } = parts;
  return new ExtentNotifier({
    ...parts,
    anchor,
    tail,
    facts: () => ({
      lineCount: store.endId - store.firstId,
      droppedCount: store.droppedCount,
      isStart: content.back.isStart,
      isReadingOlder: content.back.isReading,
      isFiltered: content.lineFilter !== undefined,
    }),
  });
}

function findOf(parts: ViewerServicesDependencies): ViewerFind {
  const { content } = parts;
  return new ViewerFind({
    ...parts,
    filter: () => content.lineFilter,
    back: () => ({ horizon: searchedPattern(parts), isOn: content.back.isSearching }),
  });
}

function horizonOf({ content, clock, style }: ViewerServicesDependencies): string | undefined {
  const { horizon } = content.back;
  return horizon && formatShortTime(horizon, style().times, clock.now());
}

/** How far back the log is searched. */
function searchedPattern(parts: ViewerServicesDependencies): string | undefined {
  const { content, l10n } = parts;
  const { horizon, isStart, isFull } = content.back;
  if (horizon === undefined) return undefined;
  if (isStart && !isFull) return l10n.t('searched the whole log');
  const moment = horizonOf(parts);
  if (!moment) return isFull ? l10n.t('no room for older lines') : undefined;
  return isFull
    ? l10n.t('searched back to {0}, no room for older lines', moment)
    : l10n.t('searched back to {0}', moment);
}

function jumpOf({
  l10n,
  clock,
  style,
  store,
  rows,
  content,
  post,
}: ViewerServicesDependencies): GoToTime {
  return new GoToTime({
    ...{ l10n, store, back: content.back },
    now: () => clock.now(),
    isUtc: () => style().times === 'utc',
    reveal: (id) => {
      post({ type: 'reveal', row: rows.rowOf(id), id });
    },
    notice: (text) => {
      post({ type: 'notice', text });
    },
  });
}

function textOf(parts: ViewerServicesDependencies, maker: RowMaker): ViewerText {
  const { content, style, title } = parts;
  const { members } = content;
  return new ViewerText({
    ...parts,
    maker,
    title: () => title,
    hasTimes: () => style().times !== 'off',
    nameOf: () => (members.count > 1 ? (member) => members.nameOf(member) : undefined),
  });
}

/** Matchers of the words that are looked for now, made anew only where these are others. */
class LatestMatchers {
  readonly #queries: () => readonly (ViewerQuery | undefined)[];
  #made: { readonly key: string; readonly matchers: readonly QueryMatcher[] } | undefined;

  constructor(queries: () => readonly (ViewerQuery | undefined)[]) {
    this.#queries = queries;
  }

  get now(): readonly QueryMatcher[] {
    const queries = this.#queries().filter((one) => one !== undefined);
    const key = JSON.stringify(queries);
    if (this.#made?.key !== key) {
      this.#made = { key, matchers: queries.map((query) => new QueryMatcher(query)) };
    }
    return this.#made.matchers;
  }
}
