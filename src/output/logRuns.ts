import type { Disposable } from '../lifetime.ts';
import {
  ContainerLog,
  type LogDependencies,
  type ContainerLogOptions,
} from '../logs/follow/containerLog.ts';
import { ChannelSink } from './channelSink.ts';
import type { Clock } from '../time.ts';
import { LogWriter } from './logWriter.ts';
import type { TextChannel } from './textChannel.ts';
import { TrimmedChannel } from './trimmedChannel.ts';

/** One channel for each container whose log was asked for, and in each at most one run that fills it. */
export class LogRuns implements Disposable {
  readonly #parts: LogRunsDependencies;
  readonly #runs = new Map<string, ChannelRun>();

  constructor(parts: LogRunsDependencies) {
    this.#parts = parts;
  }

  /**
   * Shows a container's log. Asked again for the same, it only shows the channel (a log that is not followed
   * gets what is new); asked for something else, it empties the channel and reads anew.
   *
   * @returns the channel's name, once the engine has answered; without `follow`, once all is appended.
   * @throws EngineError where the engine refuses.
   */
  async open(owner: LogOwner, view: ContainerLogOptions): Promise<{ readonly channel: string }> {
    const before = this.#current(owner);
    if (before && isSame(before.view, view)) {
      before.channel.show();
      if (!view.follow) before.opened = before.opened.then(() => opening(before));
      return this.#settled(before);
    }
    const shown = this.#start(owner, view, before);
    return this.#settled(shown);
  }

  dispose(): void {
    for (const one of [...this.#runs.values()]) this.#drop(one);
  }

  /** What is shown of a container; a channel that bears an old name is given up. */
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
    const append = (text: string): void => {
      channel.append(text);
    };
    const writer = new LogWriter(append, this.#parts.clock);
    const sink = new ChannelSink(writer, view.timestamps, this.#parts.l10n, () => {
      channel.finish();
    });
    const log = new ContainerLog(owner.id, view, sink, this.#parts);
    const opened = opening({ log, sink, view });
    const shown = { owner, channelName, channel, view, log, sink, opened, isOpen: false };
    this.#runs.set(owner.id, shown);
    return shown;
  }

  #channel(name: string, id: string): TrimmedChannel {
    const { createChannel, outputLines, l10n, clock } = this.#parts;
    return new TrimmedChannel({
      create: () => createChannel(name, id),
      limits: () => ({ lines: outputLines?.() ?? DEFAULT_LINES, bytes: MOST_BYTES }),
      ...{ l10n, clock },
    });
  }

  /** Waits for the call; for the next one where that took its place. */
  async #settled(shown: ChannelRun): Promise<{ readonly channel: string }> {
    try {
      await shown.opened;
      shown.isOpen = true;
    } catch (error) {
      const now = this.#runs.get(shown.owner.id);
      if (now && now !== shown) return this.#settled(now);
      // There is nothing in it to keep, and the next call starts afresh.
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

  /** The container's name; with its short id where another's channel has it. A removed one gives it up. */
  #freeName({ id, name }: LogOwner): string {
    const plain = `Gantry: ${this.#parts.titleOf?.(name) ?? name}`;
    const namesake = [...this.#runs.values()].find((one) => one.channelName === plain);
    if (namesake?.log.isOver) this.#drop(namesake);
    else if (namesake) return `${plain} (${id.slice(0, 12)})`;
    return plain;
  }
}

/** What the logs' channels stand on. */
export interface LogRunsDependencies extends LogDependencies {
  /** @param id the container's whose log it is for */
  readonly createChannel: (name: string, id: string) => TextChannel;
  /** A container's name with what tells it from those of other engines. Default: the name. */
  readonly titleOf?: (name: string) => string;
  /** How many lines a channel keeps. Asked at each append. Default: {@link DEFAULT_LINES}. */
  readonly outputLines?: () => number;
  readonly clock?: Clock;
}

const DEFAULT_LINES = 200_000;
/** Of more, the editor's own view of a channel falls far behind. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Whose log. */
export interface LogOwner {
  readonly id: string;
  /** The container's name now. */
  readonly name: string;
}

/** One container's channel, and what fills it. */
interface ChannelRun {
  readonly owner: LogOwner;
  readonly channelName: string;
  readonly channel: TrimmedChannel;
  readonly view: ContainerLogOptions;
  readonly log: ContainerLog;
  readonly sink: ChannelSink;
  /** Settles with the last call. */
  opened: Promise<void>;
  /** Whether the engine has answered once. */
  isOpen: boolean;
}

/** Without `follow`, all is appended then. */
async function opening({
  log,
  sink,
  view,
}: Pick<ChannelRun, 'log' | 'sink' | 'view'>): Promise<void> {
  await log.open();
  if (!view.follow) sink.flush();
}

function end({ log, sink }: ChannelRun): void {
  log.dispose();
  sink.dispose();
}

function isSame(a: ContainerLogOptions, b: ContainerLogOptions): boolean {
  return (
    a.follow === b.follow &&
    a.tail === b.tail &&
    a.since === b.since &&
    a.timestamps === b.timestamps
  );
}
