import { DisposableStore } from '../../lifetime.ts';
import { PlaceFinder } from '../rows/placeFinder.ts';
import type { QueryWords, ToPage, ViewerStyle } from '../protocol.ts';
import { RowMaker } from '../rows/rowMaker.ts';
import { RowServer } from '../rows/rowServer.ts';
import type { SessionBasics, SourceLookup } from './sessionParts.ts';
import { ShapeTeller } from '../rows/shapeTeller.ts';
import { shortTime } from '../rows/moments.ts';
import type { ShownRows } from '../rows/shownRows.ts';
import { TimeJump } from './timeJump.ts';
import type { ContentStore, ViewerContent } from './viewerContent.ts';
import { ViewerFind, type Searcher } from '../rows/viewerFind.ts';
import { ViewerText } from '../rows/viewerText.ts';
import { rangesOf, WordMatcher } from '../rows/wordMatcher.ts';

/** What the tools of a session stand on. */
export interface DeskParts extends SessionBasics {
  readonly title: string;
  readonly store: ContentStore;
  readonly rows: ShownRows;
  readonly content: ViewerContent;
  readonly searcher: Searcher;
  readonly sources: SourceLookup;
  readonly style: () => ViewerStyle;
  readonly post: (message: ToPage) => void;
  readonly describe: (error: unknown) => string;
  readonly onProblem: (error: unknown) => void;
}

/** The tools by which a session shows its content; all of them end with `owned`. */
export interface Desk {
  readonly maker: RowMaker;
  readonly server: RowServer;
  readonly shape: ShapeTeller;
  readonly find: ViewerFind;
  readonly jump: TimeJump;
  readonly text: ViewerText;
  readonly places: PlaceFinder;
  /** Lines whose JSON fields are shown below them. */
  readonly openJson: Set<number>;
  /** The moment back to which all is read, in words; undefined where nothing was read back, or it is unknown. */
  readonly horizon: () => string | undefined;
  readonly owned: DisposableStore;
}

/** Lays the tools of a session ready. */
export function layDesk(given: DeskParts): Desk {
  // A row is revealed by its number: the page has to know by then how rows have moved.
  const post = (message: ToPage): void => {
    if (message.type === 'reveal') {
      given.rows.settle();
      shape.settle();
    }
    given.post(message);
  };
  const parts: DeskParts = { ...given, post };
  const owned = new DisposableStore();
  const openJson = new Set<number>();
  const places = owned.add(new PlaceFinder(parts.sources));
  const find = owned.add(findOf(parts));
  const maker = makerOf(parts, find, places, openJson);
  const shape = owned.add(shapeOf(parts, () => server.anchor));
  const server: RowServer = owned.add(
    new RowServer({ ...parts, maker, generation: () => shape.generation }),
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
    ...{ maker, server, shape, find, places, openJson, owned },
    horizon: () => horizonOf(parts),
    jump: jumpOf(parts),
    text: textOf(parts, maker),
  };
}

function makerOf(
  parts: DeskParts,
  find: ViewerFind,
  places: PlaceFinder,
  openJson: ReadonlySet<number>,
): RowMaker {
  const { l10n, clock, style, content } = parts;
  const matchers = new LatestMatchers(() => [find.query, content.filter.include]);
  return new RowMaker({
    ...{ l10n, style },
    now: () => clock.now(),
    matches: (plain) => rangesOf(matchers.now, plain),
    isJsonOpen: (id) => openJson.has(id),
    titleOfPlace: (member, place) => {
      const id = content.members.idOf(member);
      return id === undefined ? undefined : places.get(id, place)?.title;
    },
  });
}

function shapeOf(parts: DeskParts, anchor: () => number | undefined): ShapeTeller {
  const { store, content } = parts;
  return new ShapeTeller({
    ...parts,
    anchor,
    facts: () => ({
      lineCount: store.endId - store.firstId,
      droppedCount: store.droppedCount,
      isStart: content.back.isStart,
      isReadingOlder: content.back.isReading,
      isFiltered: content.lineFilter !== undefined,
    }),
  });
}

function findOf(parts: DeskParts): ViewerFind {
  const { content } = parts;
  return new ViewerFind({
    ...parts,
    filter: () => content.lineFilter,
    back: () => ({ horizon: searchedWords(parts), isOn: content.back.isSearching }),
  });
}

function horizonOf({ content, clock, style }: DeskParts): string | undefined {
  const { horizon } = content.back;
  return horizon && shortTime(horizon, style().times, clock.now());
}

/** How far back the log is searched. */
function searchedWords(parts: DeskParts): string | undefined {
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

function jumpOf({ l10n, clock, style, store, rows, content, post }: DeskParts): TimeJump {
  return new TimeJump({
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

function textOf(parts: DeskParts, maker: RowMaker): ViewerText {
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
  readonly #queries: () => readonly (QueryWords | undefined)[];
  #made: { readonly key: string; readonly matchers: readonly WordMatcher[] } | undefined;

  constructor(queries: () => readonly (QueryWords | undefined)[]) {
    this.#queries = queries;
  }

  get now(): readonly WordMatcher[] {
    const queries = this.#queries().filter((one) => one !== undefined);
    const key = JSON.stringify(queries);
    if (this.#made?.key !== key) {
      this.#made = { key, matchers: queries.map((query) => new WordMatcher(query)) };
    }
    return this.#made.matchers;
  }
}
