import type { L10n } from '../l10n.ts';
import { DisposableStore, type Disposable } from '../lifetime.ts';
import { ChannelText, type TextLimits } from './channelText.ts';
import { omittedLinesText } from './logText.ts';
import { monotonicClock, type Clock } from '../time.ts';
import type { TextChannel } from './textChannel.ts';

/**
 * The newest lines of a text as a channel, within limits. Once the oldest lines are to go, the rest is put into a
 * fresh channel of the same name, which takes the other's place in the view. While nobody looks, and until the editor
 * shows what it was given last, what comes is held back.
 */
export class TrimmedChannel implements Disposable {
  readonly #parts: TrimmedChannelOptions;
  readonly #clock: Clock;
  readonly #subscriptions = new DisposableStore();
  #text: ChannelText;
  #channel: TextChannel;
  /** Those before it. They end once it is in view: the editor fills the gap of a channel in view with any other. */
  #before: TextChannel[] = [];
  #isEmpty = true;
  /** Whether the channel no longer holds what the text does. */
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

  /** Takes whole lines, each with its line end. */
  append(text: string): void {
    const isTrimmed = this.#text.append(text);
    if (this.#isBehind || (isTrimmed && !this.#isEmpty)) {
      this.#isBehind = true;
      this.#catchUp();
    } else this.#write(isTrimmed ? this.#whole() : text);
  }

  /** No more will come: what the editor has need not be kept here, too. */
  finish(): void {
    this.#isFinished = true;
    this.#disposePrevious();
  }

  /** Begins anew, without any text. */
  restart(): void {
    this.#isFinished = false;
    this.#text = new ChannelText(this.#parts.limits);
    this.#isBehind = false;
    if (!this.#isEmpty) this.#renew();
  }

  /** Brings it to the front without taking the focus. */
  show(): void {
    this.#channel.show(true);
  }

  /** How long the text is that is kept, in UTF-8. */
  get keptBytes(): number {
    return this.#text.bytes;
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#subscriptions.dispose();
    for (const channel of [...this.#before, this.#channel]) channel.dispose();
  }

  #whole(): string {
    return omittedLinesText(this.#text.omittedLines, this.#parts.l10n) + this.#text.text();
  }

  #write(text: string): void {
    this.#channel.append(text);
    this.#isEmpty = false;
  }

  #create(): TextChannel {
    const channel = this.#parts.create();
    const subscription = channel.onDidChangeView(() => {
      if (channel === this.#channel) this.#viewChanged();
    });
    this.#subscriptions.add(subscription);
    return channel;
  }

  #viewChanged(): void {
    if (!this.#channel.isInView) return;
    for (const channel of this.#before) channel.dispose();
    this.#before = [];
    this.#catchUp();
  }

  // No Throttle: the pause grows with the text while it lasts, and nothing is written while nobody looks.
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

/** What a trimmed channel stands on. */
export interface TrimmedChannelOptions {
  readonly create: () => TextChannel;
  /** Asked at each append. */
  readonly limits: () => TextLimits;
  readonly l10n: L10n;
  readonly clock?: Clock | undefined;
}

/** Milliseconds between two channels, and some more for a long text: the editor shows 4 MB in about a second. */
const [PAUSE_MS, BYTES_PER_MS] = [1000, 4000];
