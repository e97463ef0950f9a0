import type { L10n } from '../../l10n.ts';
import { isGantryLine, type StoredLine } from '../../logs/store/storedLine.ts';
import { ansiRuns, type AnsiRun } from '../../logs/text/ansiRuns.ts';
import { AnsiStyles } from '../../logs/text/ansiStyles.ts';
import type { SourceReference } from '../../logs/text/sourcePath.ts';
import { jsonFieldsOf } from '../../logs/text/jsonField.ts';
import { lastStateIn, visibleText, type TextRange } from '../../logs/text/visibleText.ts';
import { linksIn, type LineLink } from './lineLink.ts';
import { formatLineTime } from './formatLineTime.ts';
import type { Row, ViewerStyle } from '../protocol.ts';
import { rowRuns, type LinkRange } from './rowRuns.ts';

/** Past so many characters, escape sequences and all, a row is cut. */
const TEXT_LIMIT = 20_000;
/** Ranges of one row that are marked or linked. */
const MOST_RANGES = 200;
/** A longer line is data and no record. */
const JSON_LIMIT = 200_000;
const FIELD_LIMIT = 10_000;
const MOST_FIELDS = 500;

/** Makes the rows of a page from the lines of a store. */
export class RowMaker {
  readonly #parts: RowMakerDependencies;
  readonly #styles = new AnsiStyles();

  constructor(parts: RowMakerDependencies) {
    this.#parts = parts;
  }

  /** @param folded of the lines below it that are one with it. */
  row(line: StoredLine, folded?: Row['folded']): Row {
    const { id, member, kind, level, timestamp } = line;
    const { l10n, style, now } = this.#parts;
    const { text, isCut } = cutText(line.text);
    const fields = isGantryLine(kind) ? undefined : fieldsOf(line.text);
    const json = fields === undefined ? undefined : this.#json(id, fields);
    return {
      ...{ id, kind, member, level },
      time: formatLineTime(timestamp, style().times, now(), l10n),
      moment: timestamp,
      runs: this.#runs(line, this.#shown(text, fields)),
      ...(folded && { folded }),
      ...(json && { json }),
      ...(isCut && { isCut }),
    };
  }

  /** The links of a line, as a row numbers them. */
  links({ text }: StoredLine): readonly LineLink[] {
    const fields = fieldsOf(text);
    const runs = this.#shown(cutText(text).text, fields);
    return linksIn(runs, plainOfRuns(runs)).slice(0, MOST_RANGES);
  }

  /** A line as it is, or the fields that were chosen of it. */
  #shown(text: string, fields: Fields | undefined): readonly AnsiRun[] {
    const { fields: names } = this.#parts.style();
    if (fields === undefined || names.length === 0) {
      return ansiRuns(text, undefined, this.#styles).runs;
    }
    const values = names.flatMap((name) => fields.find((one) => one.name === name)?.value ?? []);
    // A line that has none of them would be empty.
    if (values.length === 0) return ansiRuns(text, undefined, this.#styles).runs;
    return ansiRuns(
      inColumns(values.map((value) => value.replaceAll(/[\r\n]+/g, ' '))).slice(0, TEXT_LIMIT),
    ).runs;
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
          link.kind === 'url' ? link.url : this.#parts.titleOfSource(member, link.place);
        return title === undefined ? [] : [{ start, end, index, title }];
      });
  }

  #json(id: number, fields: Fields): NonNullable<Row['json']> {
    const isOpen = this.#parts.isJsonOpen(id);
    // Names are told in any case: by them a person chooses which are shown.
    const shown = fields.slice(0, MOST_FIELDS).map(({ name, value }) => ({
      name: name.slice(0, FIELD_LIMIT),
      value: isOpen ? value.slice(0, FIELD_LIMIT) : '',
    }));
    return { isOpen, fields: shown };
  }
}

/** What rows are made with. */
export interface RowMakerDependencies {
  readonly l10n: L10n;
  readonly style: () => ViewerStyle;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Where words that are looked for stand in a plain text, in order. */
  readonly matches: (plain: string) => readonly TextRange[];
  /** Whether a line's JSON fields are shown below it. */
  readonly isJsonOpen: (id: number) => boolean;
  /** What a click on a place opens; undefined while, or where, that is not known. */
  readonly titleOfSource: (member: number, place: SourceReference) => string | undefined;
}

type Fields = readonly { readonly name: string; readonly value: string }[];

function fieldsOf(text: string): Fields | undefined {
  return text.length > JSON_LIMIT ? undefined : jsonFieldsOf(visibleText(text));
}

function plainOfRuns(runs: readonly AnsiRun[]): string {
  return runs.map(({ text }) => text).join('');
}

/** What a line said last, as much of it as is shown. */
function cutText(text: string): { readonly text: string; readonly isCut: boolean } {
  const { start, end } = lastStateIn(text);
  const isCut = end - start > TEXT_LIMIT;
  const stop = isCut ? start + TEXT_LIMIT : end;
  return { text: text.slice(start, stop).toWellFormed(), isCut };
}

/** A level fits into the first width; what is longer goes on to the next multiple of the other. */
const LEVEL_WIDTH = 5;
const COLUMN_WIDTH = 8;

/** Values side by side, so padded that those of most lines stand below one another. */
function inColumns(values: readonly string[]): string {
  const padded = values.slice(0, -1).map((value) => {
    const { length } = value;
    const width = Math.ceil(length / COLUMN_WIDTH) * COLUMN_WIDTH;
    return value.padEnd(length <= LEVEL_WIDTH ? LEVEL_WIDTH : width);
  });
  return [...padded, ...values.slice(-1)].join('  ');
}
