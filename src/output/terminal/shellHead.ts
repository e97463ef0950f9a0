/** Parses the head of a shell's output and passes on the rest. */
export class ShellHead {
  readonly #pattern: RegExp;
  #held = '';
  #pid: number | undefined;
  #isOver = false;

  /** @param mark letters, digits, and hyphens. */
  constructor(mark: string) {
    this.#pattern = new RegExp(`(?:^|\\n)${mark}:(\\d+)\\r?\\n`);
  }

  /** The PID of the shell in the container, once known. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /** The output received instead of a head. */
  get held(): string {
    return this.#held;
  }

  /** Returns the part of the output to show. */
  push(text: string): string {
    if (this.#isOver) return text;
    this.#held += text;
    if (this.#pid === undefined) this.#findPid();
    // The line that the script waits for is echoed and ends the head.
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

/** If the marker does not appear within this many characters, there is no head. */
const HEAD_LIMIT = 64 * 1024;
