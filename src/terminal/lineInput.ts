/** Keys a line is edited by. */
const [CTRL_C, CTRL_D, BACKSPACE, CTRL_U, DELETE] = ['\x03', '\x04', '\b', '\x15', '\x7f'];
const ERASE = '\b \b';

/**
 * A line as it is typed, for a container without a terminal: nobody there shows what is typed, or takes it back. Ctrl+U
 * and Ctrl+C throw the line away; Ctrl+D in an empty one says that nothing more comes.
 */
export class LineInput {
  #line = '';

  /** What these keys, or this pasted text, come to. */
  type(text: string): TypedInput {
    let [echo, send] = ['', ''];
    // Cursor keys and their like have no meaning here.
    // eslint-disable-next-line no-control-regex -- they begin with a control character
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
    if (key === DELETE || key === BACKSPACE) return this.#takeBack(1);
    if (key === CTRL_U || key === CTRL_C) return this.#takeBack(Infinity);
    // Other controls stand for no letter.
    if (key < ' ' && key !== '\t') return '';
    this.#line += key;
    return key;
  }

  #takeBack(count: number): string {
    const letters = Array.from(this.#line);
    const gone = Math.min(count, letters.length);
    this.#line = letters.slice(0, letters.length - gone).join('');
    return ERASE.repeat(gone);
  }
}

/** What comes of keys: text to be shown at once, lines to be sent, and whether that was all. */
export interface TypedInput {
  readonly echo: string;
  readonly send: string;
  readonly isEnd: boolean;
}
