// The parts of the DOM that code running in the page uses. TypeScript's own `dom` library would apply to the
// whole program, and the extension's sources must not rely on a browser.

/** An element of the page. */
export interface PageElement {
  readonly className: string;
  readonly textContent: string;
  readonly style: { readonly top: string };
  closest(selector: string): PageElement | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  contains(other: PageElement): boolean;
  getBoundingClientRect(): Box;
  getRootNode(): { elementFromPoint(x: number, y: number): PageElement | null };
}

/** Where an element is in its frame. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A mouse event of the page. */
export interface PageEvent {
  readonly type: string;
  composedPath(): readonly Partial<PageElement>[];
  preventDefault(): void;
  stopImmediatePropagation(): void;
}

type PageListener = (type: string, listener: (event: PageEvent) => void, capture: true) => void;

/** Whether a click began and ended on its element. */
export interface Hit {
  readonly began: boolean;
  readonly ended: boolean;
  /** What is on top of an element that cannot be clicked, and where that is. */
  readonly hidden?: string;
}

/** The page's global object while a click is watched. */
export interface ClickedWindow {
  /** Ends watching. */
  endClick: () => Hit;
  readonly addEventListener: PageListener;
  readonly removeEventListener: PageListener;
}

/** The page's global object. */
export interface PageWindow {
  readonly document: Pick<PageElement, 'querySelector' | 'querySelectorAll'>;
  readonly navigator: {
    readonly clipboard: { readText(): Promise<string>; writeText(text: string): Promise<void> };
  };
}
