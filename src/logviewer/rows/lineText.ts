import { isGantryLine, type StoredLine } from '../../logs/store/storedLine.ts';
import { coloredText } from '../../logs/text/coloredText.ts';
import { visibleText } from '../../logs/text/visibleText.ts';

/** A line as it stands in a file or a document, its end included. */
export function lineText(line: StoredLine, options: LineTextOptions): string {
  const { withColors, withTimes, nameOf } = options;
  const time = withTimes && line.timestamp !== '' ? `${line.timestamp} ` : '';
  const name = nameOf ? `${nameOf(line.member)} | ` : '';
  const text = withColors ? coloredText(line.text) : visibleText(line.text);
  return `${time}${name}${isGantryLine(line.kind) ? `[${text}]` : text}\n`;
}

/** What stands in front of each line of a text. */
export interface LineTextOptions {
  /** Whether colors and links stay. */
  readonly withColors: boolean;
  /** Whether each line begins with its moment. */
  readonly withTimes: boolean;
  /** The name that each line begins with; left out where there is only one container. */
  readonly nameOf?: (member: number) => string;
}

/** How many lines a text has. */
export function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
