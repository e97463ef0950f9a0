import type { LogLine } from '../engine/model.ts';

/**
 * Strings that tell a terminal something apart from the text: its title, the clipboard, where a command begins. A log
 * has no say in these; only links are kept (`8;`).
 */
// eslint-disable-next-line no-control-regex -- they begin and end with control characters
const STRINGS = /\x1b(?:\](?!8;)|[PX^_])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?/g;

/** A full reset, and the other screen that editors use: both would take the log off the screen. */
// eslint-disable-next-line no-control-regex -- they begin with a control character
const SCREENS = /\x1bc|\x1b\[\?(?:47|1047|1049)[hl]/g;

/** Lines of a log as a terminal shows them: with all their colours and cursor movements. */
export function terminalLines(lines: readonly LogLine[], withStamps: boolean): string {
  const text = lines.map((line) => {
    const stamp = withStamps ? `\x1b[2m${line.timestamp}\x1b[22m ` : '';
    return `${stamp}${line.text}\r\n`;
  });
  return text.join('').replace(STRINGS, '').replace(SCREENS, '');
}
