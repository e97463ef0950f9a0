import { attachContainer, resizeContainer } from '../engine/containers/attachContainer.ts';
import type { Connection } from '../engine/http/connection.ts';
import type { ContainerDetails } from '../engine/containers/containerDetails.ts';
import { containerInputOf } from '../engine/containers/containerInput.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import { EngineError, failedWith, InputError } from '../engine/errors.ts';
import type { TerminalSize } from '../engine/containers/exec.ts';
import { ExitTracker } from '../engine/containers/exitTracker.ts';
import type { DuplexStream } from '../engine/http/duplexStream.ts';
import type { L10n } from '../l10n.ts';
import type { Event } from '../lifetime.ts';
import { delay, settledWithin } from '../time.ts';
import { InputQueue } from './inputQueue.ts';
import { LineInput } from './lineInput.ts';
import { FramedText, TerminalText } from './outputText.ts';
import type { Pty, TerminalOwner } from './pty.ts';
import { Screen } from './screen.ts';
import { Sizer } from './sizer.ts';
import { typedText } from './typedText.ts';

/** Keys that nobody presses: engines would keep Ctrl+P to themselves, and the detaching is done here. */
const NO_DETACH_KEYS = 'ctrl-^,ctrl-@,ctrl-^,ctrl-_';
const [LOOK_MS, MOST_LOOKS] = [150, 20];
const REDRAW_MS = 1000;

/** A container's own input and output. Closing the terminal detaches; the container goes on. */
export class AttachTerminal implements Pty {
  readonly #owner: TerminalOwner;
  readonly #details: ContainerDetails;
  readonly #connection: Connection;
  readonly #l10n: L10n;
  readonly #screen: Screen;
  readonly #input: InputQueue;
  readonly #sizer: Sizer;
  readonly #line: LineInput | undefined;
  readonly #keys = new DetachKeys();
  readonly #controller = new AbortController();
  #size: TerminalSize | undefined;
  #twoWay: DuplexStream | undefined;
  readonly onDidWrite: Event<string>;
  readonly onDidClose: Event<number | undefined>;

  /**
   * @param details as {@link checkAttachable} let pass.
   */
  constructor(owner: TerminalOwner, details: ContainerDetails, parts: AttachDependencies) {
    this.#owner = owner;
    this.#details = details;
    this.#connection = parts.connection;
    this.#l10n = parts.l10n;
    this.#screen = parts.screen ?? new Screen(parts.l10n);
    ({ onDidWrite: this.onDidWrite, onDidClose: this.onDidClose } = this.#screen);
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
    this.#screen.dispose();
    this.#controller.abort();
  }

  handleInput(input: string): void {
    const text = typedText(input);
    if (this.#screen.takesKey(text)) return;
    if (!this.#line) {
      const { send, isDetached } = this.#keys.take(text);
      this.#input.push(send);
      // The editor closes the terminal, and that detaches.
      if (isDetached) this.#screen.close();
      return;
    }
    const { echo, send, isEnd } = this.#line.type(text);
    void this.#screen.write(echo);
    this.#input.push(send);
    // After what was typed before it, which may still wait.
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
      if (!this.#controller.signal.aborted) this.#screen.closeAfter(this.#messageFor(error));
    } finally {
      this.#input.stop();
      this.#sizer.stop();
    }
  }

  async #session(): Promise<void> {
    const { hasTty } = this.#details;
    const options = { wantsInput: true, ...(hasTty && { detachKeys: NO_DETACH_KEYS }) };
    const { signal } = this.#controller;
    this.#twoWay = await attachContainer(this.#connection, this.#owner.id, options, signal);
    this.#screen.say(this.#greeting(this.#twoWay.takesInput));
    // What is typed goes to the screen as it is then; but no engine keeps a person waiting for that.
    const ready = hasTty && settledWithin(REDRAW_MS, this.#redraw(), { signal });
    void Promise.resolve(ready).then(
      () => {
        this.#input.start();
      },
      () => undefined,
    );
    const text = hasTty ? new TerminalText() : new FramedText();
    for await (const chunk of this.#twoWay.output) await this.#screen.write(text.push(chunk));
  }

  /** A program draws its screen anew once it hears of another size, and only then. */
  async #redraw(): Promise<void> {
    const size = this.#size;
    if (size) this.#sizer.set({ ...size, rows: size.rows + 1 });
    await this.#sizer.start();
    this.#sizer.set(this.#size);
    await this.#sizer.start();
  }

  #greeting(takesInput: boolean): string {
    const { name } = this.#owner;
    if (!takesInput)
      return this.#l10n.t(
        'Attached to {0}, but what stands between here and the engine lets no input through.',
        name,
      );
    if (this.#details.hasTty)
      return this.#l10n.t(
        'Attached to {0}. To detach, close the terminal or press Ctrl+] twice; the container goes on.',
        name,
      );
    return containerInputOf(this.#details).endsWithFirst
      ? this.#l10n.t('Attached to {0}. Closing the terminal ends the input of the container.', name)
      : this.#l10n.t(
          'Attached to {0}. To detach, close the terminal; the container goes on.',
          name,
        );
  }

  async #finish(): Promise<void> {
    const { signal } = this.#controller;
    // The output ends with the process, and an engine notes that a little later.
    const end = new ExitTracker();
    end.see(this.#details);
    for (let look = 0; look < MOST_LOOKS; look++) {
      const now = await inspectContainer(this.#connection, this.#owner.id, signal);
      if (end.isKnown(now) || now.startedAt !== this.#details.startedAt) {
        this.#screen.closeAfter(this.#exitMessage(now));
        return;
      }
      await delay(LOOK_MS, signal);
    }
    this.#screen.close();
  }

  #exitMessage({ isRunning, exitCode }: ContainerDetails): string {
    const { name } = this.#owner;
    return isRunning
      ? this.#l10n.t('The container {0} was restarted.', name)
      : this.#l10n.t('The container {0} exited with status {1}.', name, exitCode);
  }

  #messageFor(error: unknown): string {
    const { name } = this.#owner;
    if (failedWith(error, 'notFound')) return this.#l10n.t('The container {0} is gone.', name);
    const words = error instanceof EngineError ? error.engineMessage : undefined;
    return failedWith(error, 'conflict', 'badRequest', 'failed') && words !== undefined
      ? this.#l10n.t('{0} cannot be attached to: {1}', name, words)
      : this.#l10n.t('The connection to the engine is lost. The container {0} goes on.', name);
  }
}

/** What being attached stands on. */
export interface AttachDependencies {
  readonly connection: Connection;
  readonly l10n: L10n;
  readonly screen?: Screen;
}

/** The container was created without STDIN: its output alone is its log. */
export class NoInputError extends InputError {}

/**
 * Whether there is something to be attached to.
 *
 * @throws InputError that says what is missing, and what to do instead.
 */
export function checkAttachable(
  details: ContainerDetails,
  { name }: TerminalOwner,
  l10n: L10n,
): void {
  // What does not run answers nothing, and one engine would even make it ready to run again.
  if (!details.isRunning) {
    throw new InputError(l10n.t('{0} does not run, so there is nothing to attach to.', name));
  }
  if (!containerInputOf(details).isOpen) {
    throw new NoInputError(
      l10n.t(
        '{0} takes no input: it was created without STDIN. Open a shell or show its log.',
        name,
      ),
    );
  }
}

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
