import * as l10n from '@vscode/l10n';

import { oneLine, withoutIcons } from '../../base/plainText.ts';

/**
 * Formats names, each as one line, and how many more there are.
 *
 * @param limit how many names to show as examples, each short. Default: every name that a question has room for, each
 *   in full, because a question names everything it is about.
 */
export function formatNames(names: readonly string[], limit?: number): string {
  const shown = limit === undefined ? fitting(names) : names.slice(0, limit).map(formatName);
  const more = names.length - shown.length;
  if (more > 0) return l10n.t('{0} and {1} more', shown.join(', '), more);
  return shown.join(', ');
}

/** Maximum number of characters of one list of names: a question with five of them is still shown in full. */
const LIST_LIMIT = 700;

/** Returns the first names that have room in a list, but at least one. */
function fitting(names: readonly string[]): readonly string[] {
  const shown: string[] = [];
  let length = 0;
  for (const name of names) {
    const line = oneLine(name);
    length += line.length + 2;
    if (shown.length > 0 && length > LIST_LIMIT) break;
    shown.push(line);
  }
  return shown;
}

/** Formats text as part of an item that has icons of ours: one line, without icons of its own. */
export function formatItemText(text: string): string {
  return withoutIcons(oneLine(text));
}

/** Maximum number of characters of a container, image or file name in one of our sentences. */
const NAME_LIMIT = 80;

/** Formats untrusted text as part of one of our sentences: one short line. */
export function formatName(text: string): string {
  return oneLine(text, NAME_LIMIT);
}

/** Maximum number of characters of an explanation in a question or a list. */
const REASON_LIMIT = 1000;

/** Formats an untrusted explanation as the detail of a question or as a list entry: one line. */
export function formatReason(text: string): string {
  return oneLine(text, REASON_LIMIT);
}

/** Formats the first of several sentences, each as one line, and how many more there are. */
export function formatMessages(sentences: readonly string[], limit = 5): string {
  const formatMore = (more: number): string => l10n.t('And {0} more.', more);
  return firstOf(sentences, limit, formatReason, formatMore).join(' ');
}

/** Formats the first of several explanations, which may not be full sentences, and how many more there are. */
export function formatReasons(reasons: readonly string[], limit = 5): string {
  const formatMore = (more: number): string => l10n.t('{0} more', more);
  return firstOf(reasons, limit, formatReason, formatMore).join(' · ');
}

/** Formats the first of several lines, each truncated, and how many more there are. */
export function formatLines(lines: readonly string[], limit = 20): string {
  const formatMore = (more: number): string => l10n.t('And {0} more.', more);
  return firstOf(lines, limit, (line) => oneLine(line), formatMore).join('\n');
}

function firstOf(
  texts: readonly string[],
  limit: number,
  show: (text: string) => string,
  formatMore: (more: number) => string,
): readonly string[] {
  const shown = texts.slice(0, limit).map(show);
  const more = texts.length - limit;
  return more > 0 ? [...shown, formatMore(more)] : shown;
}

/** Formats on which engine something is done, for a question; empty if there is only one engine. */
export function formatEngine({ titleOf, unit }: QuestionedEngine): string {
  return titleOf('') === '' ? '' : l10n.t('Engine: {0}.', formatName(unit.name));
}

interface QuestionedEngine {
  readonly titleOf: (name: string) => string;
  readonly unit: { readonly name: string };
}

/** Formats which containers use something; empty if none does. */
export function formatUsers(containers: readonly string[]): string {
  const [only] = containers;
  if (only === undefined) return '';
  if (containers.length === 1) return l10n.t('Used by container {0}.', formatName(only));
  const names = formatNames(containers, 3);
  return l10n.t('Used by {0} containers ({1}).', containers.length, names);
}

/** Formats what is not removed because containers use it; empty if there is nothing. */
export function formatUsed(names: readonly string[]): string {
  if (names.length === 0) return '';
  return l10n.t('Used by containers, not removed: {0}.', formatNames(names));
}

/** Returns a path for display, whole. */
export function formatPath(path: string): string {
  return oneLine(path, LONGEST_PATH);
}

/** In characters; no system has longer ones. */
const LONGEST_PATH = 4096;
