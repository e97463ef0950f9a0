import * as vscode from 'vscode';
import { parseSince } from '../engine/logStamps.ts';
import type { Disposable } from '../lifetime.ts';
import type { FollowerParts } from './logFollower.ts';
import { LogRuns, type LogOwner } from './logRuns.ts';

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

/** The containers' logs as output channels of the editor, one for each container. */
export class LogChannels implements Disposable {
  readonly #runs: LogRuns;

  constructor(parts: Pick<FollowerParts, 'connect' | 'onDidChangeContainers' | 'watch'>) {
    this.#runs = new LogRuns({
      ...parts,
      l10n: vscode.l10n,
      createChannel: (name) => vscode.window.createOutputChannel(name),
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
