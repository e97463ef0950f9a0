import { make } from '../dom.ts';

export interface MenuItem {
  readonly label: string;
  /** If set, the item is a toggle and shows its state. */
  readonly isOn?: boolean;
  /** Whether the item is one of several exclusive choices. */
  readonly isOneOf?: boolean;
  /** Index of the VS Code chart color for a dot next to the label, 0 to 5. */
  readonly color?: number;
  readonly isDisabled?: boolean;
  readonly act: () => void;
}

/**
 * Opens a menu below a button. The menu closes when an item is selected, Escape is pressed, or the focus moves
 * elsewhere. It stays open when a toggle is selected.
 *
 * @param choices returns the current items; called again after each toggle.
 */
export function openMenu(button: HTMLElement, choices: () => readonly MenuItem[]): void {
  const menu = make('div', {
    class: 'menu',
    attributes: { role: 'menu', 'aria-label': button.title },
  });
  const close = () => {
    if (!menu.isConnected) return;
    button.setAttribute('aria-expanded', 'false');
    menu.remove();
  };
  const fill = (focused: number) => {
    const items = choices().map((choice, index) => itemOf(choice, () => pick(choice, index)));
    menu.replaceChildren(...items);
    items[Math.min(focused, items.length - 1)]?.focus();
  };
  const pick = (choice: MenuItem, index: number) => {
    choice.act();
    if (choice.isOn !== undefined && !choice.isOneOf) {
      fill(index);
      return;
    }
    close();
    if (document.activeElement === document.body) button.focus();
  };
  document.body.append(menu);
  button.setAttribute('aria-expanded', 'true');
  fill(0);
  put(menu, button);
  menu.addEventListener('keydown', (event) => {
    onKey(event, menu, () => {
      close();
      button.focus();
    });
  });
  closeOutside(menu, button, close);
}

function closeOutside(menu: HTMLElement, button: HTMLElement, close: () => void): void {
  menu.addEventListener('focusout', ({ relatedTarget }) => {
    // When the menu is filled again, its focused item is removed and fires this event.
    if (relatedTarget instanceof Node && !menu.contains(relatedTarget)) close();
  });
  const away = new AbortController();
  const onDown = ({ target }: Event) => {
    if (target instanceof Node && menu.contains(target)) return;
    away.abort();
    // The click on the button would open the menu again.
    const isOwn = target instanceof Node && button.contains(target);
    if (!isOwn) close();
  };
  window.addEventListener('pointerdown', onDown, { capture: true, signal: away.signal });
  window.addEventListener('blur', close, { signal: away.signal });
}

/** Closes the menu of the button. Returns whether it was open. */
export function closeMenu(button: HTMLElement): boolean {
  if (button.getAttribute('aria-expanded') !== 'true') return false;
  button.setAttribute('aria-expanded', 'false');
  for (const menu of document.querySelectorAll('.menu')) menu.remove();
  return true;
}

export function makeMenuButton(button: HTMLElement, choices: () => readonly MenuItem[]): void {
  button.setAttribute('aria-haspopup', 'menu');
  button.setAttribute('aria-expanded', 'false');
  button.addEventListener('click', () => {
    if (!closeMenu(button)) openMenu(button, choices);
  });
}

function itemOf(choice: MenuItem, pick: () => void): HTMLElement {
  const { label, isOn, isOneOf, color, isDisabled } = choice;
  const role = isOn === undefined ? 'menuitem' : `menuitem${isOneOf ? 'radio' : 'checkbox'}`;
  const item = make('div', { class: 'menu-item', attributes: { role, tabindex: '-1' } });
  if (isOn !== undefined) item.setAttribute('aria-checked', String(isOn));
  item.append(make('span', { class: `tick${isOn ? ' codicon-check' : ''}` }));
  if (color !== undefined) item.append(make('span', { class: `dot color-${Math.abs(color) % 6}` }));
  item.append(make('span', { text: label }));
  if (isDisabled) item.setAttribute('aria-disabled', 'true');
  else item.addEventListener('click', pick);
  return item;
}

function put(menu: HTMLElement, button: HTMLElement): void {
  const rect = button.getBoundingClientRect();
  const left = Math.min(rect.left, window.innerWidth - menu.offsetWidth - 4);
  menu.style.left = `${Math.max(0, left)}px`;
  menu.style.top = `${rect.bottom + 2}px`;
  menu.style.maxHeight = `${Math.max(80, window.innerHeight - rect.bottom - 12)}px`;
}

function onKey(event: KeyboardEvent, menu: HTMLElement, cancel: () => void): void {
  const items = [...menu.querySelectorAll<HTMLElement>('.menu-item')];
  const at = items.findIndex((item) => item === document.activeElement);
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: items.length - 1,
  };
  const target = targets[event.key];
  if (target !== undefined) items[(target + items.length) % items.length]?.focus();
  else if (event.key === 'Enter' || event.key === ' ') items[at]?.click();
  else if (event.key === 'Escape' || event.key === 'Tab') cancel();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
