import type { TerminalSize } from '../../engine/exec/exec.ts';
import type { Connection } from '../../engine/http/connection.ts';
import type { Container } from '../../engine/model.ts';
import { InputError } from '../../engine/errors.ts';
import type { Clock } from '../../base/time.ts';
import type { Screen } from './screen.ts';

/** The part of `vscode.Pseudoterminal` that is used here. */
export interface Pty {
  /** The output of the terminal and its close event. */
  readonly screen: Screen;
  /** Called when the terminal opens. @param size undefined until the terminal has been shown. */
  open(size: TerminalSize | undefined): void;
  /** Called when the user or VS Code closes the terminal. */
  close(): void;
  /** Called with typed or pasted text, and with replies of the terminal itself. */
  handleInput(text: string): void;
  setDimensions(size: TerminalSize): void;
}

/** The container of a terminal, with its current name. */
export type TerminalOwner = Pick<Container, 'id' | 'name'>;

export interface TerminalDependencies {
  readonly connection: Connection;
  /** For the pauses until the engine has recorded the exit. */
  readonly clock?: Clock;
}

/** The container was created without STDIN. It has only output, which its log shows. */
export class NoInputError extends InputError {}
