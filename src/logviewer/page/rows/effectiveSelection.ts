import type { Row, RowSpan, ToHost } from '../../protocol.ts';
import type { Cursor } from './cursor.ts';
import type { RowCache } from './rowCache.ts';
import { rowText } from './drawRow.ts';
import { LINE_END, type TextSelection } from './textSelection.ts';

/** Maximum time in milliseconds between a key press and the browser's copy event for the same key. */
const SAME_KEY_MS = 1000;

/** The range that commands act on: the selection, or else the current row. */
export class EffectiveSelection {
  readonly #cache: RowCache;
  readonly #cursor: Cursor;
  readonly #selection: TextSelection;
  readonly #post: (message: ToHost) => void;
  #copiedAt = -Infinity;

  constructor(
    cache: RowCache,
    cursor: Cursor,
    selection: TextSelection,
    post: (message: ToHost) => void,
  ) {
    this.#cache = cache;
    this.#cursor = cursor;
    this.#selection = selection;
    this.#post = post;
  }

  /** The range; undefined if nothing is selected and there is no current row. */
  get span(): RowSpan | undefined {
    const { index } = this.#cursor;
    const row = index === undefined ? undefined : this.#cache.at(index);
    return this.#selection.span ?? (row && wholeRow(row));
  }

  /** The selected text if it is within one row. */
  get text(): string | undefined {
    const { span } = this.#selection;
    if (!span || span.from.id !== span.to.id || span.to.character === LINE_END) return undefined;
    const index = this.#cache.indexOf(span.from.id);
    const row = index === undefined ? undefined : this.#cache.at(index);
    return row && rowText(row).slice(span.from.character, span.to.character);
  }

  /** Asks the extension to copy the range. */
  copy(withColors: boolean): void {
    const { span } = this;
    this.#copiedAt = performance.now();
    if (span) this.#post({ type: 'copy', ...span, withColors });
  }

  /** Copies unless the key press was already handled. Called for the browser's copy event, which fires in addition. */
  copyUnlessHandled(): void {
    if (performance.now() - this.#copiedAt > SAME_KEY_MS) this.copy(false);
  }

  /**
   * Makes the row under the pointer the current row, and sets the context that VS Code's context menu reads
   * from `element`.
   */
  nameContext(element: HTMLElement, target: EventTarget | null): void {
    const line = target instanceof Element ? target.closest('.row') : null;
    const index = Number(line?.getAttribute('aria-rowindex') ?? 0) - 1;
    if (index >= 0 && !this.#selection.span) this.#cursor.set(index);
    const context = { webviewSection: 'gantryLog', preventDefaultContextMenuItems: true };
    element.dataset['vscodeContext'] = JSON.stringify(context);
  }
}

function wholeRow({ id }: Row): RowSpan {
  return { from: { id, character: 0 }, to: { id, character: LINE_END } };
}
