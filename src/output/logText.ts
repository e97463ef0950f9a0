import type { LogLine } from '../engine/model.ts';
import type { L10n } from '../l10n.ts';
import { remarkSentence, type Remark } from '../logs/remark.ts';
import { lastState } from '../logs/text/plain.ts';
import { withoutControls } from '../plainText.ts';

/** In front of a line that was written to the standard error. */
const STDERR_MARK = '[stderr] ';

/**
 * Lines as they are appended, each with its line end, those of the standard error with a mark.
 *
 * @param withStamps the engine's time stamps in front.
 */
export function logText(lines: readonly LogLine[], withStamps: boolean): string {
  const text = lines.map(({ source, timestamp, text: line }) => {
    const mark = source === 'stderr' ? STDERR_MARK : '';
    return `${withStamps ? `${timestamp} ` : ''}${mark}${lastState(line)}\n`;
  });
  return withoutControls(text.join(''));
}

/** A remark as a line of its own, in brackets, for all around it is the container's. */
export function remarkText(remark: Remark, l10n: L10n): string {
  return `[${remarkSentence(remark, l10n)}]\n`;
}

/** What a channel begins with whose oldest lines were left out. `lines`: how many. */
export function leftOutText(lines: number, l10n: L10n): string {
  const sentence =
    lines === 1
      ? l10n.t('1 older line was left out here. Open Log Viewer shows it.')
      : l10n.t('{0} older lines were left out here. Open Log Viewer shows them.', lines);
  return `[${sentence}]\n`;
}
