import type { ViewerString } from '../viewerStrings.ts';

/** The page's texts, as the extension has sent them. */
export class PageStrings {
  readonly #strings: Readonly<Record<string, string>>;

  constructor(strings: Readonly<Record<string, string>>) {
    this.#strings = strings;
  }

  /** The text of that name, with `{0}`, `{1}` filled in; the name itself where it was not sent. */
  get(name: ViewerString, ...args: readonly (string | number)[]): string {
    const text = this.#strings[name] ?? name;
    return text.replaceAll(/\{(\d)\}/g, (whole, index) => String(args[Number(index)] ?? whole));
  }

  /** A whole number as the person's language writes it. */
  formatCount(value: number): string {
    return value.toLocaleString(document.documentElement.lang || undefined);
  }
}
