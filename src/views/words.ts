import type { Verb } from '../inventory/activity.ts';
import type { L10n } from '../l10n.ts';
import { oneLine } from '../plainText.ts';

/**
 * A label of more characters than this is shortened in the middle. A row has some 220 pixels for its text
 * while the side bar has its default width: room for so many, and for what tells a state from the others
 * ("unhealthy", "Exited (1") behind them.
 */
export const BESIDE_STATE = 20;
/** The same for a label with nothing behind it that must be read. */
export const ALONE = 30;
/** A tooltip's value of more characters than this is cut: labels and commands may be pages long. */
const VALUE_LIMIT = 400;

/** Between the parts of a description. */
export const SEPARATOR = ' · ';

/** Keeps the beginning and the end of a long name, for names that belong together differ there. */
export function shorten(name: string, limit: number): string {
  const letters = Array.from(name);
  if (letters.length <= limit) return name;
  const tail = Math.floor((limit - 1) / 2);
  return `${letters.slice(0, limit - 1 - tail).join('')}…${letters.slice(-tail).join('')}`;
}

/** One line of plain text: without what is not seen, and not too long. */
export function plain(text: string): string {
  return oneLine(text, VALUE_LIMIT);
}

/** Parts that are there, joined. */
export function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(SEPARATOR);
}

/** The first twelve digits of an id, as engines' own tools show it. */
export function shortId(id: string): string {
  return id.replace(/^sha256:/, '').slice(0, 12);
}

/** A reference as it was written; an id, which stands there where its name moved on, in short. */
export function imageWords(reference: string): string {
  return /^(sha256:)?[0-9a-f]{64}$/.test(reference) ? shortId(reference) : plain(reference);
}

const UNITS = ['kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** A size in decimal units with two significant digits or more: `4.3 MB`, `812 kB`. */
export function sizeWords(bytes: number): string {
  if (!(bytes >= 1000)) return `${Math.max(0, Math.round(bytes) || 0)} B`;
  let value = bytes;
  let unit = -1;
  // Rounded up to 1000 it reads better as 1.0 of the next unit.
  while (unit < 0 || (value >= 999.5 && unit < UNITS.length - 1)) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${UNITS[unit] ?? ''}`;
}

/** A moment in the person's own way of writing; empty where it is none. */
export function momentWords(moment: string): string {
  const date = new Date(moment);
  return Number.isNaN(date.getTime())
    ? ''
    : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

/** What a row says while something is being done to it. */
export function verbWords(verb: Verb, l10n: L10n): string {
  switch (verb) {
    case 'starting':
      return l10n.t('starting…');
    case 'stopping':
      return l10n.t('stopping…');
    case 'restarting':
      return l10n.t('restarting…');
    case 'killing':
      return l10n.t('killing…');
    case 'pausing':
      return l10n.t('pausing…');
    case 'unpausing':
      return l10n.t('unpausing…');
    case 'renaming':
      return l10n.t('renaming…');
    case 'removing':
      return l10n.t('removing…');
    case 'saving':
      return l10n.t('saving…');
    case 'committing':
      return l10n.t('committing…');
  }
}
