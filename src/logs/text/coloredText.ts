import { controlsIn } from '../../base/plainText.ts';
import { linkIn, sgrIn } from './ansiRuns.ts';
import { lastStateIn } from './visibleText.ts';

/** Number of characters overwritten by a progress bar that are searched for colors that still apply. */
const LONGEST_PAST = 10_000;
/** A longer parameter list is not a valid style sequence. */
const LONGEST_SGR = 100;
const RESET = '\x1b[0m';

/**
 * Returns one line of a log with its colors, safe for a terminal. This is an allow-list: the result has the
 * visible text, colors and styles, and links to web addresses, which are rewritten. All other control
 * sequences are removed, and no color or link stays open after the line.
 */
export function coloredText(text: string): string {
  const { start, end } = lastStateIn(text);
  const line = new ColoredLine();
  for (const [control] of controlsIn(text.slice(Math.max(0, start - LONGEST_PAST), start)))
    line.control(control);
  const shown = text.slice(start, end);
  let at = 0;
  for (const { 0: control, index } of controlsIn(shown)) {
    line.text(shown.slice(at, index));
    line.control(control);
    at = index + control.length;
  }
  line.text(shown.slice(at));
  return line.end();
}

class ColoredLine {
  readonly #parts: string[] = [];
  #hasColor = false;
  #hasLink = false;

  text(text: string): void {
    // No line of a log contains a line end.
    this.#parts.push(text.replaceAll('\n', ''));
  }

  control(control: string): void {
    const parameters = sgrIn(control);
    if (parameters !== undefined && parameters.length <= LONGEST_SGR) {
      this.#hasColor = parameters !== '' && parameters !== '0';
      this.#parts.push(`\x1b[${parameters}m`);
    } else if (control.startsWith('\x1b]8;')) this.#link(linkIn(control.slice(4)));
  }

  end(): string {
    this.#link(undefined);
    if (this.#hasColor) this.#parts.push(RESET);
    return this.#parts.join('');
  }

  #link(address: string | undefined): void {
    if (address === undefined && !this.#hasLink) return;
    this.#hasLink = address !== undefined;
    // A serialized URL consists of letters, digits and punctuation only.
    const href = address === undefined ? '' : new URL(address).href;
    this.#parts.push(`\x1b]8;;${href}\x07`);
  }
}
