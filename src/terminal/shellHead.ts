/**
 * The program that finds a shell. It says its process id first, which is the shell's afterwards, and waits for a line:
 * by then the terminal has its size. With a shell that is not there it says nothing and ends with 127.
 */
const FIND_SHELL = [
  'if [ -n "$1" ]; then command -v "$1" >/dev/null 2>&1 || exit 127; fi',
  'echo "$0:$$"; read -r go || exit 0',
  'if [ -n "$1" ]; then exec "$1"; fi',
  'command -v bash >/dev/null 2>&1 && exec bash',
  'exec sh',
].join('\n');

/** More than this before the word that was asked for is no head. */
const HEAD_LIMIT = 64 * 1024;

/** Reads the head of a shell's output, and hands on what comes after it. */
export class ShellHead {
  readonly #pattern: RegExp;
  #held = '';
  #pid: number | undefined;
  #isOver = false;

  /** @param mark letters, digits and hyphens. */
  constructor(mark: string) {
    this.#pattern = new RegExp(`(?:^|\\n)${mark}:(\\d+)\\r?\\n`);
  }

  /** The shell's process id in the container, once it is known. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /** What came instead of a head. */
  get held(): string {
    return this.#held;
  }

  /** What of this output is to be shown. */
  push(text: string): string {
    if (this.#isOver) return text;
    this.#held += text;
    if (this.#pid === undefined) this.#findPid();
    // The line that it waits for is echoed, and ends the head.
    const end = this.#pid === undefined ? -1 : this.#held.indexOf('\n');
    if (end < 0 && this.#held.length < HEAD_LIMIT) return '';
    this.#isOver = true;
    const rest = this.#held.slice(end + 1);
    this.#held = '';
    return rest;
  }

  #findPid(): void {
    const found = this.#pattern.exec(this.#held);
    if (!found) return;
    this.#pid = Number(found[1]);
    this.#held = this.#held.slice(found.index + found[0].length);
  }
}

/**
 * The command that becomes a shell: the one wanted, else bash, else sh.
 *
 * @param mark what the output begins with; told from everything else.
 */
export function shellCommand(mark: string, shell = ''): readonly string[] {
  return ['sh', '-c', FIND_SHELL, mark, shell];
}

/** What hangs up: the shell ends, and so does what it runs, as when a window is closed. */
export function hangUpCommand(pid: number): readonly string[] {
  return ['sh', '-c', 'kill -HUP "$0"', String(pid)];
}
