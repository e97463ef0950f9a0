import { controlsIn, withoutControls } from '../../base/plainText.ts';
import { AnsiStyles, type AnsiStyle, type Pen, FLAGS, type AnsiColor } from './ansiStyles.ts';
import { lastStateIn } from './visibleText.ts';
import { webAddress } from './textLink.ts';

/**
 * Parses the colors and styles of one line. Other escape sequences are removed: the joined texts of the runs
 * equal `visibleText`. Adjacent runs differ in style, and no run is empty.
 *
 * @param styles shares style objects across lines.
 */
export function ansiRuns(text: string, styles = new AnsiStyles()): readonly AnsiRun[] {
  const { start, end } = lastStateIn(text);
  const pen: Pen = { flags: 0 };
  const overwritten = text.slice(Math.max(0, start - STYLED_LIMIT), start);
  for (const [control] of controlsIn(overwritten)) apply(control, pen);
  return paint(text.slice(start, end), pen, styles);
}

/** A piece of a line in one style; undefined for the default style. */
export interface AnsiRun {
  readonly text: string;
  readonly style: AnsiStyle | undefined;
}

/** After this many characters, the rest of a line has no style. */
const STYLED_LIMIT = 100_000;

function paint(text: string, pen: Pen, styles: AnsiStyles): readonly AnsiRun[] {
  const runs: AnsiRun[] = [];
  let at = 0;
  let open = '';
  let style = styles.of(pen);
  const finish = (): void => {
    if (open !== '') runs.push({ text: open, style });
    open = '';
  };
  for (const { 0: control, index } of controlsIn(text)) {
    open += text.slice(at, index);
    at = index;
    if (index >= STYLED_LIMIT) break;
    at += control.length;
    apply(control, pen);
    const next = styles.of(pen);
    if (next === style) continue;
    finish();
    style = next;
  }
  open += at < STYLED_LIMIT ? text.slice(at) : withoutControls(text.slice(at));
  finish();
  return runs;
}

function apply(control: string, pen: Pen): void {
  const parameters = sgrIn(control);
  if (parameters !== undefined) applySgr(parameters, pen);
  else if (control.startsWith('\u001b]8;')) pen.link = linkIn(control.slice(4));
}

/** Returns the parameters of a sequence that sets colors and styles (SGR); undefined for other sequences. */
export function sgrIn(control: string): string | undefined {
  const start = control.startsWith('\u009b') ? 1 : 2;
  if (!control.endsWith('m') || (start === 2 && !control.startsWith('\u001b['))) return undefined;
  const parameters = control.slice(start, -1);
  return /^[\d:;]*$/.test(parameters) ? parameters : undefined;
}

/**
 * Returns the address of a link from `parameters;address` and a terminator. Undefined if it ends a link or is
 * not a web address.
 */
export function linkIn(command: string): string | undefined {
  const end = command.endsWith('\u001b\\') ? -2 : -1;
  return webAddress(command.slice(command.indexOf(';') + 1, end));
}

/** The flags that each number sets. A double underline (21) counts as underline. */
const ON: Readonly<Record<number, number>> = {
  1: FLAGS.bold,
  2: FLAGS.dim,
  3: FLAGS.italic,
  4: FLAGS.underline,
  7: FLAGS.inverse,
  8: FLAGS.hidden,
  9: FLAGS.strike,
  21: FLAGS.underline,
};
/** The flags that each number clears. */
const OFF: Readonly<Record<number, number>> = {
  22: FLAGS.bold | FLAGS.dim,
  23: FLAGS.italic,
  24: FLAGS.underline,
  27: FLAGS.inverse,
  28: FLAGS.hidden,
  29: FLAGS.strike,
};

/**
 * Applies the parameters of a "select graphic rendition" (SGR) sequence to a pen.
 *
 * @param parameters the text between `ESC [` and `m`. Numbers that do not affect the style are ignored.
 */
function applySgr(parameters: string, pen: Pen): void {
  const parts = parameters.split(';');
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? '';
    if (part.includes(':')) applyColons(part.split(':'), pen);
    // Followed by a color: of the text, the background or the underline.
    else if (/^[345]8$/.test(part)) at += applyExtended(parts.slice(at, at + 5), pen);
    else applyNumber(Number(part), pen);
  }
}

function applyNumber(number: number, pen: Pen): void {
  pen.flags = (pen.flags | (ON[number] ?? 0)) & ~(OFF[number] ?? 0);
  if (number === 0) Object.assign(pen, { fg: undefined, bg: undefined, flags: 0 });
  else if (number >= 30 && number <= 37) pen.fg = number - 30;
  else if (number >= 90 && number <= 97) pen.fg = number - 82;
  else if (number === 39) pen.fg = undefined;
  else if (number >= 40 && number <= 47) pen.bg = number - 40;
  else if (number >= 100 && number <= 107) pen.bg = number - 92;
  else if (number === 49) pen.bg = undefined;
}

/**
 * Applies `38;5;n` or `38;2;r;g;b`.
 *
 * @returns how many further parts belong to it.
 */
function applyExtended([which = '', kind, ...values]: readonly string[], pen: Pen): number {
  if (kind === '5') {
    setColor(which, indexed(values[0]), pen);
    return 2;
  }
  if (kind !== '2') return 1;
  setColor(which, trueColor(values), pen);
  return 4;
}

/** Applies `38:5:n`, `38:2:r:g:b`, `38:2:space:r:g:b`, or `4:n` for an underline style, 0 for none. */
function applyColons([which = '', kind, ...values]: readonly string[], pen: Pen): void {
  if (which === '4') applyNumber(kind === '0' ? 24 : 4, pen);
  if (kind === '5') setColor(which, indexed(values[0]), pen);
  if (kind === '2') setColor(which, trueColor(values.slice(values.length > 3 ? 1 : 0)), pen);
}

function setColor(which: string, color: AnsiColor | undefined, pen: Pen): void {
  if (color === undefined) return;
  if (which === '38') pen.fg = color;
  if (which === '48') pen.bg = color;
}

function indexed(value: string | undefined): number | undefined {
  const number = value ? Number(value) : NaN;
  return number <= 255 ? number : undefined;
}

function trueColor([red, green, blue]: readonly string[]): AnsiColor | undefined {
  // An omitted component is 0.
  const r = indexed(red ?? '0');
  const g = indexed(green ?? '0');
  const b = indexed(blue ?? '0');
  return r === undefined || g === undefined || b === undefined ? undefined : { r, g, b };
}
