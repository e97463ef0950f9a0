import type { L10n } from '../l10n.ts';
import { oneLine, withoutIcons } from '../plainText.ts';

/** The parts of an item in a list to pick from that the editor would read icons in. */
interface Item {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

/** An item as it is handed to the editor: its texts are texts. */
export function formatItem<T extends Item>(item: T): T {
  const { label, description, detail } = item;
  return {
    ...item,
    label: formatItemText(label),
    ...(description !== undefined && { description: formatItemText(description) }),
    ...(detail !== undefined && { detail: formatItemText(detail) }),
  };
}

/** A text that becomes a part of an item which has icons of ours. */
export function formatItemText(text: string): string {
  return withoutIcons(oneLine(text));
}

/** A name of a container, an image or a file has as many characters at most in a sentence of ours. */
const NAME_LIMIT = 80;

/** Text that others wrote, as a part of a sentence of ours: one short line. */
export function formatName(text: string): string {
  return oneLine(text, NAME_LIMIT);
}

/** An explanation in sentences has as many characters at most in a question or a list. */
const REASON_LIMIT = 1000;

/** An explanation that others wrote, as the detail of a question or a part of a list: one line. */
export function formatReason(text: string): string {
  return oneLine(text, REASON_LIMIT);
}

/** The first of several sentences that others may have written, each one line, and how many more there are. */
export function formatMessages(sentences: readonly string[], l10n: L10n, limit = 5): string {
  const tell = (more: number): string => l10n.t('And {0} more.', more);
  return firstOf(sentences, limit, formatReason, tell).join(' ');
}

/** The first of several explanations, which may or may not be sentences, and how many more there are. */
export function formatReasons(reasons: readonly string[], l10n: L10n, limit = 5): string {
  const tell = (more: number): string => l10n.t('{0} more', more);
  return firstOf(reasons, limit, formatReason, tell).join(' · ');
}

/** The first of several lines, each bounded, and how many more there are. */
export function formatLines(lines: readonly string[], l10n: L10n, limit = 20): string {
  const tell = (more: number): string => l10n.t('And {0} more.', more);
  return firstOf(lines, limit, (line) => oneLine(line), tell).join('\n');
}

function firstOf(
  texts: readonly string[],
  limit: number,
  show: (text: string) => string,
  tell: (more: number) => string,
): readonly string[] {
  const shown = texts.slice(0, limit).map(show);
  const more = texts.length - limit;
  return more > 0 ? [...shown, tell(more)] : shown;
}

/** The first of several names, each one short line, and how many more there are. */
export function formatNames(names: readonly string[], l10n: L10n, limit = 12): string {
  const shown = names.slice(0, limit).map(formatName);
  const more = names.length - shown.length;
  if (more > 0) return l10n.t('{0} and {1} more', shown.join(', '), more);
  return shown.join(', ');
}
