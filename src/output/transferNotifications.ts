import * as vscode from 'vscode';

import { DisposableStore, signalOf, type Disposable } from '../lifetime.ts';
import { oneLine, displayText } from '../plainText.ts';
import type { Transfer, TransferResult } from '../transfers/transfer.ts';
import { formatTransfer } from '../transfers/formatTransfer.ts';
import type { TransferNews, Transfers } from '../transfers/transfers.ts';

/** Characters of one line of the history. */
const LINE_LIMIT = 2000;

type Kind = Transfer['spec']['kind'];
type Report = vscode.Progress<{ message?: string; increment?: number }>;

const CHANNELS: Readonly<Record<Kind, string>> = { pull: 'Gantry: Pull', push: 'Gantry: Push' };

/** Shows pulls and pushes: a history of all of them in a channel, and for a person a notification for each. */
export class TransferNotifications implements Disposable {
  readonly #transfers: Transfers;
  readonly #describe: (error: unknown) => string;
  readonly #store = new DisposableStore();
  readonly #channels = new Map<Kind, vscode.OutputChannel>();

  /** @param describe says an error in a sentence, for the history. */
  constructor(transfers: Transfers, describe: (error: unknown) => string) {
    this.#transfers = transfers;
    this.#describe = describe;
    this.#store.add(
      transfers.onDidReport(({ transfer, news }) => {
        this.#write(transfer, this.#line(transfer, news));
      }),
    );
  }

  /**
   * Waits for a transfer, under a notification whose Cancel stops the waiting (and with the last who waits, the
   * transfer). Rejects as the transfer does.
   */
  async show<Result extends TransferResult>(
    transfer: Transfer<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const { kind, title } = transfer.spec;
    const text =
      kind === 'pull' ? vscode.l10n.t('Pulling {0}', title) : vscode.l10n.t('Pushing {0}', title);
    const cancelled = new AbortController();
    const signals = signal ? [signal, cancelled.signal] : [cancelled.signal];
    // Before the notification is there, which takes a while: somebody waits from the start.
    const result = transfer.join(AbortSignal.any(signals));
    const options = {
      location: vscode.ProgressLocation.Notification,
      // The names of engines are from files that others may have written.
      title: displayText(text),
      cancellable: true,
    };
    void vscode.window.withProgress(options, async (report, token) => {
      const follower = signalOf(token);
      follower.signal.addEventListener('abort', () => {
        cancelled.abort();
      });
      const paint = painting(report, transfer);
      paint();
      const painter = this.#transfers.onDidChange((changed) => {
        if (changed.has(transfer)) paint();
      });
      // How it ends is told by who asked for it.
      await result.catch(() => undefined);
      painter.dispose();
      follower.dispose();
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

  /** Each line says which image it is of: several may be under way at once. */
  #write({ spec }: Transfer, text: string): void {
    const time = new Date().toLocaleTimeString(undefined, { hourCycle: 'h23' });
    this.#open(spec.kind).appendLine(`${time}  ${spec.title}  ${oneLine(text, LINE_LIMIT)}`);
  }

  #line({ spec }: Transfer, news: TransferNews): string {
    const isPull = spec.kind === 'pull';
    if (news.kind === 'line') return news.line;
    if (news.kind === 'begun') return isPull ? vscode.l10n.t('Pulling') : vscode.l10n.t('Pushing');
    const { end } = news;
    if (end.phase === 'cancelled') return vscode.l10n.t('Cancelled');
    if (end.phase === 'failed') return vscode.l10n.t('Failed: {0}', this.#describe(end.error));
    const { imageId, digest = '–' } = end.result;
    return imageId === undefined
      ? vscode.l10n.t('Pushed: digest {0}', digest)
      : vscode.l10n.t('Pulled: image {0}, digest {1}', imageId, digest);
  }
}

/** A notification takes what has been added since the last time, not how far it is. */
function painting(report: Report, transfer: Transfer): () => void {
  let painted = 0;
  return () => {
    const { state, rate } = transfer;
    // After a retry it is nearer to the start than before.
    const percent = Math.max(painted, state.fraction * 100);
    report.report({
      message: formatTransfer(state, vscode.l10n, rate),
      increment: percent - painted,
    });
    painted = percent;
  };
}
