// ANSI colors from the user's theme, adjusted so that text is always readable.

/** Red, green, and blue, 0 to 255. */
type Rgb = readonly [number, number, number];

const NAMES = ['Black', 'Red', 'Green', 'Yellow', 'Blue', 'Magenta', 'Cyan', 'White'];

/** Minimum contrast ratio: the default of VS Code's terminal, and the requirement of WCAG for text. */
const LEAST_CONTRAST = 4.5;

/** Maximum number of cached colors. A log can contain any number of combinations. */
const MOST_KEPT = 2000;

const STEPS = [0, 95, 135, 175, 215, 255];

/** Reads the theme's colors and converts ANSI colors to CSS. */
export class AnsiColors {
  readonly #known = new Map<string, string>();
  #background: Rgb = [30, 30, 30];

  /** Forgets all colors because the theme has changed. */
  reset(): void {
    this.#known.clear();
    this.#background = themeColor('--vscode-editor-background') ?? [30, 30, 30];
  }

  /**
   * Returns the CSS color for text that is readable on `bg`. An undefined `fg` is the editor's foreground; an
   * undefined `bg` its background.
   */
  text(fg: number | string | undefined, bg: number | string | undefined): string {
    return this.#keep(`${fg ?? ''}/${bg ?? ''}`, () => {
      const ground = (bg === undefined ? undefined : rgbOf(bg)) ?? this.#background;
      const color = fg === undefined ? themeColor('--vscode-editor-foreground') : rgbOf(fg);
      return color ? css(readable(color, ground)) : 'inherit';
    });
  }

  /** Returns the CSS color for a theme variable, readable on the editor's background. */
  ofTheme(name: string): string {
    return this.#keep(name, () => {
      const color = themeColor(name);
      return color ? css(readable(color, this.#background)) : `var(${name})`;
    });
  }

  /** Returns the CSS color for the editor's text, readable on the background of a theme variable. */
  textOn(name: string): string {
    return this.#keep(`on ${name}`, () => {
      const color = themeColor('--vscode-editor-foreground');
      const ground = themeColor(name);
      if (!color || !ground) return 'inherit';
      const share = alphaOf(themeText(name));
      return css(readable(color, mix(this.#background, ground, share)));
    });
  }

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

/**
 * Theme colors that the style sheet uses for text, by its own names. Themes define them for lines and shapes,
 * so they may be too faint for text.
 */
const THEME_COLORS: Readonly<Record<string, string>> = {
  'color-0': 'charts-blue',
  'color-1': 'charts-green',
  // The theme's orange is translucent.
  'color-2': 'terminal-ansiCyan',
  'color-3': 'charts-purple',
  // Red is reserved for errors.
  'color-4': 'terminal-ansiMagenta',
  'color-5': 'charts-yellow',
  warning: 'editorWarning-foreground',
  error: 'errorForeground',
};

/** Backgrounds on which the editor's text is drawn. */
const GROUNDS = ['findMatch', 'findMatchHighlight', 'selection'];

/** Sets the theme's colors on an element, each adjusted as much as needed to be readable. */
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

/** Returns a theme variable as a color; undefined if it is not set or not a color. */
function themeColor(name: string): Rgb | undefined {
  return parsed(themeText(name));
}

/** Returns the alpha value of a CSS color, 0 to 1. */
function alphaOf(text: string): number {
  const hex = /^#(?:[\da-f]{6}([\da-f]{2})|[\da-f]{3}([\da-f]))$/i.exec(text);
  const digits = hex?.[1] ?? hex?.[2]?.repeat(2);
  if (digits !== undefined) return Number.parseInt(digits, 16) / 255;
  return Number(/^rgba\(.*[\s,/]([\d.]+)\s*\)$/.exec(text)?.[1] ?? 1);
}

/** Mixes two colors. `share` is 0 for `from` and 1 for `to`. */
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

/** Relative luminance as defined by WCAG 2. */
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

/** Returns the color, mixed with white or black as much as needed for the minimum contrast on the background. */
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
