import * as l10n from '@vscode/l10n';
import type { ServiceWait, Verb } from '../inventory/activity.ts';
import { oneLine } from '../base/plainText.ts';

/** Tooltip values are truncated after this many characters, because labels and commands can be very long. */
const VALUE_LIMIT = 400;

/** Separator between the parts of a description. */
const SEPARATOR = ' · ';

/** Returns the text as one line, without invisible characters, truncated if it is too long. */
export function formatLine(text: string): string {
  return oneLine(text, VALUE_LIMIT);
}

/** Joins the non-empty parts of a description. */
export function joinParts(...parts: readonly (string | undefined)[]): string {
  return joined(parts, SEPARATOR);
}

/** Joins the non-empty parts of a text for screen readers. */
export function joinSpoken(...parts: readonly (string | undefined)[]): string {
  return joined(parts, ', ');
}

function joined(parts: readonly (string | undefined)[], separator: string): string {
  return parts.filter((part) => part !== undefined && part !== '').join(separator);
}

/** Returns the first twelve digits of an ID, as Docker and Podman show it. */
export function shortId(id: string): string {
  return id.replace(/^sha256:/, '').slice(0, 12);
}

/** Returns an image name without `docker.io/` and `library/`. */
export function familiarName(reference: string): string {
  return formatLine(reference).replace(/^docker\.io\/(library\/)?(?=[^/])/, '');
}

/**
 * Returns a familiar image name, without the default tag, which only some engines report. An ID is shortened; engines
 * report an ID if the tag was moved to another image.
 */
export function formatImageName(reference: string): string {
  return /^(sha256:)?[0-9a-f]{64}$/.test(reference)
    ? shortId(reference)
    : familiarName(reference).replace(/:latest$/, '');
}

const UNITS = ['kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Formats a size in decimal units with at least two significant digits: `4.3 MB`, `812 kB`. */
export function formatSize(bytes: number): string {
  if (!(bytes >= 1000)) return `${Math.max(0, Math.round(bytes) || 0)} B`;
  let value = bytes;
  let unit = -1;
  // A value that would be rounded up to 1000 is shown as 1.0 of the next unit.
  while (unit < 0 || (value >= 999.5 && unit < UNITS.length - 1)) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${UNITS[unit] ?? ''}`;
}

/** Formats a date and time in the user's locale; empty if the timestamp is invalid. */
export function formatDateTime(moment: string): string {
  return formatLocal(moment, { dateStyle: 'medium', timeStyle: 'medium' });
}

/** Formats a date in the user's locale; empty if the timestamp is invalid. */
export function formatDate(moment: string): string {
  return formatLocal(moment, { dateStyle: 'medium' });
}

function formatLocal(moment: string, format: Intl.DateTimeFormatOptions): string {
  const date = new Date(moment);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleString(undefined, format);
}

const VERBS: Readonly<Record<Verb, () => string>> = {
  starting: () => l10n.t('starting...'),
  waiting: () => l10n.t('waiting...'),
  stopping: () => l10n.t('stopping...'),
  restarting: () => l10n.t('restarting...'),
  recreating: () => l10n.t('recreating...'),
  killing: () => l10n.t('killing...'),
  pausing: () => l10n.t('pausing...'),
  unpausing: () => l10n.t('unpausing...'),
  renaming: () => l10n.t('renaming...'),
  removing: () => l10n.t('removing...'),
  saving: () => l10n.t('saving...'),
  committing: () => l10n.t('committing...'),
  importing: () => l10n.t('importing...'),
  copying: () => l10n.t('copying...'),
  emptying: () => l10n.t('emptying...'),
};

/** Returns the description of a row with an operation in progress; empty without one. */
export function formatVerb(verb: Verb | undefined): string {
  return verb === undefined ? '' : VERBS[verb]();
}

/** Returns the description of the row of a container that is started after another service. */
export function formatWait({ service, condition }: ServiceWait): string {
  const name = formatLine(service);
  if (condition === 'healthy') return l10n.t('waiting for {0} to be healthy', name);
  return condition === 'completed'
    ? l10n.t('waiting for {0} to complete', name)
    : l10n.t('waiting for {0} to start', name);
}

export function formatContainerCount(count: number): string {
  return count === 1 ? l10n.t('1 container') : l10n.t('{0} containers', count);
}

/** Formats the number of visible and existing rows, and the filter. */
export function formatCount({
  shown,
  all,
  filter = '',
}: {
  shown: number;
  all: number;
  filter?: string;
}): string {
  const count = shown === all ? String(all) : l10n.t('{0} of {1}', shown, all);
  // The filter first: the buttons of the title leave little room.
  return joinParts(filter === '' ? '' : `“${formatLine(filter)}”`, all === 0 ? '' : count);
}

/** Formats a share, which of processors may be more than 100%: `0.4%`, `12%`, `250%`. */
export function formatPercent(percent: number): string {
  const text = percent < 9.95 ? percent.toFixed(1) : percent.toFixed(0);
  return `${text === '0.0' ? '0' : text}%`;
}
