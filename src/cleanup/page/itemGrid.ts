import { iconButton, make } from '../../logviewer/page/dom.ts';
import type { PageStrings } from '../../logviewer/page/pageStrings.ts';
import { formatSize, joinParts } from '../../views/format.ts';
import type { CleanupString } from '../cleanupStrings.ts';
import { canSelect, reclaimedBy, type Grouping, type ItemGroup } from '../groupItems.ts';
import type { PageItem } from '../protocol.ts';

type Strings = PageStrings<CleanupString>;

/**
 * The list of groups and items. One row has the focus: arrows move it, Space selects, Left and Right fold a group or
 * lead to the button of an item.
 */
export class ItemGrid {
  readonly element: HTMLElement;
  readonly #strings: Strings;
  readonly #actions: GridActions;
  #rows: readonly Row[] = [];
  /** The key of the row that Tab leads to. */
  #current = '';

  constructor(strings: Strings, actions: GridActions) {
    this.#strings = strings;
    this.#actions = actions;
    this.element = make('div', {
      class: 'grid',
      attributes: { role: 'treegrid', 'aria-label': strings.get('items') },
    });
    this.element.addEventListener('keydown', this.#onKey);
    this.element.addEventListener('focusin', ({ target }) => {
      const row = this.#rowOf(target);
      if (row) this.#setCurrent(row);
    });
  }

  /** Shows these groups. The focus stays on the same row. */
  show(groups: readonly ShownGroup[], by: Grouping): void {
    const hadFocus = this.element.contains(document.activeElement);
    const wasButton = document.activeElement instanceof HTMLButtonElement;
    const rows = groups.flatMap((group) => [
      this.#groupRow(group),
      ...(group.isClosed ? [] : group.items.map((item) => this.#itemRow(item, by))),
    ]);
    this.#rows = rows;
    this.element.replaceChildren(...rows.map(({ element }) => element));
    const row = rows.find(({ element }) => element.dataset['key'] === this.#current) ?? rows[0];
    if (!row) return;
    this.#setCurrent(row);
    if (hadFocus) (wasButton ? (row.button ?? row.element) : row.element).focus();
  }

  /** Shows which items are selected. */
  select(selected: ReadonlySet<string>): void {
    for (const { box, items, group, element } of this.#rows) {
      const removable = items.filter(({ state }) => state === 'removable');
      const count = removable.filter(({ key }) => selected.has(key)).length;
      const canBe = group ? removable.length > 0 : items.some((one) => canSelect(one, selected));
      box.checked = count > 0 && count === removable.length;
      box.indeterminate = count > 0 && count < removable.length;
      box.disabled = !canBe;
      element.setAttribute('aria-selected', String(box.checked));
      const isWaiting = !group && !canBe && removable.length > 0;
      box.title = isWaiting ? this.#strings.get('needed') : '';
    }
  }

  #groupRow(group: ShownGroup): Row {
    const { id, label, items, isClosed } = group;
    const strings = this.#strings;
    const removable = items.filter(({ state }) => state === 'removable');
    const { size } = reclaimedBy(removable);
    const box = this.#box(strings.get('selectGroup', label));
    const facts = joinParts(
      strings.formatCount(items.filter(({ state }) => state !== 'gone').length),
      size > 0 ? `${formatSize(size)} ${strings.get('reclaimable').toLowerCase()}` : '',
    );
    const element = make('div', {
      class: `row group ${isClosed ? 'codicon-chevron-right' : 'codicon-chevron-down'}`,
      attributes: {
        role: 'row',
        'aria-level': '1',
        'aria-expanded': String(!isClosed),
        'aria-label': joinParts(label, facts),
        tabindex: '-1',
      },
      children: [
        cell('mark', box),
        cell('label', make('span', { text: label, title: label })),
        cell('facts', make('span', { text: facts })),
      ],
    });
    element.dataset['key'] = `group ${id}`;
    const row = { element, box, items, group };
    box.addEventListener('change', () => this.#choose(row));
    element.addEventListener('click', ({ target }) => {
      if (target !== box) this.#actions.onFold(id, !isClosed);
    });
    return row;
  }

  #itemRow(item: PageItem, by: Grouping): Row {
    const strings = this.#strings;
    const { key, name, age, isExcluded, state } = item;
    const note = this.#noteOf(item, by);
    const size = itemSizeText(item, strings);
    const box = this.#box(name);
    const label = strings.get(isExcluded ? 'allowRemoval' : 'neverRemove');
    const button = iconButton(isExcluded ? 'lock' : 'unlock', label, () => {
      this.#actions.onExclude(key, !isExcluded);
    });
    button.tabIndex = -1;
    button.setAttribute('aria-pressed', String(isExcluded));
    button.disabled = state === 'gone';
    const element = make('div', {
      class: `row item ${state}`,
      attributes: {
        role: 'row',
        'aria-level': '2',
        'aria-label': joinParts(name, note, size, age),
        tabindex: '-1',
      },
      children: [
        cell('mark', box),
        cell('text', make('div', { class: 'name', text: name, title: name }), small('note', note)),
        cell('numbers', make('div', { class: 'size', text: size }), small('age', age)),
        cell('action', button),
      ],
    });
    element.dataset['key'] = key;
    const row = { element, box, items: [item], button };
    box.addEventListener('change', () => this.#choose(row));
    element.addEventListener('click', ({ target }) => {
      if (target !== box && !button.contains(target as Node)) this.#toggle(row);
    });
    return row;
  }

  #noteOf({ kind, note, state }: PageItem, by: Grouping): string {
    const strings = this.#strings;
    const why = state === 'gone' ? strings.get('gone') : note;
    return by === 'kind' ? why : joinParts(strings.get(`kind.${kind}`), why);
  }

  #box(label: string): HTMLInputElement {
    const box = make('input', { attributes: { type: 'checkbox', 'aria-label': label } });
    box.tabIndex = -1;
    return box;
  }

  #toggle(row: Row): void {
    if (row.box.disabled) return;
    row.box.checked = !row.box.checked;
    this.#choose(row);
  }

  #choose({ box, items }: Row): void {
    const removable = items.filter(({ state }) => state === 'removable');
    this.#actions.onChoose(
      removable.map(({ key }) => key),
      box.checked,
    );
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    const row = this.#rowOf(event.target);
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    if (!this.#handle(event.key, row, event.target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  /** Returns whether the key means something here. */
  #handle(key: string, row: Row, isButton: boolean): boolean {
    const at = this.#rows.indexOf(row);
    switch (key) {
      case 'ArrowDown':
        return this.#move(at + 1);
      case 'ArrowUp':
        return this.#move(at - 1);
      case 'Home':
        return this.#move(0);
      case 'End':
        return this.#move(this.#rows.length - 1);
      case ' ':
        if (!isButton) this.#toggle(row);
        return !isButton;
      case 'Enter':
        if (row.group) this.#actions.onFold(row.group.id, !row.group.isClosed);
        return row.group !== undefined;
      case 'ArrowRight':
      case 'ArrowLeft':
        return this.#turn(key === 'ArrowRight', row, isButton);
      default:
        return false;
    }
  }

  #move(to: number): boolean {
    this.#rows[to]?.element.focus();
    return true;
  }

  /** Folds a group, moves between an item and its button, or from an item to its group. */
  #turn(isRight: boolean, row: Row, isButton: boolean): boolean {
    const { group, button, element } = row;
    if (group) {
      if (group.isClosed === isRight) this.#actions.onFold(group.id, !isRight);
    } else if (isRight) button?.focus();
    else if (isButton) element.focus();
    else
      this.#move(this.#rows.findLastIndex((one, at) => one.group && at < this.#rows.indexOf(row)));
    return true;
  }

  #setCurrent(row: Row): void {
    for (const { element, button } of this.#rows) {
      element.tabIndex = element === row.element ? 0 : -1;
      if (button) button.tabIndex = element === row.element ? 0 : -1;
    }
    this.#current = row.element.dataset['key'] ?? '';
  }

  #rowOf(target: EventTarget | null): Row | undefined {
    const element = target instanceof Element ? target.closest('.row') : null;
    return this.#rows.find((row) => row.element === element);
  }
}

interface ShownGroup extends ItemGroup {
  readonly label: string;
  readonly isClosed: boolean;
}

/** Actions of the user in the list. */
interface GridActions {
  readonly onChoose: (keys: readonly string[], isChosen: boolean) => void;
  readonly onFold: (id: string, isClosed: boolean) => void;
  readonly onExclude: (key: string, isExcluded: boolean) => void;
}

interface Row {
  readonly element: HTMLElement;
  readonly box: HTMLInputElement;
  /** One for an item. */
  readonly items: readonly PageItem[];
  /** Of a group. */
  readonly group?: ShownGroup;
  readonly button?: HTMLButtonElement;
}

/** Formats what removing an item reclaims; empty if it uses no disk space. Other images may share the rest of one. */
export function itemSizeText({ kind, size, atMost }: PageItem, strings: Strings): string {
  if (kind === 'networks') return '';
  if (size === undefined)
    return atMost === undefined ? '' : strings.get('atMost', formatSize(atMost));
  return size === (atMost ?? size) ? formatSize(size) : strings.get('unique', formatSize(size));
}

function cell(name: string, ...children: readonly Node[]): HTMLElement {
  return make('div', { class: name, attributes: { role: 'gridcell' }, children });
}

function small(name: string, text: string): HTMLElement {
  return make('div', { class: name, text, title: text });
}
