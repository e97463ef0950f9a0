import * as l10n from '@vscode/l10n';
import type { Pty } from './pty.ts';
import { Screen } from './screen.ts';

/**
 * What is left of a shell that ended with an earlier window. It takes no text, and stays until it is closed: what is
 * typed must not reach the shell of the editor that would come to the front.
 */
export class EndedTerminal implements Pty {
  readonly screen = new Screen();
  readonly #sentence: string;
  readonly #reopen: () => unknown;

  /** @param sentence what has ended. */
  constructor(sentence: string, reopen: () => unknown) {
    this.#sentence = sentence;
    this.#reopen = reopen;
  }

  open(): void {
    this.screen.showMessage(this.#sentence);
    this.screen.showMessage(l10n.t('Press Enter to open a new shell.'));
  }

  close(): void {
    this.screen.dispose();
  }

  handleInput(text: string): void {
    if (text === '\r') this.#reopen();
  }

  setDimensions(): void {
    // The sentences are wrapped by the terminal.
  }
}
