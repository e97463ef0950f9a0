import { iconButton, make } from '../../logviewer/page/dom.ts';
import type { PageStrings } from '../../logviewer/page/pageStrings.ts';
import type { DetailsString } from '../detailsStrings.ts';
import type { PageRow, PageSection, ToHost } from '../protocol.ts';

/**
 * The rows of one section. One of them can be reached by Tab, with its buttons: arrows, Home and End move the focus to
 * others, Enter follows a link or shows a secret.
 */
export class SectionList {
  readonly element: HTMLElement;
  readonly #strings: PageStrings<DetailsString>;
  readonly #tell: Tell;
  readonly #heading = make('h2');
  readonly #list = make('div', { class: 'rows', attributes: { role: 'list' } });
  readonly #revealed = new Map<string, string>();
  #rows: readonly PageRow[] = [];
  /** The key of the row that Tab leads to. */
  #current = '';
  #shown = '';

  /** @param tell sends a message; the label is that of the row. */
  constructor(strings: PageStrings<DetailsString>, tell: Tell) {
    this.#strings = strings;
    this.#tell = tell;
    this.element = make('section', { children: [this.#heading, this.#list] });
    this.#list.addEventListener('keydown', this.#onKey);
    this.#list.addEventListener('focusin', ({ target }) => this.#setCurrent(keyOf(target)));
  }

  /** Shows the rows, if they have changed. The focus stays in the same row. */
  show(section: PageSection): void {
    const shown = JSON.stringify(section);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#rows = section.rows;
    this.#heading.textContent = section.title;
    this.#list.setAttribute('aria-label', section.title);
    this.#redraw();
  }

  /** Shows the value of a secret in this section. */
  reveal(key: string, value: string): void {
    if (!this.#rows.some((row) => row.key === key)) return;
    this.#revealed.set(key, value);
    this.#redraw();
  }

  /** Copies the row with the focus. Returns whether there is one. */
  copy(focused: Element): boolean {
    const row = this.#rowOf(keyOf(focused));
    if (row) this.#tell({ type: 'copy', key: row.key }, row.label);
    return row !== undefined;
  }

  #redraw(): void {
    const focused = document.activeElement;
    const key = this.#list.contains(focused) ? keyOf(focused) : '';
    const place = focused instanceof HTMLElement ? (focused.dataset['part'] ?? '') : '';
    this.#list.replaceChildren(...this.#rows.map((row) => this.#draw(row)));
    const isKnown = this.#rows.some((row) => row.key === this.#current);
    this.#setCurrent(isKnown ? this.#current : (this.#rows[0]?.key ?? ''));
    const row = key === '' ? undefined : this.#elementOf(key);
    const part = row?.querySelector<HTMLElement>(`[data-part="${place}"]`);
    (part ?? row)?.focus();
  }

  #draw(row: PageRow): HTMLElement {
    const { key, label, note, block, isBad } = row;
    const value = make('div', { class: 'value', children: [this.#valueOf(row)] });
    if (isBad === true) value.prepend(make('span', { class: 'codicon-error' }));
    if (note !== undefined && note !== '')
      value.append(make('span', { class: 'note', text: note }));
    if (block !== undefined) value.append(make('pre', { text: block }));
    if (row.isTail === true) value.classList.add('tail');
    const element = make('div', {
      class: isBad === true ? 'row bad' : 'row',
      attributes: { role: 'listitem' },
      children: [make('div', { class: 'label', text: label }), value, this.#buttonsOf(row)],
    });
    element.dataset['key'] = key;
    const context = { webviewSection: 'gantryDetail', preventDefaultContextMenuItems: true, key };
    element.dataset['vscodeContext'] = JSON.stringify(context);
    return element;
  }

  #valueOf(row: PageRow): HTMLElement {
    const { key, value, label } = row;
    const shown = this.#revealed.get(key) ?? value;
    if (row.isLink !== true) return make('span', { class: 'text', text: shown });
    const onClick = (): void => this.#tell({ type: 'follow', key }, label);
    return part('link', make('button', { class: 'link', text: shown, onClick }));
  }

  #buttonsOf(row: PageRow): HTMLElement {
    const { key, label } = row;
    const strings = this.#strings;
    const copy = iconButton('copy', strings.get('copy', label), () =>
      this.#tell({ type: 'copy', key }, label),
    );
    const buttons = make('div', { class: 'buttons' });
    if (row.isSecret === true) {
      const isShown = this.#revealed.has(key);
      const title = strings.get(isShown ? 'hide' : 'reveal', label);
      const toggle = iconButton(isShown ? 'eye-closed' : 'eye', title, () => this.#toggle(row));
      buttons.append(part('reveal', toggle));
    }
    buttons.append(part('copy', copy));
    return buttons;
  }

  /** The value is asked for, or forgotten. */
  #toggle({ key, label }: PageRow): void {
    if (this.#revealed.delete(key)) this.#redraw();
    else this.#tell({ type: 'reveal', key }, label);
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    const at = this.#rows.findIndex(({ key }) => key === keyOf(event.target));
    if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const isButton = event.target instanceof HTMLButtonElement;
    if (!this.#handle(event.key, at, isButton)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  /** Returns whether the key means something here. */
  #handle(key: string, at: number, isButton: boolean): boolean {
    const last = this.#rows.length - 1;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last }[key];
    if (to !== undefined) {
      this.#elementOf(this.#rows[to]?.key ?? '')?.focus();
      return true;
    }
    const row = this.#rows[at];
    if (key !== 'Enter' || isButton || !row) return false;
    if (row.isSecret === true) this.#toggle(row);
    else if (row.isLink === true) this.#tell({ type: 'follow', key: row.key }, row.label);
    return true;
  }

  #setCurrent(key: string): void {
    this.#current = key;
    for (const element of this.#list.querySelectorAll<HTMLElement>('.row')) {
      const isCurrent = element.dataset['key'] === key;
      element.tabIndex = isCurrent ? 0 : -1;
      for (const button of element.querySelectorAll('button')) button.tabIndex = isCurrent ? 0 : -1;
    }
  }

  #rowOf(key: string): PageRow | undefined {
    return this.#rows.find((row) => row.key === key);
  }

  #elementOf(key: string): HTMLElement | undefined {
    return [...this.#list.querySelectorAll<HTMLElement>('.row')].find(
      (element) => element.dataset['key'] === key,
    );
  }
}

type Tell = (message: ToHost, label: string) => void;

/** Names an element of a row, so that it is found again after the row was drawn again. */
function part<E extends HTMLElement>(name: string, element: E): E {
  element.dataset['part'] = name;
  return element;
}

/** Returns the key of the row that an element is in; empty if it is in none. */
function keyOf(target: EventTarget | null): string {
  const row = target instanceof Element ? target.closest<HTMLElement>('.row') : null;
  return row?.dataset['key'] ?? '';
}
