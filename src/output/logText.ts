import * as l10n from '@vscode/l10n';
import type { LogLine } from '../engine/model.ts';
import { markerMessage, type LogMarker } from '../logs/follow/logMarker.ts';
import { lastState } from '../logs/text/visibleText.ts';
import { withoutControls } from '../base/plainText.ts';

const STDERR_MARK = '[stderr] ';

/** Pattern of what may precede the first bracket of a mark or a marker: invisible characters or a timestamp. */
const FIRST_BRACKET = /^(?:[^!-~]*|\d{4}-\d\d-\d\dT\S{1,40} )\[/;
/** Patterns of how a mark and a marker continue. The grammar colors them by the same patterns. */
const LIKE_MARK = /^stderr\](?:\s|$)/;
const LIKE_MARKER = /^[^[\]]{1,2000}\.\]$/;
const HIDDEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu;

/** Formats lines for appending, each with its line end, those from stderr with a mark. */
export function logText(lines: readonly LogLine[], withStamps: boolean): string {
  const failed = markerMessage({ kind: 'failed', words: '' });
  const text = lines.map(({ source, timestamp, text: line }) => {
    const shown = lastState(line);
    const marked = source === 'stderr' ? STDERR_MARK + shown : unlikeOurs(shown, failed);
    return `${withStamps ? `${timestamp} ` : ''}${marked}\n`;
  });
  return withoutControls(text.join(''));
}

/** Escapes the bracket of a line that could be taken for a mark or a marker of Gantry with a backslash. */
function unlikeOurs(line: string, failed: string): string {
  if (!line.includes('[')) return line;
  const text = withoutControls(line);
  const [before] = FIRST_BRACKET.exec(text) ?? [];
  if (before === undefined) return line;
  const seen = text.slice(before.length).replace(HIDDEN, '').trimEnd();
  const isAlike = LIKE_MARK.test(seen) || LIKE_MARKER.test(seen) || seen.startsWith(failed);
  return isAlike ? `${before.slice(0, -1)}\\[${text.slice(before.length)}` : line;
}

/** Formats a marker as a line in brackets, to distinguish it from the container's lines. */
export function markerText(marker: LogMarker): string {
  return `[${markerMessage(marker)}]\n`;
}

/** Returns the first line of a channel whose oldest lines were dropped. `lines`: how many. */
export function omittedLinesText(lines: number): string {
  const sentence =
    lines === 1
      ? l10n.t('1 older line is not shown. Use Open Log Viewer to see it.')
      : l10n.t('{0} older lines are not shown. Use Open Log Viewer to see them.', lines);
  return `[${sentence}]\n`;
}
