import * as vscode from 'vscode';
import { parseSince } from '../engine/logs/logStamps.ts';
import { DisposableStore, type Disposable } from '../lifetime.ts';
import { ChannelDocuments } from './channelDocuments.ts';
import { removeOldChannelFiles } from './removeOldChannelFiles.ts';
import { ChannelLinks, LOG_LANGUAGE, type LinkSources } from './channelLinks.ts';
import { LogRuns, type LogOwner, type LogRunsDependencies } from './logRuns.ts';
import type { TextChannel } from './textChannel.ts';

/** The containers' logs as output channels of the editor, one for each container. */
export class LogChannels implements Disposable {
  readonly #runs: LogRuns;
  readonly #owned = new DisposableStore();

  constructor({ sources, logUri, ...parts }: LogChannelsDependencies) {
    const documents = this.#owned.add(new ChannelDocuments());
    this.#owned.add(new ChannelLinks(documents, sources));
    this.#runs = this.#owned.add(
      new LogRuns({
        ...parts,
        l10n: vscode.l10n,
        createChannel: (name, id) => createChannel(name, id, documents, logUri),
      }),
    );
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
    this.#owned.dispose();
  }
}

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
export type LogChannelsDependencies = Pick<
  LogRunsDependencies,
  'connect' | 'onDidChangeContainers' | 'watch' | 'titleOf' | 'outputLines'
> & {
  /** Finds the files that logs speak of. */
  readonly sources: LinkSources;
  /** The extension's folder for logs. */
  readonly logUri: vscode.Uri;
};

function createChannel(
  name: string,
  id: string,
  documents: ChannelDocuments,
  logUri: vscode.Uri,
): TextChannel {
  const channel = vscode.window.createOutputChannel(name, LOG_LANGUAGE);
  const shown = documents.add(name, id);
  return {
    append: (text) => {
      channel.append(text);
    },
    show: (preserveFocus) => {
      channel.show(preserveFocus);
    },
    get isInView() {
      return shown.isInView;
    },
    onDidChangeView: shown.onDidChangeView,
    dispose: () => {
      channel.dispose();
      shown.dispose();
      // Another container of that name may have a channel, too: whose file is whose cannot be told then.
      if (documents.countOf(name) === 1) void removeOldChannelFiles(logUri, name);
    },
  };
}
