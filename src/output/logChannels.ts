import * as vscode from 'vscode';
import { parseSince } from '../engine/logStamps.ts';
import type { Disposable } from '../lifetime.ts';
import { LogRuns, type LogOwner, type RunsParts, type TextChannel } from './logRuns.ts';

/** What of a log is asked for. */
export interface LogRequest {
  readonly follow: boolean;
  /** How many records from the end. */
  readonly tail: number | 'all';
  /** ISO 8601, or seconds since the epoch. */
  readonly since?: string | number;
  /** Whether each line begins with the moment it was written. */
  readonly timestamps: boolean;
}

/** What the channels of one engine stand on. */
export type ChannelParts = Pick<
  RunsParts,
  'connect' | 'onDidChangeContainers' | 'watch' | 'titleOf' | 'outputLines'
>;

/** The containers' logs as output channels of the editor, one for each container. */
export class LogChannels implements Disposable {
  readonly #runs: LogRuns;

  constructor(parts: ChannelParts) {
    this.#runs = new LogRuns({
      ...parts,
      l10n: vscode.l10n,
      createChannel,
    });
  }

  /**
   * Brings a container's log to the front without taking the focus, see {@link LogRuns.open}.
   *
   * @throws InputError for a `since` that is no moment; EngineError where the engine refuses.
   */
  async open(owner: LogOwner, request: LogRequest): Promise<{ readonly channel: string }> {
    const { follow, tail, since, timestamps } = request;
    const from = since === undefined ? {} : { since: parseSince(since, vscode.l10n) };
    return this.#runs.open(owner, { follow, tail, timestamps, ...from });
  }

  dispose(): void {
    this.#runs.dispose();
  }
}

function createChannel(name: string): TextChannel {
  const channel = vscode.window.createOutputChannel(name);
  return {
    append: (text) => {
      channel.append(text);
    },
    // The channel's own `replace` doubles the text where another comes before the editor is through with one.
    replace: (text) => {
      channel.clear();
      channel.append(text);
    },
    clear: () => {
      channel.clear();
    },
    show: (preserveFocus) => {
      channel.show(preserveFocus);
    },
    dispose: () => {
      channel.dispose();
    },
  };
}
