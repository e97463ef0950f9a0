/** A sentence for the user, as data: it is translated where it is shown. */
export interface Sentence {
  /** In English, with `{0}`, `{1}` for the values. */
  readonly text: string;
  readonly values: readonly (string | number | Sentence)[];
}

/** Returns a sentence. `text` must be a literal, so that translators get it. */
export function sentence(text: string, ...values: Sentence['values']): Sentence {
  return { text, values };
}

/** Returns a sentence in English, for logs and for code that reads it. */
export function inEnglish({ text, values }: Sentence): string {
  return text.replace(/\{(\d+)\}/g, (whole, index) => {
    const value = values[Number(index)];
    return typeof value === 'object' ? inEnglish(value) : String(value ?? whole);
  });
}
