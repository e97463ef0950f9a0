/** Ctrl+]. The usual keys would open a file and quit the editor. */
const KEY = '\x1d';

/** Hears, in what is typed, Ctrl+] pressed twice in a row. Not every engine does, so it is done here. */
export class DetachKeys {
  #isHeld = false;

  /** What is to be sent, and whether the person wants to be detached. The first of the two keys waits for the next. */
  take(text: string): { readonly send: string; readonly isDetached: boolean } {
    const all = this.#isHeld ? KEY + text : text;
    this.#isHeld = false;
    if (all === KEY + KEY) return { send: '', isDetached: true };
    if (!all.endsWith(KEY) || text.length > 1) return { send: all, isDetached: false };
    this.#isHeld = true;
    return { send: all.slice(0, -1), isDetached: false };
  }
}
