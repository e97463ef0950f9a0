import type { Verb } from '../inventory/activity.ts';
import type { L10n } from '../l10n.ts';
import { oneLine } from '../plainText.ts';

/** A tooltip's value of more characters than this is cut: labels and commands may be pages long. */
const VALUE_LIMIT = 400;

/** Between the parts of a description. */
export const SEPARATOR = ' · ';

/** One line of plain text: without what is not seen, and not too long. */
export function formatLine(text: string): string {
  return oneLine(text, VALUE_LIMIT);
}

/** Parts that are there, joined. */
export function joinParts(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(SEPARATOR);
}

/** The first twelve digits of an id, as engines' own tools show it. */
export function shortId(id: string): string {
  return id.replace(/^sha256:/, '').slice(0, 12);
}

/** An image name without the part that every image of Docker Hub's own has. */
export function familiarName(reference: string): string {
  return formatLine(reference).replace(/^docker\.io\/(library\/)?(?=[^/])/, '');
}

/** A reference as it was written; an id, which stands there if its tag was moved, in short. */
export function formatImageName(reference: string): string {
  return /^(sha256:)?[0-9a-f]{64}$/.test(reference) ? shortId(reference) : familiarName(reference);
}

const UNITS = ['kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** A size in decimal units with two significant digits or more: `4.3 MB`, `812 kB`. */
export function formatSize(bytes: number): string {
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

/** A moment in the user's own way of writing; empty if it is none. */
export function formatDateTime(moment: string): string {
  return formatLocal(moment, { dateStyle: 'medium', timeStyle: 'medium' });
}

/** The day of a moment, in the same way. */
export function formatDate(moment: string): string {
  return formatLocal(moment, { dateStyle: 'medium' });
}

function formatLocal(moment: string, format: Intl.DateTimeFormatOptions): string {
  const date = new Date(moment);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleString(undefined, format);
}

/** What a row says while something is being done to it. */
export function formatVerb(verb: Verb, l10n: L10n): string {
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
