import { FLAGS, type AnsiColor, type Pen } from './ansiStyles.ts';

/** What each number turns on. Double underlines (21) are underlines, too. */
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
/** What each number turns off. */
const OFF: Readonly<Record<number, number>> = {
  22: FLAGS.bold | FLAGS.dim,
  23: FLAGS.italic,
  24: FLAGS.underline,
  27: FLAGS.inverse,
  28: FLAGS.hidden,
  29: FLAGS.strike,
};

/**
 * Takes what a sequence "select graphic rendition" says into a pen.
 *
 * @param parameters what stands between `ESC [` and `m`. Numbers that say nothing of a look are passed over.
 */
export function applySgr(parameters: string, pen: Pen): void {
  const parts = parameters.split(';');
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? '';
    if (part.includes(':')) applyColons(part.split(':'), pen);
    else if (isExtended(part)) at += applyExtended(parts.slice(at, at + 5), pen);
    else applyNumber(Number(part), pen);
  }
}

/** 38, 48 and 58 are followed by a colour: of the letters, of the ground, of the underline. */
function isExtended(part: string): boolean {
  return part === '38' || part === '48' || part === '58';
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

/** `38;5;n` or `38;2;r;g;b`. @returns how many parts after the first belong to it. */
function applyExtended([which = '', kind, ...values]: readonly string[], pen: Pen): number {
  if (kind === '5') {
    setColor(which, indexed(values[0]), pen);
    return 2;
  }
  if (kind !== '2') return 1;
  setColor(which, trueColor(values), pen);
  return 4;
}

/** `38:5:n`, `38:2:r:g:b`, `38:2:space:r:g:b`, or `4:n` for a kind of underline, 0 being none. */
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
  // A part that is left out is none of it.
  const [r, g, b] = [indexed(red ?? '0'), indexed(green ?? '0'), indexed(blue ?? '0')];
  return r === undefined || g === undefined || b === undefined ? undefined : { r, g, b };
}
