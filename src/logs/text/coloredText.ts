import { controlsIn } from '../../plainText.ts';
import { linkIn, sgrIn } from './ansiRuns.ts';
import { lastStateIn } from './visibleText.ts';

/** Of what a progress bar has overwritten, so much is looked through for the colors that still hold. */
const LONGEST_PAST = 10_000;
/** A longer list of colors and styles is none. */
const LONGEST_SGR = 100;
const RESET = '\x1b[0m';

/**
 * One line of a log with its colors, fit for a terminal. This is an allow-list: what comes out has the text that
 * `plainOf` tells, colors and styles, and links to web addresses that are written here. Of every other control nothing
 * is left, and the line leaves no color and no link open.
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
    // No log has a line end within a line.
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
    // Written anew, an address is letters, digits and marks alone.
    const href = address === undefined ? '' : new URL(address).href;
    this.#parts.push(`\x1b]8;;${href}\x07`);
  }
}
