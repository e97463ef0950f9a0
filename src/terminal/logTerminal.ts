import {
  ContainerLog,
  type LogDependencies,
  type ContainerLogOptions,
} from '../logs/follow/containerLog.ts';
import type { LogSink } from '../logs/follow/logSink.ts';
import { markerMessage } from '../logs/follow/logMarker.ts';
import type { Event } from '../lifetime.ts';
import type { LogLine } from '../engine/model.ts';
import { coloredText } from '../logs/text/coloredText.ts';
import { settledWithin } from '../time.ts';
import type { Pty, TerminalOwner } from './pty.ts';
import { Screen } from './screen.ts';

/** Characters after which the terminal is asked how far it is: it throws away what it is too far behind with. */
const ASKED_AFTER = 1024 * 1024;
/** The question, and what every terminal answers to it. */
const [ARE_YOU_THERE, I_AM] = ['\x1b[5n', '\x1b[0n'];
/** A terminal that says nothing for so long is not there to be waited for. */
const LONGEST_WAIT_MS = 10_000;

/** One container's log in a terminal: read only, with its colours, over restarts. */
export class LogTerminal implements Pty {
  readonly #screen: Screen;
  readonly #log: ContainerLog;
  readonly #withStamps: boolean;
  #sinceAsked = 0;
  #onAnswer: (() => void) | undefined;
  #settleShown: () => void = () => undefined;
  readonly onDidWrite: Event<string>;
  readonly onDidClose: Event<number | undefined>;

  constructor(
    owner: TerminalOwner,
    view: FollowedLogOptions,
    parts: LogDependencies & { readonly screen?: Screen },
  ) {
    this.#screen = parts.screen ?? new Screen(parts.l10n);
    this.#withStamps = view.timestamps;
    ({ onDidWrite: this.onDidWrite, onDidClose: this.onDidClose } = this.#screen);
    const shown = new Promise<void>((resolve) => {
      this.#settleShown = resolve;
    });
    const sink: LogSink = {
      lines: async (lines) => {
        await shown;
        await this.#show(terminalLines(lines, this.#withStamps));
      },
      marker: async (marker) => {
        await shown;
        this.#screen.say(markerMessage(marker, parts.l10n));
      },
    };
    this.#log = new ContainerLog(owner.id, { ...view, follow: true }, sink, parts);
  }

  /** Whether the container is gone, so that no line will ever come. */
  get isOver(): boolean {
    return this.#log.isOver;
  }

  /** Asks for the log. It flows once the terminal is there. @throws EngineError where the engine refuses. */
  async start(): Promise<void> {
    await this.#log.open();
  }

  open(): void {
    this.#settleShown();
  }

  close(): void {
    this.#log.dispose();
    this.#settleShown();
    this.#onAnswer?.();
    this.#screen.dispose();
  }

  handleInput(text: string): void {
    if (text.includes(I_AM)) this.#onAnswer?.();
  }

  setDimensions(): void {
    // Nobody in the container looks at this terminal.
  }

  async #show(text: string): Promise<void> {
    await this.#screen.write(text);
    this.#sinceAsked += text.length;
    if (this.#sinceAsked < ASKED_AFTER) return;
    this.#sinceAsked = 0;
    await this.#untilRead();
  }

  /** Waits until the terminal has come as far as this. */
  async #untilRead(): Promise<void> {
    const answered = Promise.withResolvers<undefined>();
    this.#onAnswer = () => {
      answered.resolve(undefined);
    };
    const waiting = settledWithin(LONGEST_WAIT_MS, answered.promise);
    await this.#screen.write(ARE_YOU_THERE);
    await waiting;
    this.#onAnswer = undefined;
  }
}

/** Which part of a log is shown, and how. A terminal follows it always. */
export type FollowedLogOptions = Omit<ContainerLogOptions, 'follow'>;

/** Lines of a log as a terminal shows them: with their colors, and nothing else that drives it. */
export function terminalLines(lines: readonly LogLine[], withStamps: boolean): string {
  const text = lines.map((line) => {
    const stamp = withStamps ? `\x1b[2m${line.timestamp}\x1b[22m ` : '';
    return `${stamp}${coloredText(line.text)}\r\n`;
  });
  return text.join('');
}
