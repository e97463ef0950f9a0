/** Bytes that are handed over at once: a terminal's own buffer is hardly larger. */
const PIECE = 16 * 1024;

/** What a person types and pastes, on its way to a program that takes it as fast as it can. */
export class InputQueue {
  readonly #send: (bytes: Uint8Array) => Promise<void>;
  readonly #waiting: Buffer[] = [];
  #isSending = false;
  #isOpen = false;
  #isOver = false;
  #end: (() => void) | undefined;

  /** @param send resolves when more may be sent; never rejects. */
  constructor(send: (bytes: Uint8Array) => Promise<void>) {
    this.#send = send;
  }

  /** Takes text; what comes before {@link start} waits. */
  push(text: string): void {
    if (this.#isOver || text === '') return;
    this.#waiting.push(Buffer.from(text, 'utf8'));
    if (this.#isOpen) void this.#work();
  }

  /** Calls `end` once all that was pushed has been sent. */
  end(end: () => void): void {
    this.#end = end;
    if (this.#isOpen) void this.#work();
  }

  /** From now on it is sent. */
  start(): void {
    this.#isOpen = true;
    void this.#work();
  }

  /** Nothing is sent any more, not even what waits. */
  stop(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
  }

  async #work(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    for (let next = this.#take(); next; next = this.#take()) await this.#send(next);
    this.#isSending = false;
    const end = this.#end;
    this.#end = undefined;
    if (!this.#isOver) end?.();
  }

  #take(): Buffer | undefined {
    const [first] = this.#waiting;
    if (!first || first.length <= PIECE) return this.#waiting.shift();
    this.#waiting[0] = first.subarray(PIECE);
    return first.subarray(0, PIECE);
  }
}
