import * as vscode from 'vscode';
import { parseSince } from '../engine/logs/logStamps.ts';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import type { ContainerLogOptions } from '../logs/follow/containerLogOptions.ts';
import type { SourceLookup } from '../logs/sources/sourceLookup.ts';
import { ChannelDocuments } from './channelDocuments.ts';
import { ChannelLinks, LOG_LANGUAGE } from './channelLinks.ts';
import { LogRuns, type LogOwner, type LogRunsDependencies } from './logRuns.ts';
import type { TextChannel } from './trimmedChannel.ts';

/** Shows container logs as output channels, one per container. */
export class LogChannels implements Disposable {
  readonly #runs: LogRuns;
  readonly #owned = new DisposableStore();

  constructor({ sources, logUri, ...parts }: LogChannelsDependencies) {
    const documents = this.#owned.add(new ChannelDocuments());
    this.#owned.add(new ChannelLinks(documents, sources));
    this.#runs = this.#owned.add(
      new LogRuns({
        ...parts,
        createChannel: (name, id) => createChannel(name, id, documents, logUri),
      }),
    );
  }

  /**
   * Shows a container's log without taking the focus, see {@link LogRuns.open}.
   *
   * @throws InputError if `since` is invalid; EngineError if the engine refuses.
   */
  async open(owner: LogOwner, request: LogRequest): Promise<{ readonly channel: string }> {
    const { since, ...view } = request;
    const from = since === undefined ? undefined : parseSince(since);
    return this.#runs.open(owner, { ...view, since: from });
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

interface LogRequest extends Omit<ContainerLogOptions, 'since'> {
  /** ISO 8601, or seconds since the epoch. */
  readonly since?: string | number;
}

type LogChannelsDependencies = Pick<
  LogRunsDependencies,
  'connect' | 'onDidChangeContainers' | 'watch' | 'titleOf' | 'outputLines'
> & {
  /** Finds the files that logs refer to. */
  readonly sources: SourceLookup;
  /** The extension's log folder. */
  readonly logUri: vscode.Uri;
};

function createChannel(
  name: string,
  id: string,
  documents: ChannelDocuments,
  logUri: vscode.Uri,
): TextChannel {
  const output = vscode.window.createOutputChannel(name, LOG_LANGUAGE);
  return documents.add(output, name, id, () => {
    // Another container of that name may have a channel too. Then the files cannot be distinguished.
    if (documents.countOf(name) === 1) void removeOldChannelFiles(logUri, name);
  });
}

/** The name of a channel's file: an increasing number and the channel's name. */
const FILE = /^(\d+)-(.*)\.log$/s;

/**
 * Deletes the files of this name's channels that were replaced by a newer one, because VS Code would keep
 * them until long after the window is closed. Their location is internal to VS Code: if it changes, nothing
 * is deleted. Files that cannot be deleted are left.
 *
 * @param logUri the extension's log folder, next to the folder with the channels' files.
 */
async function removeOldChannelFiles(logUri: vscode.Uri, name: string): Promise<void> {
  const { fs } = vscode.workspace;
  try {
    const around = vscode.Uri.joinPath(logUri, '..');
    const folders = (await fs.readDirectory(around)).map(([folder]) => folder);
    const newest = folders.filter((folder) => folder.startsWith('output_logging_')).sort();
    const folder = vscode.Uri.joinPath(around, newest.at(-1) ?? 'none');
    const files = (await fs.readDirectory(folder)).map(([file]) => file);
    for (const file of olderThanNewest(files, name)) {
      await fs.delete(vscode.Uri.joinPath(folder, file), { useTrash: false });
    }
  } catch {
    // An open file cannot be deleted on every system. The next call retries.
  }
}

function olderThanNewest(files: readonly string[], name: string): readonly string[] {
  const wanted = name.trim().replace(/[\\/:*?"<>|]/g, '');
  const found = files.flatMap((file) => {
    const [, number, title] = FILE.exec(file) ?? [];
    return title === wanted ? [{ file, number: Number(number) }] : [];
  });
  found.sort((a, b) => a.number - b.number);
  return found.slice(0, -1).map(({ file }) => file);
}
