/** Options for a new element. All strings are set as text, never as markup. */
interface ElementOptions {
  readonly class?: string;
  readonly text?: string;
  readonly title?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly children?: readonly Node[];
  readonly onClick?: () => void;
}

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  making: ElementOptions = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  // The default type is `submit`.
  if (element instanceof HTMLButtonElement) element.type = 'button';
  if (making.class !== undefined) element.className = making.class;
  if (making.text !== undefined) element.textContent = making.text;
  if (making.title !== undefined) element.title = making.title;
  for (const [name, value] of Object.entries(making.attributes ?? {})) {
    element.setAttribute(name, value);
  }
  if (making.children) element.append(...making.children);
  if (making.onClick) element.addEventListener('click', making.onClick);
  return element;
}

/** Creates an icon button. Its title is also the label for screen readers. */
export function iconButton(icon: string, title: string, onClick?: () => void): HTMLButtonElement {
  const attributes = { 'aria-label': title };
  return make('button', { class: `icon codicon-${icon}`, title, attributes, onClick });
}

/** Loads the font of the icons, and shows them once it is there. */
export async function showIcons(): Promise<void> {
  const faces = await document.fonts.load('16px codicon');
  if (faces.length > 0) document.documentElement.classList.add('has-icons');
}

/** Returns whether the main modifier is pressed: Command on macOS, Ctrl elsewhere. */
export function hasMainKey(event: KeyboardEvent | MouseEvent): boolean {
  return isMac() ? event.metaKey : event.ctrlKey;
}

/** Returns whether the page runs on macOS. */
export function isMac(): boolean {
  return navigator.userAgent.includes('Macintosh');
}
