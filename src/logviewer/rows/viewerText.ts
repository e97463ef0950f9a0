import type { L10n } from '../../l10n.ts';
import type { LogRows } from '../../logs/rows/logRows.ts';
import type { LineStore } from '../../logs/store/lineStore.ts';
import { coloredText } from '../../logs/text/coloredText.ts';
import { visibleText } from '../../logs/text/visibleText.ts';
import { lineText, type LineTextOptions } from './lineText.ts';
import { allLines, visibleLines } from './visibleLines.ts';
import type { ToHost } from '../protocol.ts';
import type { RowMaker } from './rowMaker.ts';
import type { TextSource } from '../session/sessionContext.ts';
import { withoutTrailing } from '../../plainText.ts';

type Copy = Extract<ToHost, { readonly type: 'copy' }>;

/** More is for a file. */
const MOST_COPIED = 32 * 1024 * 1024;
/** Editors open no larger text with all they can do. */
const MOST_SHOWN = 20 * 1024 * 1024;

/** Lines as text: for the clipboard, a file or a document. */
export class ViewerText {
  readonly #parts: ViewerTextDependencies;

  constructor(parts: ViewerTextDependencies) {
    this.#parts = parts;
  }

  /** What is selected in the page, of its first and last row a part. Undefined where it is too much. */
  copied({ from, to, withColors }: Copy): string | undefined {
    const { rows, store } = this.#parts;
    const [first, last] = [rows.rowOf(from.id), rows.rowOf(to.id)];
    const parts: string[] = [];
    let length = 0;
    for (const lines of visibleLines(rows, store, first, Math.min(last + 1, rows.rowCount))) {
      for (const line of lines) {
        const start = line.id === from.id ? from.character : 0;
        const end = line.id === to.id ? to.character : Infinity;
        const shown = this.#textOf(line, withColors, start === 0 && end === Infinity);
        const text = withColors ? shown : shown.slice(start, end);
        length += text.length;
        if (length > MOST_COPIED) return undefined;
        parts.push(text);
      }
    }
    return parts.join('\n');
  }

  /** All lines, or those that are shown. */
  source(isAll: boolean): TextSource {
    const { rows, store, title } = this.#parts;
    return {
      name:
        withoutTrailing(
          title()
            .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
            .replace(/^[-.]+/, ''),
          '-.',
        ) || 'log',
      lineCount: isAll ? store.endId - store.firstId : rows.rowCount,
      chunks: (withColors) => this.#chunks(isAll, withColors),
    };
  }

  /** The rows that are shown, or where they are very many the newest of them. */
  document(): TextSource {
    return { ...this.source(false), chunks: (withColors) => this.#newest(withColors) };
  }

  *#chunks(isAll: boolean, withColors: boolean): Generator<string> {
    const { rows, store } = this.#parts;
    const options = this.#options(withColors);
    const all = isAll ? allLines(store) : visibleLines(rows, store, 0, rows.rowCount);
    for (const lines of all) yield lines.map((line) => lineText(line, options)).join('');
  }

  *#newest(withColors: boolean): Generator<string> {
    const { rows, store, l10n } = this.#parts;
    const STEP = 1000;
    const options = this.#options(withColors);
    const parts: string[] = [];
    let [length, at] = [0, rows.rowCount];
    while (at > 0 && length < MOST_SHOWN) {
      const start = Math.max(0, at - STEP);
      const text = [...visibleLines(rows, store, start, at)]
        .flat()
        .map((line) => lineText(line, options))
        .join('');
      parts.unshift(text);
      length += text.length;
      at = start;
    }
    if (at > 0) yield `[${l10n.t('{0} lines before this are left out.', at)}]\n`;
    yield* parts;
  }

  #textOf(line: Parameters<RowMaker['row']>[0], withColors: boolean, isWhole: boolean): string {
    if (withColors) return coloredText(line.text);
    // A part is one of what the row shows; whole rows are the lines, however long they are.
    if (isWhole) return visibleText(line.text);
    return this.#parts.maker
      .row(line)
      .runs.map(({ text }) => text)
      .join('');
  }

  #options(withColors: boolean): LineTextOptions {
    const nameOf = this.#parts.nameOf();
    return { withColors, withTimes: this.#parts.hasTimes(), ...(nameOf && { nameOf }) };
  }
}

/** What texts are made of. */
export interface ViewerTextDependencies {
  readonly l10n: L10n;
  readonly store: LineStore;
  readonly rows: LogRows;
  readonly maker: Pick<RowMaker, 'row'>;
  readonly title: () => string;
  /** Whether the rows show times. */
  readonly hasTimes: () => boolean;
  /** The name of a container; undefined where there is only one. */
  readonly nameOf: () => ((member: number) => string) | undefined;
}
