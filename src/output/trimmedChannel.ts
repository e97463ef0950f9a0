import { DisposableStore, type Disposable, type Event } from '../base/lifetime.ts';
import { ChannelText, type TextLimits } from './channelText.ts';
import { omittedLinesText } from './logText.ts';
import { monotonicClock, type Clock } from '../base/time.ts';

/**
 * The newest lines of a text in a channel, within limits. When the oldest lines are dropped, the rest is
 * written to a new channel of the same name, which replaces the old one in the view. While the channel is not
 * in view, and until VS Code has shown the last text, new text is held back.
 */
export class TrimmedChannel implements Disposable {
  readonly #parts: TrimmedChannelOptions;
  readonly #clock: Clock;
  readonly #subscriptions = new DisposableStore();
  #text: ChannelText;
  #channel: TextChannel;
  /**
   * The replaced channels. Disposed only when the new one is in view, because VS Code replaces a disposed
   * channel in view by an arbitrary other one.
   */
  #before: TextChannel[] = [];
  #isEmpty = true;
  /** Whether the channel lacks text. */
  #isBehind = false;
  #isFinished = false;
  #freshSince = -Infinity;
  #timer: Disposable | undefined;

  constructor(parts: TrimmedChannelOptions) {
    this.#parts = parts;
    this.#clock = parts.clock ?? monotonicClock;
    this.#text = new ChannelText(parts.limits);
    this.#channel = this.#create();
  }

  /** Appends complete lines, each with its line end. */
  append(text: string): void {
    const isTrimmed = this.#text.append(text);
    if (this.#isBehind || (isTrimmed && !this.#isEmpty)) {
      this.#isBehind = true;
      this.#catchUp();
    } else this.#write(isTrimmed ? this.#whole() : text);
  }

  /** Releases the kept text, because no more will come and VS Code has it all. */
  finish(): void {
    this.#isFinished = true;
    this.#disposePrevious();
  }

  /** Starts over without text. */
  restart(): void {
    this.#isFinished = false;
    this.#text = new ChannelText(this.#parts.limits);
    this.#isBehind = false;
    if (!this.#isEmpty) this.#renew();
  }

  /** Shows the channel without taking the focus. */
  show(): void {
    this.#channel.show(true);
  }

  /** The size of the kept text in UTF-8. */
  get keptBytes(): number {
    return this.#text.bytes;
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#subscriptions.dispose();
    for (const channel of [...this.#before, this.#channel]) channel.dispose();
  }

  #whole(): string {
    return omittedLinesText(this.#text.omittedLines) + this.#text.text();
  }

  #write(text: string): void {
    this.#channel.append(text);
    this.#isEmpty = false;
  }

  #create(): TextChannel {
    const channel = this.#parts.create();
    this.#subscriptions.listen(channel.onDidChangeView, () => {
      if (channel === this.#channel) this.#viewChanged();
    });
    return channel;
  }

  #viewChanged(): void {
    if (!this.#channel.isInView) return;
    for (const channel of this.#before) channel.dispose();
    this.#before = [];
    this.#catchUp();
  }

  // Not a Throttle: the pause grows with the text while it lasts, and nothing is written while the channel is
  // not in view.
  #catchUp(): void {
    if (!this.#isBehind || this.#timer || !this.#channel.isInView) return;
    const pause = PAUSE_MS + this.#text.bytes / BYTES_PER_MS;
    const wait = this.#freshSince + pause - this.#clock.now();
    if (wait > 0) this.#timer = this.#clock.after(wait, this.#retry);
    else {
      this.#isBehind = false;
      this.#renew();
      this.#write(this.#whole());
      this.#channel.show(true);
      this.#disposePrevious();
    }
  }

  #disposePrevious(): void {
    if (this.#isFinished && !this.#isBehind) this.#text = new ChannelText(this.#parts.limits);
  }

  readonly #retry = (): void => {
    this.#timer = undefined;
    this.#catchUp();
  };

  #renew(): void {
    this.#before.push(this.#channel);
    this.#channel = this.#create();
    this.#isEmpty = true;
    this.#freshSince = this.#clock.now();
  }
}

interface TrimmedChannelOptions {
  readonly create: () => TextChannel;
  /** Called at each append. */
  readonly limits: () => TextLimits;
  readonly clock?: Clock;
}

// Milliseconds between two channels, plus time for a long text: VS Code shows 4 MB in about a second.
const PAUSE_MS = 1000;
const BYTES_PER_MS = 4000;

/**
 * The used part of VS Code's output channel API, which is append-only. `clear` and `replace` are not used: VS
 * Code reads a channel's text from a file by an offset, which these two set past what has been read, while it
 * reads and checks the size of the file. Text then reappears, is duplicated or is missing.
 */
export interface TextChannel extends Disposable {
  append(text: string): void;
  /** Shows the channel; with `true`, without taking the focus. */
  show(preserveFocus: boolean): void;
  /** Whether the Output view shows the channel. */
  readonly isInView: boolean;
  readonly onDidChangeView: Event<undefined>;
}
