import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

import { EngineError } from '../engine/errors.ts';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import { oneLine } from '../base/plainText.ts';
import type { Transfer, TransferNews, TransferResult } from '../registries/transfers/transfer.ts';
import { formatTransfer } from '../registries/transfers/formatTransfer.ts';
import type { Transfers } from '../registries/transfers/transfers.ts';
import { showWork, type ProgressReport } from './showWork.ts';

/** Limit of a line of the history, in characters. */
const LINE_LIMIT = 2000;

type Kind = Transfer['spec']['kind'];

const CHANNELS: Readonly<Record<Kind, string>> = { pull: 'Gantry: Pull', push: 'Gantry: Push' };

/**
 * Shows pulls and pushes: the history of all in an output channel, and a notification for each that the user waits for.
 */
export class TransferNotifications implements Disposable {
  readonly #transfers: Transfers;
  readonly #describe: (error: unknown) => string;
  readonly #store = new DisposableStore();
  readonly #channels = new Map<Kind, vscode.OutputChannel>();

  /** @param describe formats an error for the history. */
  constructor(transfers: Transfers, describe: (error: unknown) => string) {
    this.#transfers = transfers;
    this.#describe = describe;
    this.#store.listen(transfers.onDidReport, ({ transfer, news }) => {
      this.#write(transfer, this.#line(transfer, news));
    });
  }

  /**
   * Waits for a transfer and shows a notification, whose Cancel stops the waiting and, if no one else waits,
   * the transfer. Rejects like the transfer.
   */
  async show<Result extends TransferResult>(
    transfer: Transfer<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const { kind, title } = transfer.spec;
    const text = kind === 'pull' ? l10n.t('Pulling {0}', title) : l10n.t('Pushing {0}', title);
    const cancelled = new AbortController();
    const signals = signal ? [signal, cancelled.signal] : [cancelled.signal];
    // Join before the notification is shown, which takes a while, so that the transfer has a waiter from the start.
    const result = transfer.join(AbortSignal.any(signals));
    showWork({
      title: text,
      result,
      cancel: () => cancelled.abort(),
      follow: (report) => {
        const paint = painting(report, transfer);
        paint();
        return this.#transfers.onDidChange((changed) => {
          if (changed.has(transfer)) paint();
        });
      },
    });
    return result;
  }

  dispose(): void {
    this.#store.dispose();
    for (const channel of this.#channels.values()) channel.dispose();
  }

  #open(kind: Kind): vscode.OutputChannel {
    const known = this.#channels.get(kind);
    if (known) return known;
    const channel = vscode.window.createOutputChannel(CHANNELS[kind]);
    this.#channels.set(kind, channel);
    return channel;
  }

  /** Writes a line with the image's name, because several transfers may run at a time. */
  #write({ spec }: Transfer, text: string): void {
    const time = new Date().toLocaleTimeString(undefined, { hourCycle: 'h23' });
    this.#open(spec.kind).appendLine(`${time}  ${spec.title}  ${oneLine(text, LINE_LIMIT)}`);
  }

  #line({ spec }: Transfer, news: TransferNews): string {
    const isPull = spec.kind === 'pull';
    if (news.kind === 'line') return news.line;
    if (news.kind === 'begun') return isPull ? l10n.t('Pulling') : l10n.t('Pushing');
    const { end } = news;
    if (end.phase === 'cancelled') return l10n.t('Canceled');
    if (end.phase === 'failed') return this.#failure(end.error);
    const { imageId, digest = '–' } = end.result;
    return imageId === undefined
      ? l10n.t('Pushed: digest {0}', digest)
      : l10n.t('Pulled: image {0}, digest {1}', imageId, digest);
  }

  /** Returns why a transfer failed, with the words of the engine if the message has others. */
  #failure(error: unknown): string {
    const line = l10n.t('Failed: {0}', this.#describe(error));
    const cause = error instanceof Error ? error.cause : undefined;
    const words = cause instanceof EngineError ? cause.engineMessage : undefined;
    return words === undefined ? line : l10n.t('{0} ({1})', line, words);
  }
}

/**
 * Returns a function that updates the notification. VS Code takes the increment since the last report, not
 * the percentage.
 */
function painting(report: ProgressReport, transfer: Transfer): () => void {
  let painted = 0;
  return () => {
    const { state, rate } = transfer;
    // After a retry, the fraction may be lower than before.
    const percent = Math.max(painted, state.fraction * 100);
    report.report({ message: formatTransfer(state, rate), increment: percent - painted });
    painted = percent;
  };
}
