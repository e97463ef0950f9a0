import * as vscode from 'vscode';

import type { Connection } from '../engine/connection.ts';
import type { PullStep } from '../engine/model.ts';
import { pullImage, pullTarget, type PullRequest, type PullResult } from '../engine/pull.ts';
import { formatReference } from '../engine/reference.ts';
import { isCancellation, signalOf, type Disposable } from '../lifetime.ts';
import { oneLine } from '../plainText.ts';
import { describeState, PullTally } from './pullText.ts';
import { Throttle } from './throttle.ts';

const CHANNEL = 'Gantry: Pull';
/** Ten times a second is as fast as anybody reads. */
const PAINT_MS = 100;
/** Characters of one line of the history. */
const LINE_LIMIT = 2000;

/** Who is there to see a pull, and who may end it. */
export interface PullOptions {
  /** Whether a person gets a notification with progress and Cancel. */
  readonly isPerson: boolean;
  /** The reference with what tells it from pulls of other engines. */
  readonly titleOf?: (reference: string) => string;
  readonly signal?: AbortSignal | undefined;
}

type Report = vscode.Progress<{ message?: string; increment?: number }>;

/** Shows pulls: a history of all of them in one channel, and for a person a notification for each. */
export class PullProgress implements Disposable {
  readonly #describe: (error: unknown) => string;
  #channel: vscode.OutputChannel | undefined;

  /** @param describe says an error in a sentence, for the history. */
  constructor(describe: (error: unknown) => string) {
    this.#describe = describe;
  }

  /**
   * Pulls, and shows it. The channel is filled and never brought forward. Rejects as `pullImage` does; Cancel
   * in the notification ends the request, which rejects with a cancellation.
   */
  async run(
    connection: Connection,
    request: PullRequest,
    options: PullOptions,
  ): Promise<PullResult> {
    const reference = formatReference(pullTarget(request.reference, vscode.l10n));
    const name = options.titleOf?.(reference) ?? reference;
    const write = this.#writer(name);
    const tally = new PullTally();
    const pull = (signal: AbortSignal | undefined, onDidAdd?: () => void): Promise<PullResult> =>
      this.#record(write, () =>
        pullImage(connection, request, vscode.l10n, taking(tally, write, onDidAdd), signal),
      );
    return options.isPerson ? showing(name, tally, options.signal, pull) : pull(options.signal);
  }

  /** Brings the history of all pulls forward, without taking the focus. */
  show(): void {
    this.#open().show(true);
  }

  dispose(): void {
    this.#channel?.dispose();
  }

  #open(): vscode.OutputChannel {
    return (this.#channel ??= vscode.window.createOutputChannel(CHANNEL));
  }

  /** Each line says which pull it is of: several may run at once. */
  #writer(name: string): (text: string) => void {
    const channel = this.#open();
    return (text) => {
      const time = new Date().toLocaleTimeString(undefined, { hourCycle: 'h23' });
      channel.appendLine(`${time}  ${name}  ${oneLine(text, LINE_LIMIT)}`);
    };
  }

  /** Writes how a pull begins and how it ends. */
  async #record(
    write: (text: string) => void,
    pull: () => Promise<PullResult>,
  ): Promise<PullResult> {
    write(vscode.l10n.t('Pulling'));
    try {
      const result = await pull();
      const { imageId, digest } = result;
      write(vscode.l10n.t('Pulled: image {0}, digest {1}', imageId, digest ?? '–'));
      return result;
    } catch (error) {
      const words = isCancellation(error)
        ? vscode.l10n.t('Cancelled')
        : vscode.l10n.t('Failed: {0}', this.#describe(error));
      write(words);
      throw error;
    }
  }
}

function taking(
  tally: PullTally,
  write: (text: string) => void,
  onDidAdd: (() => void) | undefined,
): (step: PullStep) => void {
  return (step) => {
    const line = tally.add(step);
    if (line !== undefined) write(line);
    onDidAdd?.();
  };
}

/** Runs a pull under a notification whose Cancel ends it. */
async function showing(
  name: string,
  tally: PullTally,
  signal: AbortSignal | undefined,
  pull: (signal: AbortSignal, onDidAdd: () => void) => Promise<PullResult>,
): Promise<PullResult> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Pulling {0}', name),
    cancellable: true,
  };
  return vscode.window.withProgress(options, async (report, token) => {
    const cancel = signalOf(token);
    const painter = new Throttle(painting(report, tally), PAINT_MS);
    const either = signal ? AbortSignal.any([signal, cancel.signal]) : cancel.signal;
    try {
      return await pull(either, () => {
        painter.request();
      });
    } finally {
      painter.dispose();
      cancel.dispose();
    }
  });
}

/** A notification takes what has been added since the last time, not how far it is. */
function painting(report: Report, tally: PullTally): () => void {
  let painted = 0;
  return () => {
    const { state } = tally;
    const percent = state.fraction * 100;
    report.report({
      message: describeState(state, vscode.l10n),
      increment: percent - painted,
    });
    painted = percent;
  };
}
