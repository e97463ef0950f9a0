/** Gives out one object for each style there is, so that runs of the same look share it. */
export class AnsiStyles {
  readonly #styles = new Map<string, AnsiStyle>();

  /** The style a pen writes in; undefined where that is the usual one. */
  of({ fg, bg, flags, link }: Pen): AnsiStyle | undefined {
    if (flags === 0 && fg === undefined && bg === undefined && link === undefined) return undefined;
    const key = `${flags} ${colorKey(fg)} ${colorKey(bg)} ${link ?? ''}`;
    const known = this.#styles.get(key);
    if (known) return known;
    if (this.#styles.size >= MOST_STYLES) this.#styles.clear();
    const style = styleOf({ fg, bg, flags, link });
    this.#styles.set(key, style);
    return style;
  }
}

/** One of the 256 colours of a terminal by its number, or a colour of its own with parts from 0 to 255. */
export type AnsiColor = number | { readonly r: number; readonly g: number; readonly b: number };

/** How a piece of text looks. Plain JSON data; what is absent is as usual. */
export interface AnsiStyle {
  readonly fg?: AnsiColor;
  readonly bg?: AnsiColor;
  readonly bold?: true;
  readonly dim?: true;
  readonly italic?: true;
  readonly underline?: true;
  readonly strike?: true;
  readonly inverse?: true;
  readonly hidden?: true;
  /** An `http` or `https` address. */
  readonly link?: string;
}

/** What is on or off, each a bit of {@link Pen.flags}. */
export const FLAGS = {
  bold: 1,
  dim: 2,
  italic: 4,
  underline: 8,
  strike: 16,
  inverse: 32,
  hidden: 64,
} as const;

/** A style while it changes. */
export interface Pen {
  fg: AnsiColor | undefined;
  bg: AnsiColor | undefined;
  flags: number;
  link: string | undefined;
}

/** A log that uses more is a picture. */
const MOST_STYLES = 1000;

/** A pen that writes in a style. */
export function penOf(style: AnsiStyle | undefined): Pen {
  let flags = 0;
  for (const [name, bit] of FLAG_LIST) if (style?.[name]) flags |= bit;
  return { fg: style?.fg, bg: style?.bg, flags, link: style?.link };
}

const FLAG_LIST = Object.entries(FLAGS) as readonly [keyof typeof FLAGS, number][];

function styleOf({ fg, bg, flags, link }: Pen): AnsiStyle {
  const on = FLAG_LIST.filter(([, bit]) => (flags & bit) !== 0).map(([name]) => [name, true]);
  return Object.freeze({
    ...(fg === undefined ? {} : { fg }),
    ...(bg === undefined ? {} : { bg }),
    ...(Object.fromEntries(on) as Partial<Record<keyof typeof FLAGS, true>>),
    ...(link === undefined ? {} : { link }),
  });
}

function colorKey(color: AnsiColor | undefined): string {
  if (color === undefined) return '';
  return typeof color === 'number' ? String(color) : `${color.r},${color.g},${color.b}`;
}
