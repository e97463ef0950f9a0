/**
 * Replaces paths of a container in its output by those of the files of this machine that they are. Everything else stays
 * as it is. What a program writes can make nothing but text of it, and only so many files are looked for.
 *
 * Text is passed on as it comes, but from the first path on only once its line ends, or it is asked for.
 */
export class PathMapper {
  readonly #targets: readonly string[];
  readonly #locate: Locate;
  /** From the first path on whose line has not ended. */
  #held = '';
  /** How often a file may still be looked for in the current text. */
  #triesLeft = 0;
  /** The end of the text that was passed on. */
  #before = '';

  /**
   * @param targets the paths in the container at or below which files are known.
   * @param locate resolves to the file of a path; undefined if there is none.
   */
  constructor(targets: readonly string[], locate: Locate) {
    this.#targets = [...new Set(targets)];
    this.#locate = locate;
  }

  /** Resolves to the next part of the text to show. Must not be called again before that. */
  async push(text: string): Promise<string> {
    const all = this.#held + text;
    const lines = Math.max(all.lastIndexOf('\n'), all.lastIndexOf('\r')) + 1;
    const ready = lines + this.#firstPath(all.slice(lines), lines === 0 ? this.#before : '');
    this.#held = all.slice(ready);
    const shown = await this.#replaced(all.slice(0, ready), true);
    return this.#held.length > LONGEST_HELD ? shown + (await this.#flush(false)) : shown;
  }

  /** Whether it holds back text. */
  get isHolding(): boolean {
    return this.#held !== '';
  }

  /** Resolves to what it holds back. A path at its end may go on, so it stays. */
  release(): Promise<string> {
    return this.#flush(false);
  }

  /** Resolves to the rest of the text, after the output has ended. */
  end(): Promise<string> {
    return this.#flush(true);
  }

  #flush(isWhole: boolean): Promise<string> {
    const held = this.#held;
    this.#held = '';
    return this.#replaced(held, isWhole);
  }

  /** Returns the position of the first text that is or may become a path; the length if there is none. */
  #firstPath(text: string, before: string): number {
    for (let at = text.indexOf('/'); at >= 0; at = text.indexOf('/', at + 1)) {
      const mayBecome = (target: string): boolean =>
        text.length - at < target.length && target.startsWith(text.slice(at));
      const isOne = this.#targets.some((one) => isBelow(text, at, one) || mayBecome(one));
      if (isOne && isStart(text, at, before)) return at;
    }
    return text.length;
  }

  /** @param isWhole whether the text ends where a path in it may end. */
  async #replaced(text: string, isWhole: boolean): Promise<string> {
    const before = this.#before;
    this.#triesLeft = LEAST_TRIES + text.length / CHARACTERS_PER_TRY;
    let shown = '';
    let from = 0;
    for (let at = text.indexOf('/'); at >= 0; at = text.indexOf('/', Math.max(at + 1, from))) {
      const isKnown = this.#targets.some((target) => isBelow(text, at, target));
      if (!isKnown || !isStart(text, at, before)) continue;
      this.#triesLeft -= 1;
      if (this.#triesLeft < 0) break;
      const found = await this.#find(text, at, isWhole);
      if (!found) continue;
      shown += text.slice(from, at) + found.file;
      from = found.end;
    }
    this.#before = (before + text.slice(-LONGEST_BEFORE)).slice(-LONGEST_BEFORE);
    return shown + text.slice(from);
  }

  /** Finds the shortest path from a position on that is a file. What follows it stays, also if it belonged to it. */
  async #find(text: string, at: number, isWhole: boolean): Promise<Found | undefined> {
    for (const end of endsOf(text, at, isWhole)) {
      this.#triesLeft -= 1;
      if (this.#triesLeft < 0) return undefined;
      const file = await this.#locate(text.slice(at, end));
      if (file !== undefined) return { file, end };
    }
    return undefined;
  }
}

type Locate = (path: string) => Promise<string | undefined>;

interface Found {
  readonly file: string;
  /** Where the path in the text ends. */
  readonly end: number;
}

/** More than this is not held back until the line ends. */
const LONGEST_HELD = 16 * 1024;
const LONGEST_PATH = 1024;
/** How much of the text before a path decides whether it is one. */
const LONGEST_BEFORE = 32;
/** The most ends of one path that are tried: a name can have spaces, colons and brackets. */
const MOST_ENDS = 12;
/** How often files are looked for in a text: lines with one path each have far fewer. */
const LEAST_TRIES = 100;
const CHARACTERS_PER_TRY = 10;

/** What may follow a path: also what a name can have. */
// oxlint-disable-next-line no-control-regex -- no name has these
const END = /[\x00-\x1f\x7f"'`<>|\s:,;()[\]{}!?*#&=@]|\.(?=\s)/g;
/** What is in no path. */
// oxlint-disable-next-line no-control-regex -- no name has these
const NEVER = /[\x00-\x1f\x7f"'`<>|]/;
/** What a path does not follow: the slash is in the middle of one, or of a URL. */
const INSIDE = /[\p{L}\p{N}_.~/\\%+@$*)\]}-]$/u;
const IN_NAME = /[\p{L}\p{N}_.~%+@$-]/u;
/** The end of a sequence of control characters, such as one that sets a color, or of the beginning of a URL. */
// oxlint-disable-next-line no-control-regex -- it begins with a control character
const OUTSIDE = /(?:\x1b\[[\d;:?]{0,24}[A-Za-z]|file:\/\/)$/;

/** Whether the text at this position is a path, or something in it, as far as it is there. */
function isBelow(text: string, at: number, path: string): boolean {
  return text.startsWith(path, at) && (path === '/' || !IN_NAME.test(text[at + path.length] ?? ''));
}

/** Whether a path may begin at this position. */
function isStart(text: string, at: number, before: string): boolean {
  const own = text.slice(Math.max(0, at - LONGEST_BEFORE), at);
  const all = at < LONGEST_BEFORE ? before + own : own;
  return !INSIDE.test(all) || OUTSIDE.test(all);
}

/** Returns where the path that begins at this position may end, nearest first. */
function* endsOf(text: string, at: number, isWhole: boolean): Iterable<number> {
  const rest = text.slice(at, at + LONGEST_PATH);
  let end = 0;
  for (let count = 0; count < MOST_ENDS; count++) {
    END.lastIndex = end + 1;
    end = END.exec(rest)?.index ?? rest.length;
    if (end === rest.length) break;
    yield at + end;
    if (NEVER.test(rest.charAt(end))) return;
  }
  if (!isWhole || at + end !== text.length) return;
  if (rest.endsWith('.')) yield text.length - 1;
  yield text.length;
}
