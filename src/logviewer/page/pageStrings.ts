import type { ViewerString } from '../viewerStrings.ts';

/** The page's localized texts, as sent by the extension. */
export class PageStrings<Key extends string = ViewerString> {
  readonly #strings: Readonly<Record<string, string>>;

  constructor(strings: Readonly<Record<string, string>>) {
    this.#strings = strings;
  }

  /** Returns the text with `{0}`, `{1}` filled in, or the key if the text was not sent. */
  get(name: Key, ...args: readonly (string | number)[]): string {
    const text = this.#strings[name] ?? name;
    return text.replaceAll(/\{(\d)\}/g, (whole, index) => String(args[Number(index)] ?? whole));
  }

  /** Formats an integer for the display language. */
  formatCount(value: number): string {
    return value.toLocaleString(document.documentElement.lang || undefined);
  }
}
