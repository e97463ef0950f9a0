import type { LogLine } from '../engine/model.ts';
import { coloredText } from '../logs/text/coloredText.ts';

/** Lines of a log as a terminal shows them: with their colors, and nothing else that drives it. */
export function terminalLines(lines: readonly LogLine[], withStamps: boolean): string {
  const text = lines.map((line) => {
    const stamp = withStamps ? `\x1b[2m${line.timestamp}\x1b[22m ` : '';
    return `${stamp}${coloredText(line.text)}\r\n`;
  });
  return text.join('');
}
