/** What an element is made with; all of it as text, none as markup. */
export interface ElementOptions {
  readonly class?: string;
  readonly text?: string;
  readonly title?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly children?: readonly Node[];
}

/** Makes an element. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  making: ElementOptions = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (making.class !== undefined) element.className = making.class;
  if (making.text !== undefined) element.textContent = making.text;
  if (making.title !== undefined) element.title = making.title;
  for (const [name, value] of Object.entries(making.attributes ?? {})) {
    element.setAttribute(name, value);
  }
  if (making.children) element.append(...making.children);
  return element;
}

/** Makes a button that shows one of the icons. It is read out by its title. */
export function iconButton(icon: string, title: string, act: () => void): HTMLButtonElement {
  const button = make('button', {
    class: `icon codicon-${icon}`,
    title,
    attributes: { 'aria-label': title, type: 'button' },
  });
  button.addEventListener('click', act);
  return button;
}

/** Makes an element the one that keys and screen readers find the rows in. */
export function makeGrid(element: HTMLElement, label: string): void {
  element.tabIndex = 0;
  element.role = 'treegrid';
  element.ariaLabel = label;
  element.ariaMultiSelectable = 'true';
  element.ariaReadOnly = 'true';
}

/** Gives a button that is on or off its state, for eyes and for screen readers. */
export function setPressed(button: HTMLElement, isOn: boolean): void {
  button.setAttribute('aria-pressed', String(isOn));
}

/** Whether the main modifier is held: Command on a Mac, Control elsewhere. */
export function hasMainKey(event: KeyboardEvent | MouseEvent): boolean {
  return isMac() ? event.metaKey : event.ctrlKey;
}

/** Whether keys are named and used as on a Mac. */
export function isMac(): boolean {
  return navigator.userAgent.includes('Macintosh');
}
