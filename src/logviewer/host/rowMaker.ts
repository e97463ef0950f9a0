import { isGantryLine, type StoredLine } from '../../logs/store/storedLine.ts';
import { ansiRuns, type AnsiRun } from '../../logs/text/ansiRuns.ts';
import { AnsiStyles, FLAGS, type AnsiColor, type AnsiStyle } from '../../logs/text/ansiStyles.ts';
import type { SourceReference } from '../../logs/text/sourcePath.ts';
import { jsonFieldsOf, type JsonField } from '../../logs/text/jsonField.ts';
import { lastStateIn, visibleText, type TextRange } from '../../logs/text/visibleText.ts';
import { formatLineTime } from './formatLineTime.ts';
import type { Row, RowRun } from '../protocol.ts';
import type { ViewerContext } from './viewerContent.ts';
import type { Clock } from '../../base/time.ts';
import { findSourceReferences } from '../../logs/text/findSourceReferences.ts';
import { urlsIn } from '../../logs/text/textLink.ts';

/** A row is truncated after this many characters, including escape sequences. */
const TEXT_LIMIT = 20_000;
/** Maximum number of matches and of links marked in one row. */
const MOST_RANGES = 200;
/** A longer line is not parsed as JSON: it is data, not a log record, and hundreds of rows are made in one turn. */
const JSON_LIMIT = 50_000;

/** Creates the rows of the page from the lines of a store. */
export class RowMaker {
  readonly #parts: RowMakerDependencies;
  readonly #styles = new AnsiStyles();

  constructor(parts: RowMakerDependencies) {
    this.#parts = parts;
  }

  row(line: StoredLine, folded?: Row['folded']): Row {
    const { id, member, kind, level, timestamp } = line;
    const { style, clock } = this.#parts;
    const { text, isCut } = cutText(line.text);
    const fields = isGantryLine(kind) ? undefined : fieldsOf(line.text);
    return {
      id,
      kind,
      member,
      level,
      time: formatLineTime(timestamp, style().times, clock.now()),
      moment: timestamp,
      runs: this.#runs(line, this.#shown(text, fields)),
      folded,
      json: fields && this.#json(id, fields),
      isCut,
    };
  }

  /** Returns the text of a line as its row shows it, however long it is. */
  text({ kind, text }: StoredLine): string {
    const hasColumns = this.#parts.style().fields.length > 0 && !isGantryLine(kind);
    return visibleText(this.#columns(hasColumns ? fieldsOf(text) : undefined) ?? text);
  }

  /** Returns the links of a line, with the same indexes as in its row. */
  links({ text }: StoredLine): readonly LineLink[] {
    const fields = fieldsOf(text);
    const runs = this.#shown(cutText(text).text, fields);
    return linksIn(runs, plainOfRuns(runs)).slice(0, MOST_RANGES);
  }

  /** Returns the line as written, or the selected JSON fields of it. */
  #shown(text: string, fields: Fields | undefined): readonly AnsiRun[] {
    const columns = this.#columns(fields);
    // A line with none of the selected fields would be empty.
    if (columns === undefined) return ansiRuns(text, this.#styles);
    return ansiRuns(columns.slice(0, TEXT_LIMIT));
  }

  /** Returns the selected JSON fields side by side; undefined if there are none. */
  #columns(fields: Fields | undefined): string | undefined {
    const { fields: names } = this.#parts.style();
    const values = names.flatMap((name) => fields?.find((one) => one.name === name)?.value ?? []);
    if (values.length === 0) return undefined;
    return inColumns(values.map((value) => value.replaceAll(/[\r\n]+/g, ' ')));
  }

  #runs(line: StoredLine, runs: readonly AnsiRun[]): Row['runs'] {
    const plain = plainOfRuns(runs);
    const matches = this.#parts.matches(plain).slice(0, MOST_RANGES);
    const links = isGantryLine(line.kind) ? [] : this.#linkRanges(line.member, runs, plain);
    return rowRuns(runs, links, matches);
  }

  #linkRanges(member: number, runs: readonly AnsiRun[], plain: string): readonly LinkRange[] {
    return linksIn(runs, plain)
      .slice(0, MOST_RANGES)
      .flatMap((link, index): readonly LinkRange[] => {
        const { start, end } = link;
        const title =
          link.kind === 'url' ? link.url : this.#parts.titleOfSource(member, link.reference);
        return title === undefined ? [] : [{ start, end, index, title }];
      });
  }

  #json(id: number, fields: Fields): NonNullable<Row['json']> {
    const isOpen = this.#parts.isJsonOpen(id);
    // Field names are always sent, because the user selects from them.
    const shown = fields.map(({ name, value }) => ({ name, value: isOpen ? value : '' }));
    return { isOpen, fields: shown };
  }
}

export interface RowMakerDependencies extends Pick<ViewerContext, 'style'> {
  readonly clock: Pick<Clock, 'now'>;
  /** Returns the ranges of the matches in a plain text, in order. */
  readonly matches: (plain: string) => readonly TextRange[];
  /** Whether a line's JSON fields are shown below it. */
  readonly isJsonOpen: (id: number) => boolean;
  /** Returns the title of the file that a source reference opens; undefined if it is not known, or not known yet. */
  readonly titleOfSource: (member: number, reference: SourceReference) => string | undefined;
}

type Fields = readonly JsonField[];

function fieldsOf(text: string): Fields | undefined {
  return text.length > JSON_LIMIT ? undefined : jsonFieldsOf(visibleText(text));
}

function plainOfRuns(runs: readonly AnsiRun[]): string {
  return runs.map(({ text }) => text).join('');
}

/** Returns the last state of the line (after carriage returns), truncated to the length that is shown. */
function cutText(text: string): { readonly text: string; readonly isCut: boolean } {
  const { start, end } = lastStateIn(text);
  const isCut = end - start > TEXT_LIMIT;
  const stop = isCut ? start + TEXT_LIMIT : end;
  return { text: text.slice(start, stop).toWellFormed(), isCut };
}

/** Values up to the first width, such as levels, are padded to it; longer ones to a multiple of the second width. */
const LEVEL_WIDTH = 5;
const COLUMN_WIDTH = 8;

/** Joins values side by side, padded so that the columns of most lines align. */
function inColumns(values: readonly string[]): string {
  const padded = values.slice(0, -1).map((value) => {
    const { length } = value;
    const width = Math.ceil(length / COLUMN_WIDTH) * COLUMN_WIDTH;
    return value.padEnd(length <= LEVEL_WIDTH ? LEVEL_WIDTH : width);
  });
  return [...padded, ...values.slice(-1)].join('  ');
}

/**
 * Splits a styled line into runs at the edges of links and matches.
 *
 * @param links in order, without overlaps.
 * @param matches in order, without overlaps.
 */
function rowRuns(
  runs: readonly AnsiRun[],
  links: readonly LinkRange[],
  matches: readonly TextRange[],
): readonly RowRun[] {
  const edges = [...links, ...matches].flatMap(({ start, end }) => [start, end]);
  const cuts = [...new Set(edges)].sort((a, b) => a - b);
  const made: RowRun[] = [];
  const linkAt = walkOf(links);
  const matchAt = walkOf(matches);
  let at = 0;
  let cut = 0;
  for (const { text, style } of runs) {
    const end = at + text.length;
    const look = lookOf(style);
    let start = at;
    while (start < end) {
      while ((cuts[cut] ?? Infinity) <= start) cut++;
      const stop = Math.min(end, cuts[cut] ?? Infinity);
      made.push({
        text: text.slice(start - at, stop - at),
        ...look,
        ...marksOf(linkAt(start), matchAt(start)),
      });
      start = stop;
    }
    at = end;
  }
  return made;
}

interface LinkRange extends TextRange {
  readonly index: number;
  readonly title: string;
}

function marksOf(
  link: LinkRange | undefined,
  match: TextRange | undefined,
): Pick<RowRun, 'link' | 'isMatch'> {
  return {
    link: link && { index: link.index, title: link.title },
    isMatch: match !== undefined || undefined,
  };
}

/**
 * Returns a function that returns the range at a position, for positions in ascending order: a row may have thousands
 * of runs, and hundreds of ranges.
 */
function walkOf<T extends TextRange>(ranges: readonly T[]): (at: number) => T | undefined {
  let next = 0;
  return (at) => {
    while ((ranges[next]?.end ?? Infinity) <= at) next++;
    const range = ranges[next];
    return range && range.start <= at ? range : undefined;
  };
}

function lookOf(style: AnsiStyle | undefined): Pick<RowRun, 'fg' | 'bg' | 'look'> {
  if (!style) return {};
  // Inverse without explicit colors becomes black on white (0 and 7), because the page cannot draw text in the
  // background color.
  const isInverse = (style.flags & FLAGS.inverse) !== 0;
  const [fg, bg] = isInverse ? [style.bg ?? 0, style.fg ?? 7] : [style.fg, style.bg];
  const look = LOOKS.filter((name) => style.flags & FLAGS[name]).join(' ');
  return { fg: colorOf(fg), bg: colorOf(bg), look: look || undefined };
}

const LOOKS = ['bold', 'dim', 'italic', 'underline', 'strike'] as const;

function colorOf(color: AnsiColor | undefined): RowRun['fg'] {
  if (typeof color !== 'object') return color;
  const hex = (part: number): string => part.toString(16).padStart(2, '0');
  return `#${hex(color.r)}${hex(color.g)}${hex(color.b)}`;
}

/** A possible link in a line: a half-open range of its plain text. */
type LineLink = TextRange &
  (
    | { readonly kind: 'url'; readonly url: string }
    | { readonly kind: 'source'; readonly reference: SourceReference }
  );

/** Maximum number of links of each kind per line. Each link is compared with all others. */
const MOST_OF_A_KIND = 200;

/**
 * Returns the possible links of a line, in order and without overlaps. The result is the same for the same
 * text, so that a link can be identified by its index.
 *
 * @param runs the styled line. Hyperlinks in it take precedence over all other links.
 */
export function linksIn(runs: readonly AnsiRun[], plain: string): readonly LineLink[] {
  const urls = urlsIn(plain).map((one): LineLink => ({ kind: 'url', ...one }));
  const references = findSourceReferences(plain).map((reference): LineLink => ({
    kind: 'source',
    start: reference.start,
    end: reference.end,
    reference,
  }));
  const accepted: LineLink[] = [];
  const found = [hyperlinksIn(runs), urls, references].flatMap((some) =>
    some.slice(0, MOST_OF_A_KIND),
  );
  for (const link of found) {
    if (accepted.every(({ start, end }) => link.end <= start || link.start >= end))
      accepted.push(link);
  }
  return accepted.sort((a, b) => a.start - b.start);
}

/** Returns the hyperlinks (OSC 8). Adjacent runs with the same address are one link, whatever their colors. */
function hyperlinksIn(runs: readonly AnsiRun[]): readonly LineLink[] {
  const found: { kind: 'url'; start: number; end: number; url: string }[] = [];
  let at = 0;
  for (const { text, style } of runs) {
    const last = found.at(-1);
    const end = at + text.length;
    if (style?.link !== undefined && last?.end === at && last.url === style.link) last.end = end;
    else if (style?.link !== undefined)
      found.push({ kind: 'url', start: at, end, url: style.link });
    at = end;
  }
  return found;
}
