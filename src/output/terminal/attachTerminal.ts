import * as l10n from '@vscode/l10n';
import type { Connection } from '../../engine/http/connection.ts';
import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { InputError, isRefusal } from '../../engine/errors.ts';
import { attachContainer, resizeContainer } from '../../engine/containers/attachContainer.ts';
import { NO_DETACH_KEYS, type TerminalSize } from '../../engine/exec/exec.ts';
import { ExitTracker } from '../../engine/containers/exitTracker.ts';
import type { DuplexStream } from '../../engine/http/duplexStream.ts';
import { monotonicClock, settledWithin, type Clock } from '../../base/time.ts';
import { InputQueue, LineInput } from './inputQueue.ts';
import { outputText } from './outputText.ts';
import { NoInputError, type Pty, type TerminalDependencies, type TerminalOwner } from './pty.ts';
import { Screen, typedText } from './screen.ts';
import { Sizer } from './sizer.ts';
import { connectionEndMessage, terminalFailureMessage } from './terminalFailureMessage.ts';

const LOOK_MS = 150;
const MOST_LOOKS = 20;
const REDRAW_MS = 1000;

/**
 * A terminal attached to the stdin and stdout of a container's main process. Closing the terminal detaches;
 * the container keeps running.
 */
export class AttachTerminal implements Pty {
  readonly #owner: TerminalOwner;
  readonly #details: ContainerDetails;
  readonly #connection: Connection;
  readonly screen: Screen;
  readonly #input: InputQueue;
  readonly #clock: Clock;
  readonly #sizer: Sizer;
  readonly #line: LineInput | undefined;
  readonly #keys = new DetachKeys();
  readonly #controller = new AbortController();
  #size: TerminalSize | undefined;
  #twoWay: DuplexStream | undefined;

  /** @param details must have passed {@link checkAttachable}. */
  constructor(owner: TerminalOwner, details: ContainerDetails, parts: TerminalDependencies) {
    this.#owner = owner;
    this.#details = details;
    this.#connection = parts.connection;
    this.#clock = parts.clock ?? monotonicClock;
    this.screen = new Screen();
    this.#line = details.hasTty ? undefined : new LineInput();
    this.#input = new InputQueue(async (bytes) => this.#twoWay?.write(bytes));
    this.#sizer = new Sizer((size) => resizeContainer(this.#connection, owner.id, size));
  }

  open(size: TerminalSize | undefined): void {
    this.#size = size;
    void this.#run();
  }

  close(): void {
    this.#input.stop();
    this.#sizer.stop();
    this.screen.dispose();
    this.#controller.abort();
  }

  handleInput(input: string): void {
    const text = typedText(input);
    if (this.screen.handleKey(text)) return;
    if (!this.#line) {
      const { send, isDetached } = this.#keys.process(text);
      this.#input.push(send);
      // VS Code closes the terminal, which detaches.
      if (isDetached) this.screen.close();
      return;
    }
    const { echo, send, isEnd } = this.#line.type(text);
    void this.screen.write(echo);
    this.#input.push(send);
    // End the input after the text typed before, which may still be queued.
    if (isEnd) this.#input.end(() => this.#twoWay?.end());
  }

  setDimensions(size: TerminalSize): void {
    this.#size = size;
    if (this.#details.hasTty) this.#sizer.set(size);
  }

  async #run(): Promise<void> {
    try {
      await this.#session();
      await this.#finish();
    } catch (error) {
      if (!this.#controller.signal.aborted) this.screen.closeAfter(this.#messageFor(error));
    } finally {
      this.#input.stop();
      this.#sizer.stop();
    }
  }

  async #session(): Promise<void> {
    const { hasTty } = this.#details;
    const options = { wantsInput: true, detachKeys: hasTty ? NO_DETACH_KEYS : undefined };
    const { signal } = this.#controller;
    this.#twoWay = await attachContainer(this.#connection, this.#owner.id, options, signal);
    this.screen.showMessage(this.#greeting(this.#twoWay.acceptsInput));
    // Send input only after the redraw, so that it reaches the redrawn screen. Do not let a slow engine block input.
    const ready = hasTty && settledWithin(REDRAW_MS, this.#redraw(), { signal });
    void Promise.resolve(ready).then(this.#input.start.bind(this.#input), () => undefined);
    const text = outputText(hasTty);
    for await (const chunk of this.#twoWay.output) await this.screen.write(text(chunk));
  }

  /** Makes the program redraw its screen, which it does only if the terminal size changes. */
  async #redraw(): Promise<void> {
    const size = this.#size;
    if (size) this.#sizer.set({ ...size, rows: size.rows + 1 });
    await this.#sizer.start();
    this.#sizer.set(this.#size);
    await this.#sizer.start();
  }

  #greeting(acceptsInput: boolean): string {
    const { name } = this.#owner;
    if (!acceptsInput)
      return l10n.t(
        'Attached to {0}, but a proxy or firewall between VS Code and the engine blocks terminal input.',
        name,
      );
    if (this.#details.hasTty)
      return l10n.t(
        'Attached to {0}. To detach, close the terminal or press Ctrl+] twice. The container keeps running.',
        name,
      );
    return this.#details.inputEndsWithFirst
      ? l10n.t('Attached to {0}. Closing the terminal closes STDIN of the container.', name)
      : l10n.t(
          'Attached to {0}. To detach, close the terminal. The container keeps running.',
          name,
        );
  }

  async #finish(): Promise<void> {
    const { signal } = this.#controller;
    // The output ends with the process. The engine records the exit a little later.
    const end = new ExitTracker();
    end.see(this.#details);
    for (let look = 0; look < MOST_LOOKS; look++) {
      const now = await inspectContainer(this.#connection, this.#owner.id, signal);
      if (end.isKnown(now) || now.startedAt !== this.#details.startedAt) {
        this.screen.closeAfter(this.#exitMessage(now));
        return;
      }
      await this.#clock.delay(LOOK_MS, signal);
    }
    this.screen.close();
  }

  #exitMessage({ isRunning, exitCode }: ContainerDetails): string {
    const { name } = this.#owner;
    return isRunning
      ? l10n.t('Container {0} was restarted.', name)
      : l10n.t('Container {0} exited with code {1}.', name, exitCode);
  }

  #messageFor(error: unknown): string {
    const { name } = this.#owner;
    const common = terminalFailureMessage(error, name);
    if (common !== undefined) return common;
    return isRefusal(error) && error.engineMessage !== undefined
      ? l10n.t('Could not attach to {0}: {1}', name, error.engineMessage)
      : l10n.t('{0} Container {1} keeps running.', connectionEndMessage(error), name);
  }
}

/**
 * Checks that a container can be attached to.
 *
 * @throws InputError that names what is missing, and what to do instead.
 */
export function checkAttachable(details: ContainerDetails, { name }: TerminalOwner): void {
  // A stopped container sends no response, and one engine would even initialize it to run again.
  if (!details.isRunning) {
    throw new InputError(l10n.t('{0} is not running. Start it to attach.', name));
  }
  if (!details.acceptsInput) {
    throw new NoInputError(
      l10n.t(
        '{0} was created without STDIN and takes no input. Open a shell or show its logs.',
        name,
      ),
    );
  }
}

/** Ctrl+]. The usual detach keys, Ctrl+P Ctrl+Q, would open Quick Open and quit VS Code. */
const KEY = '\x1d';

/** Detects Ctrl+] pressed twice in a row in the input. Done here because not all engines support it. */
export class DetachKeys {
  #isHeld = false;

  /** Returns the text to send and whether the user wants to detach. The first Ctrl+] is held until the next key. */
  process(text: string): { readonly send: string; readonly isDetached: boolean } {
    const all = this.#isHeld ? KEY + text : text;
    this.#isHeld = false;
    if (all === KEY + KEY) return { send: '', isDetached: true };
    if (!all.endsWith(KEY) || text.length > 1) return { send: all, isDetached: false };
    this.#isHeld = true;
    return { send: all.slice(0, -1), isDetached: false };
  }
}
