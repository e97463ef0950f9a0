/** The longest start of a text that selects what it is compared with. */
const LONGEST_KEY = 8;

/**
 * Finds many texts in another in one pass: a thousand lines of secrets in each of many thousand pieces of output. At
 * each position, only those are compared that begin alike.
 */
export class FormIndex {
  /** Number of comparisons. */
  compared = 0;
  readonly #keyLength: number;
  readonly #longest: number;
  /** By a hash of their start, longest first. */
  readonly #byKey = new Map<number, string[]>();
  /** All starts that are shorter than a key. */
  readonly #starts = new Set<string>();

  /** @param forms texts that are not empty. */
  constructor(forms: readonly string[]) {
    const known = [...new Set(forms)].sort((a, b) => b.length - a.length);
    this.#longest = known[0]?.length ?? 0;
    this.#keyLength = Math.min(LONGEST_KEY, known.at(-1)?.length ?? 0);
    for (const form of known) {
      const key = this.#keyAt(form, 0);
      const alike = this.#byKey.get(key);
      if (alike) alike.push(form);
      else this.#byKey.set(key, [form]);
      for (let length = 1; length < this.#keyLength; length++)
        this.#starts.add(form.slice(0, length));
    }
  }

  /** Returns a text with a mark for each form; those that overlap have one mark. */
  replaced(text: string, mark: string): string {
    if (this.#longest === 0) return text;
    const parts: string[] = [];
    let shown = 0;
    let start = 0;
    let end = 0;
    const last = text.length - this.#keyLength;
    for (let at = 0; at <= last; at++) {
      const length = this.#formAt(text, at)?.length ?? 0;
      if (length === 0) continue;
      if (at >= end) {
        if (end > 0) parts.push(text.slice(shown, start), mark);
        shown = end;
        start = at;
      }
      end = Math.max(end, at + length);
    }
    if (end === 0) return text;
    parts.push(text.slice(shown, start), mark, text.slice(end));
    return parts.join('');
  }

  /** Returns how many characters at the end of a text are the beginning of a form, at most this many. */
  startAtEnd(text: string, most: number): number {
    const from = Math.max(0, text.length - Math.min(this.#longest - 1, most));
    for (let at = from; at < text.length; at++)
      if (this.#mayBegin(text, at)) return text.length - at;
    return 0;
  }

  #mayBegin(text: string, at: number): boolean {
    const rest = text.slice(at);
    if (rest.length < this.#keyLength) return this.#starts.has(rest);
    const alike = this.#byKey.get(this.#keyAt(text, at)) ?? [];
    return alike.some((form) => {
      this.compared++;
      return form.length > rest.length && form.startsWith(rest);
    });
  }

  #formAt(text: string, at: number): string | undefined {
    const alike = this.#byKey.get(this.#keyAt(text, at));
    return alike?.find((form) => {
      this.compared++;
      return text.startsWith(form, at);
    });
  }

  #keyAt(text: string, at: number): number {
    let key = 0;
    for (let next = at; next < at + this.#keyLength; next++)
      key = (Math.imul(key, 31) + text.charCodeAt(next)) | 0;
    return key;
  }
}
