import type { AnsiRun } from '../../logs/text/ansiRuns.ts';
import type { AnsiColor, AnsiStyle } from '../../logs/text/ansiStyles.ts';
import type { TextRange } from '../../logs/text/visibleText.ts';
import type { RowRun } from '../protocol.ts';

/**
 * A line in its looks, cut where links and matches begin and end.
 *
 * @param links in order, without overlaps.
 * @param matches in order, without overlaps.
 */
export function rowRuns(
  runs: readonly AnsiRun[],
  links: readonly LinkRange[],
  matches: readonly TextRange[],
): readonly RowRun[] {
  const cuts = cutsOf(links, matches);
  const made: RowRun[] = [];
  let [at, cut] = [0, 0];
  for (const { text, style } of runs) {
    const end = at + text.length;
    const look = lookOf(style);
    let start = at;
    while (start < end) {
      while ((cuts[cut] ?? Infinity) <= start) cut++;
      const stop = Math.min(end, cuts[cut] ?? Infinity);
      made.push({
        text: text.slice(start - at, stop - at),
        ...look,
        ...marksAt(start, links, matches),
      });
      start = stop;
    }
    at = end;
  }
  return made;
}

/** A range that a click on leads somewhere. */
export interface LinkRange extends TextRange {
  readonly index: number;
  readonly title: string;
}

function cutsOf(...ranges: readonly (readonly TextRange[])[]): readonly number[] {
  const places = ranges.flat().flatMap(({ start, end }) => [start, end]);
  return [...new Set(places)].sort((a, b) => a - b);
}

function marksAt(
  at: number,
  links: readonly LinkRange[],
  matches: readonly TextRange[],
): Pick<RowRun, 'link' | 'isMatch'> {
  const holds = ({ start, end }: TextRange): boolean => start <= at && at < end;
  const link = links.find(holds);
  return {
    ...(link && { link: { index: link.index, title: link.title } }),
    ...(matches.some(holds) && { isMatch: true as const }),
  };
}

function lookOf(style: AnsiStyle | undefined): Pick<RowRun, 'fg' | 'bg' | 'look'> {
  if (!style) return {};
  // The page knows no letters in the colour of the ground: white on black stands for that.
  const [fg, bg] = style.inverse ? [style.bg ?? 0, style.fg ?? 7] : [style.fg, style.bg];
  const look = LOOKS.map(([name, letter]) => (style[name] ? letter : '')).join('');
  return {
    ...(fg !== undefined && { fg: colorOf(fg) }),
    ...(bg !== undefined && { bg: colorOf(bg) }),
    ...(look !== '' && { look }),
  };
}

const LOOKS = [
  ['bold', 'b'],
  ['dim', 'd'],
  ['italic', 'i'],
  ['underline', 'u'],
  ['strike', 's'],
] as const;

function colorOf(color: AnsiColor): number | string {
  if (typeof color === 'number') return color;
  const hex = (part: number): string => part.toString(16).padStart(2, '0');
  return `#${hex(color.r)}${hex(color.g)}${hex(color.b)}`;
}
