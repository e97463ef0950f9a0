import type { TerminalSize } from '../engine/containers/exec.ts';
import type { Event } from '../lifetime.ts';

/** The part of the editor's pseudoterminal that is used here. */
export interface Pty {
  readonly onDidWrite: Event<string>;
  /** With the exit code, where there is one: the editor tells all but 0. */
  readonly onDidClose: Event<number | undefined>;
  /** The terminal is there. @param size undefined until it has been shown. */
  open(size: TerminalSize | undefined): void;
  /** The person, or the editor, has closed it. */
  close(): void;
  /** What was typed, pasted, or answered by the terminal itself. */
  handleInput(text: string): void;
  setDimensions(size: TerminalSize): void;
}

/** Whose terminal. */
export interface TerminalOwner {
  readonly id: string;
  /** The container's name now. */
  readonly name: string;
}
