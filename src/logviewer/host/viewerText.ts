import * as l10n from '@vscode/l10n';
import { isGantryLine, type StoredLine } from '../../logs/store/storedLine.ts';
import { coloredText } from '../../logs/text/coloredText.ts';
import { visibleText } from '../../logs/text/visibleText.ts';
import { allLines, visibleLines } from './visibleLines.ts';
import type { ToHost } from '../protocol.ts';
import type { RowMaker } from './rowMaker.ts';
import type { TextSource } from './sessionContext.ts';
import type { ViewerContext } from './viewerContent.ts';
import { withoutTrailing } from '../../base/plainText.ts';

type Copy = Extract<ToHost, { readonly type: 'copy' }>;

/** Maximum number of characters to copy. A larger text should be saved to a file. */
const MOST_COPIED = 32 * 1024 * 1024;
/** Maximum number of characters in a text document. VS Code disables features for larger ones. */
const MOST_SHOWN = 20 * 1024 * 1024;

/** Lines as text, for the clipboard, a file, or a document. */
export class ViewerText {
  readonly #parts: ViewerContext;
  readonly #maker: RowMaker;

  constructor(parts: ViewerContext, maker: RowMaker) {
    this.#parts = parts;
    this.#maker = maker;
  }

  /**
   * Returns the selected text; the first and the last row may be partial. Empty if the selected rows are hidden by
   * now, undefined if the text is too large.
   */
  copied({ from, to, withColors }: Copy): string | undefined {
    const { rows, store } = this.#parts;
    const firstRow = rows.rowFrom(from.id);
    const endRow = rows.rowFrom(to.id + 1);
    const parts: string[] = [];
    let length = 0;
    for (const lines of visibleLines(rows, store, firstRow, endRow)) {
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

  /** Returns all lines, or only the lines that are shown. */
  source(isAll: boolean): TextSource {
    const { rows, store, title } = this.#parts;
    return {
      name:
        withoutTrailing(title.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+/, ''), '-.') ||
        'log',
      lineCount: isAll ? store.endId - store.firstId : rows.rowCount,
      chunks: (withColors) => this.#chunks(isAll, withColors),
    };
  }

  /** Returns the rows that are shown; if there are too many, only the newest. */
  document(): TextSource {
    return { ...this.source(false), chunks: (withColors) => this.#newest(withColors) };
  }

  *#chunks(isAll: boolean, withColors: boolean): Generator<string> {
    const { rows, store } = this.#parts;
    const lineText = this.#lineText(withColors);
    const all = isAll ? allLines(store) : visibleLines(rows, store, 0, rows.rowCount);
    for (const lines of all) yield lines.map(lineText).join('');
  }

  *#newest(withColors: boolean): Generator<string> {
    const { rows, store } = this.#parts;
    const STEP = 1000;
    const lineText = this.#lineText(withColors);
    const parts: string[] = [];
    let length = 0;
    let at = rows.rowCount;
    while (at > 0 && length < MOST_SHOWN) {
      const start = Math.max(0, at - STEP);
      const text = [...visibleLines(rows, store, start, at)].flat().map(lineText).join('');
      parts.unshift(text);
      length += text.length;
      at = start;
    }
    if (at > 0) yield `[${l10n.t('{0} earlier lines are not shown.', at)}]\n`;
    yield* parts;
  }

  #textOf(line: StoredLine, withColors: boolean, isWhole: boolean): string {
    if (withColors) return coloredText(line.text);
    // A part is cut from the text that the row shows, which may be truncated. A whole row is copied in full.
    if (isWhole) return this.#maker.text(line);
    return this.#maker
      .row(line)
      .runs.map(({ text }) => text)
      .join('');
  }

  /** Returns a function that formats a line, including its line feed, for a file or a document in the current style. */
  #lineText(withColors: boolean): (line: StoredLine) => string {
    const { style, content } = this.#parts;
    const { members } = content;
    const withTimes = style().times !== 'off';
    const withNames = members.count > 1;
    return ({ member, kind, timestamp, text }) => {
      const time = withTimes && timestamp !== '' ? `${timestamp} ` : '';
      const name = withNames ? `${members.nameOf(member)} | ` : '';
      const shown = withColors ? coloredText(text) : visibleText(text);
      return `${time}${name}${isGantryLine(kind) ? `[${shown}]` : shown}\n`;
    };
  }
}
