// What code that runs in the page may use of it. TypeScript's own `dom` library would be there for the
// whole program, and the extension's sources must not take a browser for granted.

/** An element of the page. */
export interface PageElement {
  readonly className: string;
  readonly textContent: string;
  readonly style: { readonly top: string };
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  querySelector(selector: string): PageElement | null;
}

/** The page's global object. */
export interface PageWindow {
  readonly navigator: {
    readonly clipboard: { readText(): Promise<string>; writeText(text: string): Promise<void> };
  };
}
