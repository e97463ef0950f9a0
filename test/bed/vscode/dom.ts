// The parts of the DOM that code running in the page uses. TypeScript's own `dom` library would apply to the
// whole program, and the extension's sources must not rely on a browser.

/** An element of the page. */
export interface PageElement {
  readonly className: string;
  readonly textContent: string;
  readonly style: { readonly top: string };
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  querySelector(selector: string): PageElement | null;
}

/** A mouse event of the page. */
export interface PageEvent {
  composedPath(): readonly Partial<PageElement>[];
}

/** The page's global object while a click is watched. */
export interface ClickedWindow {
  clickHits: { readonly mousedown: boolean; readonly click: boolean };
  addEventListener(
    type: string,
    listener: (event: PageEvent) => void,
    options: { readonly capture: true; readonly once: true },
  ): void;
}

/** The page's global object. */
export interface PageWindow {
  readonly navigator: {
    readonly clipboard: { readText(): Promise<string>; writeText(text: string): Promise<void> };
  };
}
