import type { LogLine } from '../engine/model.ts';
import type { L10n } from '../l10n.ts';
import { markerMessage, type LogMarker } from '../logs/follow/logMarker.ts';
import { lastState } from '../logs/text/visibleText.ts';
import { withoutControls } from '../plainText.ts';

/** In front of a line that was written to the standard error. */
const STDERR_MARK = '[stderr] ';

/** What stands before the first bracket where a mark or a marker may begin: what nobody sees, or a time stamp. */
const FIRST_BRACKET = /^(?:[^!-~]*|\d{4}-\d\d-\d\dT\S{1,40} )\[/;
/** Where it goes on as our mark does, and where as a marker does: the grammar colors them by the same forms. */
const LIKE_MARK = /^stderr\](?:\s|$)/;
const LIKE_MARKER = /^[^[\]]{1,2000}\.\]$/;
const HIDDEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu;

/**
 * Lines as they are appended, each with its line end, those of the standard error with a mark.
 *
 * @param withStamps the engine's time stamps in front.
 */
export function logText(lines: readonly LogLine[], withStamps: boolean, l10n: L10n): string {
  const failed = markerMessage({ kind: 'failed', words: '' }, l10n);
  const text = lines.map(({ source, timestamp, text: line }) => {
    const said = lastState(line);
    const marked = source === 'stderr' ? STDERR_MARK + said : unlikeOurs(said, failed);
    return `${withStamps ? `${timestamp} ` : ''}${marked}\n`;
  });
  return withoutControls(text.join(''));
}

/** A line that a user could take for our mark or for a marker gets a backslash before its bracket. */
function unlikeOurs(line: string, failed: string): string {
  if (!line.includes('[')) return line;
  const text = withoutControls(line);
  const [before] = FIRST_BRACKET.exec(text) ?? [];
  if (before === undefined) return line;
  const seen = text.slice(before.length).replace(HIDDEN, '').trimEnd();
  const isAlike = LIKE_MARK.test(seen) || LIKE_MARKER.test(seen) || seen.startsWith(failed);
  return isAlike ? `${before.slice(0, -1)}\\[${text.slice(before.length)}` : line;
}

/** A marker as a line of its own, in brackets, for all around it is the container's. */
export function markerText(marker: LogMarker, l10n: L10n): string {
  return `[${markerMessage(marker, l10n)}]\n`;
}

/** What a channel begins with whose oldest lines were left out. `lines`: how many. */
export function omittedLinesText(lines: number, l10n: L10n): string {
  const sentence =
    lines === 1
      ? l10n.t('1 older line was left out here. Open Log Viewer shows it.')
      : l10n.t('{0} older lines were left out here. Open Log Viewer shows them.', lines);
  return `[${sentence}]\n`;
}
