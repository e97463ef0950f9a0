import type { Container } from '../engine/model.ts';
import type { Disposable } from '../base/lifetime.ts';
import { ContainerLog } from '../logs/follow/containerLog.ts';
import {
  isSameView,
  type LogDependencies,
  type ContainerLogOptions,
} from '../logs/follow/containerLogOptions.ts';
import type { LogSink } from '../logs/follow/logMarker.ts';
import { logText, markerText } from './logText.ts';
import { type Clock, monotonicClock, Throttle } from '../base/time.ts';
import { type TextChannel, TrimmedChannel } from './trimmedChannel.ts';

/** One channel for each container whose log was opened, filled by at most one run. */
export class LogRuns implements Disposable {
  readonly #parts: LogRunsDependencies;
  readonly #runs = new Map<string, ChannelRun>();

  constructor(parts: LogRunsDependencies) {
    this.#parts = parts;
  }

  /**
   * Shows a container's log. For the same view, shows the channel and adds what the engine has not sent. For another
   * view, clears the channel and reads the log again.
   *
   * @returns the name of the channel, once the engine has responded; without `follow`, once all lines are appended.
   * @throws EngineError if the engine refuses.
   */
  async open(owner: LogOwner, view: ContainerLogOptions): Promise<{ readonly channel: string }> {
    const before = this.#current(owner);
    if (before && isSameView(before.view, view)) {
      before.channel.show();
      if (view.follow) before.log.refresh();
      else before.opened = before.opened.then(() => opening(before));
      return this.#settled(before);
    }
    const shown = this.#start(owner, view, before);
    return this.#settled(shown);
  }

  dispose(): void {
    for (const one of [...this.#runs.values()]) this.#drop(one);
  }

  /** Returns the current run of a container. Drops a channel that has the old name of a renamed container. */
  #current({ id, name }: LogOwner): ChannelRun | undefined {
    const shown = this.#runs.get(id);
    if (!shown || shown.owner.name === name) return shown;
    this.#drop(shown);
    return undefined;
  }

  #start(owner: LogOwner, view: ContainerLogOptions, before: ChannelRun | undefined): ChannelRun {
    if (before) end(before);
    before?.channel.restart();
    const channelName = before?.channelName ?? this.#freeName(owner);
    const channel = before?.channel ?? this.#channel(channelName, owner.id);
    channel.show();
    const writer = new LogWriter(channel.append.bind(channel), this.#parts.clock);
    const sink = this.#sink(writer, channel, view);
    const log = new ContainerLog(owner.id, view, sink, this.#parts);
    const shown: ChannelRun = {
      owner,
      channelName,
      channel,
      view,
      log,
      writer,
      opened: Promise.resolve(),
      isOpen: false,
    };
    shown.opened = opening(shown);
    this.#runs.set(owner.id, shown);
    return shown;
  }

  /** Returns a sink that writes to a channel and finishes it when the container is gone. */
  #sink(writer: LogWriter, channel: TrimmedChannel, view: ContainerLogOptions): LogSink {
    return {
      lines: (lines) => writer.write(logText(lines, view.timestamps)),
      marker: async (marker) => {
        await writer.write(markerText(marker));
        if (marker.kind !== 'removed') return;
        writer.flush();
        channel.finish();
      },
    };
  }

  #channel(name: string, id: string): TrimmedChannel {
    const { createChannel, outputLines, clock } = this.#parts;
    return new TrimmedChannel({
      create: () => createChannel(name, id),
      limits: () => ({ lines: outputLines?.() ?? DEFAULT_LINES, bytes: MOST_BYTES }),
      clock,
    });
  }

  /** Waits for the last call, or for the run that replaced this one. */
  async #settled(shown: ChannelRun): Promise<{ readonly channel: string }> {
    try {
      await shown.opened;
      shown.isOpen = true;
    } catch (error) {
      const now = this.#runs.get(shown.owner.id);
      if (now && now !== shown) return this.#settled(now);
      // Nothing to keep: drop the channel, so that the next call starts over.
      if (!shown.isOpen) this.#drop(shown);
      else shown.opened = Promise.resolve();
      throw error;
    }
    return { channel: shown.channelName };
  }

  #drop(shown: ChannelRun): void {
    end(shown);
    shown.channel.dispose();
    this.#runs.delete(shown.owner.id);
  }

  /**
   * Returns the channel name: the container's name, with its short ID if another container's channel has that
   * name. A removed container gives up its name.
   */
  #freeName({ id, name }: LogOwner): string {
    const plain = `Gantry: ${this.#parts.titleOf?.(name) ?? name}`;
    const namesake = [...this.#runs.values()].find((one) => one.channelName === plain);
    if (namesake?.log.isOver) this.#drop(namesake);
    else if (namesake) return `${plain} (${id.slice(0, 12)})`;
    return plain;
  }
}

export interface LogRunsDependencies extends LogDependencies {
  readonly createChannel: (name: string, id: string) => TextChannel;
  /** Returns a container's name with what distinguishes it from other engines' containers. Default: the name. */
  readonly titleOf?: (name: string) => string;
  /** The number of lines that a channel keeps, read at each append. Default: {@link DEFAULT_LINES}. */
  readonly outputLines?: () => number;
  readonly clock?: Clock;
}

const DEFAULT_LINES = 200_000;
/** With more text, VS Code's view of a channel lags far behind. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The container of a log, with its current name. */
export type LogOwner = Pick<Container, 'id' | 'name'>;

/** The channel of one container and the run that fills it. */
interface ChannelRun {
  readonly owner: LogOwner;
  readonly channelName: string;
  readonly channel: TrimmedChannel;
  readonly view: ContainerLogOptions;
  readonly log: ContainerLog;
  readonly writer: LogWriter;
  /** Settles with the last call. */
  opened: Promise<void>;
  /** Whether the engine has responded once. */
  isOpen: boolean;
}

/** Opens the log. Without `follow`, resolves when all lines are appended. */
async function opening({ log, writer, view }: ChannelRun): Promise<void> {
  await log.open();
  if (!view.follow) writer.flush();
}

function end({ log, writer }: ChannelRun): void {
  log.dispose();
  writer.dispose();
}

/**
 * Batches text for a channel. After a pause, text is appended immediately; during a trickle, every 50 ms;
 * during a flood, in batches of 64 KiB with a pause after each, for which the writer waits.
 */
export class LogWriter implements Disposable {
  readonly #clock: Clock;
  readonly #throttle: Throttle;
  #parts: string[] = [];
  #length = 0;
  #isDisposed = false;

  constructor(append: (text: string) => void, clock: Clock = monotonicClock) {
    this.#clock = clock;
    this.#throttle = new Throttle(clock, BEAT_MS, () => {
      const text = this.#parts.join('');
      this.#clear();
      append(text);
    });
  }

  /** Writes text. Resolves when more may come. */
  async write(text: string): Promise<void> {
    if (this.#isDisposed || text === '') return;
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length >= BATCH_LENGTH) {
      this.flush();
      await this.#clock.delay(BREATH_MS);
    } else this.#throttle.request();
  }

  /** Appends pending text now. */
  flush(): void {
    if (this.#length > 0) this.#throttle.flush();
  }

  /** Drops pending text and ignores further writes. */
  dispose(): void {
    this.#isDisposed = true;
    this.#clear();
    this.#throttle.dispose();
  }

  #clear(): void {
    this.#parts = [];
    this.#length = 0;
  }
}

/** Milliseconds between two appends during a trickle. */
const BEAT_MS = 50;
/** From this many characters on, text is appended immediately. */
const BATCH_LENGTH = 64 * 1024;
/** The pause after a batch in milliseconds, for other work in the extension host. */
const BREATH_MS = 5;
