import { controlsIn, withoutControls } from '../../plainText.ts';
import { AnsiStyles, penOf, type AnsiStyle, type Pen } from './ansiStyles.ts';
import { lastStateIn } from './visibleText.ts';
import { applySgr } from './applySgr.ts';
import { webAddress } from './webAddress.ts';

/**
 * Reads colours and other looks of one line. Of all other escape sequences nothing is left: the texts of the
 * runs together are what `plainOf` says. Neighbours differ in their style, and none is empty.
 *
 * @param before what the line before said of the look of this one.
 * @param styles where style objects are shared over many lines.
 */
export function ansiRuns(text: string, before?: AnsiStyle, styles = new AnsiStyles()): AnsiLine {
  const { start, end } = lastStateIn(text);
  const pen = penOf(before);
  skim(text.slice(Math.max(0, start - STYLED_LIMIT), start), pen);
  const runs: AnsiRun[] = [];
  if (!paint(text.slice(start, end), pen, styles, runs)) return { runs, after: undefined };
  skim(text.slice(end, end + STYLED_LIMIT), pen);
  return { runs, after: styles.of(pen) };
}

/** A piece of a line in one look; undefined is the usual one. */
export interface AnsiRun {
  readonly text: string;
  readonly style: AnsiStyle | undefined;
}

/** A line in its looks, and the look that the next line begins with. */
export interface AnsiLine {
  readonly runs: readonly AnsiRun[];
  readonly after: AnsiStyle | undefined;
}

/** Past so many characters a line has no look any more. */
const STYLED_LIMIT = 100_000;

/** Only takes the looks from a text that is not shown. */
function skim(text: string, pen: Pen): void {
  if (text === '') return;
  for (const [control] of controlsIn(text)) apply(control, pen);
}

/** Fills `runs`. @returns false where the text is so long that its end was left without a look. */
function paint(text: string, pen: Pen, styles: AnsiStyles, runs: AnsiRun[]): boolean {
  let [at, open, style] = [0, '', styles.of(pen)];
  const finish = (): void => {
    if (open !== '') runs.push({ text: open, style });
    open = '';
  };
  for (const { 0: control, index } of controlsIn(text)) {
    open += text.slice(at, index);
    at = index;
    if (index >= STYLED_LIMIT) break;
    at += control.length;
    apply(control, pen);
    const next = styles.of(pen);
    if (next === style) continue;
    finish();
    style = next;
  }
  const isWhole = at < STYLED_LIMIT;
  open += isWhole ? text.slice(at) : withoutControls(text.slice(at));
  finish();
  return isWhole;
}

function apply(control: string, pen: Pen): void {
  const parameters = sgrIn(control);
  if (parameters !== undefined) applySgr(parameters, pen);
  else if (control.startsWith('\u001b]8;')) pen.link = linkIn(control.slice(4));
}

/** The parameters of a control sequence that sets colors and styles; undefined of any other one. */
export function sgrIn(control: string): string | undefined {
  const start = control.startsWith('\u009b') ? 1 : 2;
  if (!control.endsWith('m') || (start === 2 && !control.startsWith('\u001b['))) return undefined;
  const parameters = control.slice(start, -1);
  return /^[\d:;]*$/.test(parameters) ? parameters : undefined;
}

/** The address of a link: of `parameters;address` and a terminator. Undefined where it ends one, or leads nowhere. */
export function linkIn(command: string): string | undefined {
  const end = command.endsWith('\u001b\\') ? -2 : -1;
  return webAddress(command.slice(command.indexOf(';') + 1, end));
}
