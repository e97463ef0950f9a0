import type { Row, ToHost } from '../../protocol.ts';
import type { Cursor } from './cursor.ts';
import type { RowCache } from '../rows/rowCache.ts';
import { rowText } from '../rows/drawRow.ts';
import { LINE_END, type TextSelection, type SelectionSpan } from './textSelection.ts';

/** The browser's copying comes so many milliseconds after the key for it, at most. */
const SAME_KEY_MS = 1000;

/** What the user has picked: the selection, else the current row. */
export class EffectiveSelection {
  readonly #cache: RowCache;
  readonly #cursor: Cursor;
  readonly #selection: TextSelection;
  readonly #tell: (message: ToHost) => void;
  #copiedAt = -Infinity;

  constructor(
    cache: RowCache,
    cursor: Cursor,
    selection: TextSelection,
    tell: (message: ToHost) => void,
  ) {
    this.#cache = cache;
    this.#cursor = cursor;
    this.#selection = selection;
    this.#tell = tell;
  }

  /** Undefined where nothing is selected and no row is the current one. */
  get span(): SelectionSpan | undefined {
    const { index } = this.#cursor;
    const row = index === undefined ? undefined : this.#cache.at(index);
    return this.#selection.span ?? (row && wholeRow(row));
  }

  /** The selected text where it is within one row. */
  get text(): string | undefined {
    const { span } = this.#selection;
    if (!span || span.from.id !== span.to.id || span.to.character === LINE_END) return undefined;
    const index = this.#cache.indexOf(span.from.id);
    const row = index === undefined ? undefined : this.#cache.at(index);
    return row && rowText(row).slice(span.from.character, span.to.character);
  }

  /** Has the extension copy it. */
  copy(withColors: boolean): void {
    const { span } = this;
    this.#copiedAt = performance.now();
    if (span) this.#tell({ type: 'copy', ...span, withColors });
  }

  /** For the browser's own copying, which comes by itself, or for a key that has been heard already. */
  copyUnlessHeard(): void {
    if (performance.now() - this.#copiedAt > SAME_KEY_MS) this.copy(false);
  }

  /** Picks what VS Code's own context menu is opened on, and tells it whose it is: it reads that of `element`. */
  nameContext(element: HTMLElement, target: EventTarget | null): void {
    const line = target instanceof Element ? target.closest('.row') : null;
    const index = Number(line?.getAttribute('aria-rowindex') ?? 0) - 1;
    if (index >= 0 && !this.#selection.span) this.#cursor.set(index);
    const context = { webviewSection: 'gantryLog', preventDefaultContextMenuItems: true };
    element.dataset['vscodeContext'] = JSON.stringify(context);
  }
}

function wholeRow({ id }: Row): SelectionSpan {
  return { from: { id, character: 0 }, to: { id, character: LINE_END } };
}
