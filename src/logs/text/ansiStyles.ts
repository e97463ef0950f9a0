/** Provides one object per style, so that runs of the same style share it. */
export class AnsiStyles {
  readonly #styles = new Map<string, AnsiStyle>();

  /** Returns the style of a pen; undefined for the default style. */
  of(pen: Pen): AnsiStyle | undefined {
    const { fg, bg, flags, link } = pen;
    if (flags === 0 && fg === undefined && bg === undefined && link === undefined) return undefined;
    const key = `${flags} ${colorKey(fg)} ${colorKey(bg)} ${link ?? ''}`;
    const known = this.#styles.get(key);
    if (known) return known;
    if (this.#styles.size >= MOST_STYLES) this.#styles.clear();
    const style = Object.freeze({ ...pen });
    this.#styles.set(key, style);
    return style;
  }
}

/** One of the 256 terminal colors by number, or an RGB color with components from 0 to 255. */
export type AnsiColor = number | { readonly r: number; readonly g: number; readonly b: number };

/** The style of a piece of text. */
export type AnsiStyle = Readonly<Pen>;

/** Each a bit of {@link Pen.flags}. */
export const FLAGS = {
  bold: 1,
  dim: 2,
  italic: 4,
  underline: 8,
  strike: 16,
  inverse: 32,
  hidden: 64,
} as const;

/** A mutable style. Undefined colors are the default. */
export interface Pen {
  fg?: AnsiColor;
  bg?: AnsiColor;
  flags: number;
  /** An `http` or `https` address. */
  link?: string;
}

/** A log with more styles is a picture. */
const MOST_STYLES = 1000;

function colorKey(color: AnsiColor | undefined): string {
  if (color === undefined) return '';
  return typeof color === 'number' ? String(color) : `${color.r},${color.g},${color.b}`;
}
