/** Largest chunk to send, in bytes. The buffer of a terminal is hardly larger. */
const PIECE = 16 * 1024;

/** Queues typed and pasted input and sends it as fast as the program reads it. */
export class InputQueue {
  readonly #send: (bytes: Uint8Array) => Promise<void>;
  readonly #waiting: Buffer[] = [];
  #isSending = false;
  #isOpen = false;
  #isOver = false;
  #end: (() => void) | undefined;

  /** @param send resolves when more can be sent; never rejects. */
  constructor(send: (bytes: Uint8Array) => Promise<void>) {
    this.#send = send;
  }

  /** Adds text. Until {@link start} is called, it is only queued. */
  push(text: string): void {
    if (this.#isOver || text === '') return;
    this.#waiting.push(Buffer.from(text, 'utf8'));
    if (this.#isOpen) void this.#work();
  }

  /** Calls `end` once all queued text has been sent. */
  end(end: () => void): void {
    this.#end = end;
    if (this.#isOpen) void this.#work();
  }

  start(): void {
    this.#isOpen = true;
    void this.#work();
  }

  /** Stops sending and discards queued text. */
  stop(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
  }

  async #work(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    for (let next = this.#shift(); next; next = this.#shift()) await this.#send(next);
    this.#isSending = false;
    const end = this.#end;
    this.#end = undefined;
    if (!this.#isOver) end?.();
  }

  #shift(): Buffer | undefined {
    const [first] = this.#waiting;
    if (!first || first.length <= PIECE) return this.#waiting.shift();
    this.#waiting[0] = first.subarray(PIECE);
    return first.subarray(0, PIECE);
  }
}

/** The keys that edit a line. */
export const CTRL_C = '\x03';
export const CTRL_D = '\x04';
const BACKSPACE = '\b';
const CTRL_U = '\x15';
const DELETE = '\x7f';
const ERASE = '\b \b';

/**
 * A line editor for a container without a TTY, where nothing echoes or edits the input. Ctrl+U and Ctrl+C
 * discard the line; Ctrl+D on an empty line ends the input.
 */
export class LineInput {
  #line = '';

  /** Processes keys or pasted text. */
  type(text: string): TypedInput {
    let echo = '';
    let send = '';
    // Ignore cursor keys and other escape sequences.
    // oxlint-disable-next-line no-control-regex -- they begin with a control character
    const keys = text.replaceAll(/\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)?/g, '').replaceAll('\r\n', '\r');
    for (const key of keys) {
      if (key === CTRL_D && this.#line === '') return { echo, send, isEnd: true };
      if (key === '\r' || key === '\n') {
        echo += '\r\n';
        send += `${this.#line}\n`;
        this.#line = '';
      } else echo += this.#edit(key);
    }
    return { echo, send, isEnd: false };
  }

  #edit(key: string): string {
    if (key === DELETE || key === BACKSPACE) return this.#erase(1);
    if (key === CTRL_U || key === CTRL_C) return this.#erase(Infinity);
    // Ignore other control characters.
    if (key < ' ' && key !== '\t') return '';
    this.#line += key;
    return key;
  }

  #erase(count: number): string {
    const letters = Array.from(this.#line);
    const gone = Math.min(count, letters.length);
    this.#line = letters.slice(0, letters.length - gone).join('');
    return ERASE.repeat(gone);
  }
}

/** The result of processing keys: text to echo, lines to send, and whether the input has ended. */
interface TypedInput {
  readonly echo: string;
  readonly send: string;
  readonly isEnd: boolean;
}
