// ANSI colours, in the person's theme and never too faint to read.

/** Red, green and blue, 0 to 255. */
type Rgb = readonly [number, number, number];

const NAMES = ['Black', 'Red', 'Green', 'Yellow', 'Blue', 'Magenta', 'Cyan', 'White'];

/** What VS Code's terminal keeps by default, and WCAG asks for text. */
const LEAST_CONTRAST = 4.5;

/** How many mixes of colours are remembered: a log can have any number. */
const MOST_KEPT = 2000;

const STEPS = [0, 95, 135, 175, 215, 255];

/** Reads the theme's colours, and makes of ANSI colours what a style can hold. */
export class AnsiColors {
  readonly #known = new Map<string, string>();
  #background: Rgb = [30, 30, 30];

  /** The theme has changed. */
  reset(): void {
    this.#known.clear();
    this.#background = themeColor('--vscode-editor-background') ?? [30, 30, 30];
  }

  /** The colour of text, as CSS, that can be read on `bg`. Undefined: the editor's own. */
  text(fg: number | string | undefined, bg: number | string | undefined): string {
    return this.#keep(`${fg ?? ''}/${bg ?? ''}`, () => {
      const ground = (bg === undefined ? undefined : rgbOf(bg)) ?? this.#background;
      const color = fg === undefined ? themeColor('--vscode-editor-foreground') : rgbOf(fg);
      return color ? css(readable(color, ground)) : 'inherit';
    });
  }

  /** The colour of one of the theme's variables, as CSS, that can be read. */
  ofTheme(name: string): string {
    return this.#keep(name, () => {
      const color = themeColor(name);
      return color ? css(readable(color, this.#background)) : `var(${name})`;
    });
  }

  /** The colour of the editor's text, as CSS, that can be read on a ground that is one of the theme's variables. */
  textOn(name: string): string {
    return this.#keep(`on ${name}`, () => {
      const [color, ground] = [themeColor('--vscode-editor-foreground'), themeColor(name)];
      if (!color || !ground) return 'inherit';
      const share = alphaOf(themeText(name));
      return css(readable(color, mix(this.#background, ground, share)));
    });
  }

  /** The colour of a ground, as CSS. */
  ground(bg: number | string): string {
    return this.#keep(`bg ${bg}`, () => {
      const color = rgbOf(bg);
      return color ? css(color) : 'transparent';
    });
  }

  #keep(key: string, work: () => string): string {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size > MOST_KEPT) this.#known.clear();
    const made = work();
    this.#known.set(key, made);
    return made;
  }
}

/** What the style sheet colours text with, by its own names: colours that themes make for lines and shapes. */
const THEME_COLORS: Readonly<Record<string, string>> = {
  'color-0': 'charts-blue',
  'color-1': 'charts-green',
  // The theme's orange is made to be seen through.
  'color-2': 'terminal-ansiCyan',
  'color-3': 'charts-purple',
  // Red says that something is wrong.
  'color-4': 'terminal-ansiMagenta',
  'color-5': 'charts-yellow',
  warning: 'editorWarning-foreground',
  error: 'errorForeground',
};

/** Grounds on which the editor's own text stands. */
const GROUNDS = ['findMatch', 'findMatchHighlight', 'selection'];

/** Gives an element the theme's colours, each changed by as much as it needs to be read. */
export function applyReadableColors(element: HTMLElement, colors: AnsiColors): void {
  for (const [name, variable] of Object.entries(THEME_COLORS)) {
    element.style.setProperty(`--legible-${name}`, colors.ofTheme(`--vscode-${variable}`));
  }
  for (const name of GROUNDS) {
    const ground = `--vscode-editor-${name}Background`;
    element.style.setProperty(`--legible-${name}`, colors.textOn(ground));
  }
}

function themeText(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A theme's variable as a colour; undefined where it is none. */
function themeColor(name: string): Rgb | undefined {
  return parsed(themeText(name));
}

/** How much of a colour there is, 0 to 1. */
function alphaOf(text: string): number {
  const hex = /^#(?:[\da-f]{6}([\da-f]{2})|[\da-f]{3}([\da-f]))$/i.exec(text);
  const digits = hex?.[1] ?? hex?.[2]?.repeat(2);
  if (digits !== undefined) return Number.parseInt(digits, 16) / 255;
  return Number(/^rgba\(.*[\s,/]([\d.]+)\s*\)$/.exec(text)?.[1] ?? 1);
}

/** So much of the way from one colour to another, 0 to 1. */
function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const at = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share);
  return [at(0), at(1), at(2)];
}

function parsed(text: string): Rgb | undefined {
  const long = /^#[\da-f]{3,4}$/i.test(text) ? text.replaceAll(/[\da-f]/gi, '$&$&') : text;
  if (/^#[\da-f]{6}/i.test(long)) {
    const at = (start: number) => Number.parseInt(long.slice(start, start + 2), 16);
    return [at(1), at(3), at(5)];
  }
  const parts = /^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)/.exec(text);
  return parts ? [Number(parts[1]), Number(parts[2]), Number(parts[3])] : undefined;
}

function rgbOf(color: number | string): Rgb | undefined {
  if (typeof color === 'string') return parsed(color);
  if (color < 0 || color > 255) return undefined;
  if (color < 16) return themed(color);
  if (color > 231) return grey(8 + (color - 232) * 10);
  const cell = color - 16;
  const at = (index: number) => STEPS[index % 6] ?? 0;
  return [at(Math.floor(cell / 36)), at(Math.floor(cell / 6)), at(cell)];
}

function themed(color: number): Rgb | undefined {
  const name = `${color > 7 ? 'Bright' : ''}${NAMES[color % 8] ?? ''}`;
  return themeColor(`--vscode-terminal-ansi${name}`);
}

function grey(value: number): Rgb {
  return [value, value, value];
}

function css([red, green, blue]: Rgb): string {
  return `rgb(${red},${green},${blue})`;
}

/** By WCAG 2. */
function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

function contrast(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** The colour, mixed with white or black by as much as it needs to stand out from the ground. */
function readable(color: Rgb, ground: Rgb): Rgb {
  if (contrast(color, ground) >= LEAST_CONTRAST) return color;
  const toWhite = contrast([255, 255, 255], ground) > contrast([0, 0, 0], ground);
  const goal = toWhite ? 255 : 0;
  for (let share = 0.1; share < 1; share += 0.1) {
    const candidate = mix(color, grey(goal), share);
    if (contrast(candidate, ground) >= LEAST_CONTRAST) return candidate;
  }
  return grey(goal);
}
