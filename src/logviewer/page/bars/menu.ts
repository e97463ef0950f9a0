import { make } from '../dom.ts';

/** One choice of a menu. */
export interface MenuItem {
  readonly label: string;
  /** Given: it is on or off, and shows that. */
  readonly isOn?: boolean;
  /** Whether another one goes off when it goes on. */
  readonly isOneOf?: boolean;
  /** A colour mark beside it: of the editor's chart colours, 0 to 5. */
  readonly color?: number;
  readonly isDisabled?: boolean;
  readonly act: () => void;
}

/**
 * Opens a menu below a button. It is there until something is chosen, Escape is pressed or something else gets the
 * focus; menus of things to tick stay open.
 *
 * @param choices gives them as they are now; asked again after each choice
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
    const items = choices().map((choice, index) =>
      itemOf(choice, () => {
        pick(choice, index);
      }),
    );
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
  menu.addEventListener('focusout', ({ relatedTarget }) => {
    // Its own items leave when it is filled anew.
    if (relatedTarget instanceof Node && !menu.contains(relatedTarget)) close();
  });
  closeOutside(menu, button, close);
}

function closeOutside(menu: HTMLElement, button: HTMLElement, close: () => void): void {
  const away = new AbortController();
  const onDown = ({ target }: Event) => {
    if (target instanceof Node && menu.contains(target)) return;
    away.abort();
    // The button's own click would open it again.
    const isOwn = target instanceof Node && button.contains(target);
    if (!isOwn) close();
  };
  window.addEventListener('pointerdown', onDown, { capture: true, signal: away.signal });
  window.addEventListener('blur', close, { signal: away.signal });
}

/** Closes the menu that belongs to the button if one is open; gives whether there was one. */
export function closeMenu(button: HTMLElement): boolean {
  if (button.getAttribute('aria-expanded') !== 'true') return false;
  button.setAttribute('aria-expanded', 'false');
  for (const menu of document.querySelectorAll('.menu')) menu.remove();
  return true;
}

/** Makes a button open a menu. */
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
  const place = button.getBoundingClientRect();
  const left = Math.min(place.left, window.innerWidth - menu.offsetWidth - 4);
  menu.style.left = `${Math.max(0, left)}px`;
  menu.style.top = `${place.bottom + 2}px`;
  menu.style.maxHeight = `${Math.max(80, window.innerHeight - place.bottom - 12)}px`;
}

function onKey(event: KeyboardEvent, menu: HTMLElement, cancel: () => void): void {
  const items = [...menu.querySelectorAll<HTMLElement>('.menu-item')];
  const at = items.findIndex((item) => item === document.activeElement);
  const go = (to: number) => {
    items[(to + items.length) % items.length]?.focus();
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => {
      go(at + 1);
    },
    ArrowUp: () => {
      go(at - 1);
    },
    Home: () => {
      go(0);
    },
    End: () => {
      go(items.length - 1);
    },
    Enter: () => items[at]?.click(),
    ' ': () => items[at]?.click(),
    Escape: cancel,
    Tab: cancel,
  };
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}
