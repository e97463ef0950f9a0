import * as l10n from '@vscode/l10n';

import { formatBytes } from './formatBytes.ts';
import type { LayerPhase, LayerState, TransferState } from './layerProgress.ts';

/**
 * Formats progress as "12% · 6.0 MB of 48.0 MB · 3 of 8 layers · 2.1 MB/s", or its known parts.
 *
 * @param rate bytes per second; undefined if unknown.
 */
export function formatTransfer(state: TransferState, rate?: number): string {
  const { bytesAll, fraction, layersDone, layersAll } = state;
  if (layersAll === 0) return '';
  if (state.isUnpacking)
    return l10n.t('Extracting · {0} of {1} layers', state.layersUnpacked, layersAll);
  const parts = [
    bytesAll > 0 && l10n.t('{0}%', Math.floor(fraction * 100)),
    bytesAll > 0 && formatTransferredBytes(state),
    l10n.t('{0} of {1} layers', layersDone, layersAll),
    bytesAll > 0 && rate !== undefined && formatRate(rate),
  ];
  return parts.filter((part) => part !== false).join(' · ');
}

/** Formats a rate in bytes per second as "2.1 MB/s". */
export function formatRate(rate: number): string {
  return l10n.t('{0}/s', formatBytes(Math.round(rate)));
}

/** Formats bytes done as "6.0 MB of about 48.0 MB". */
export function formatTransferredBytes({ bytesDone, bytesAll, isEstimate }: TransferState): string {
  const done = formatBytes(bytesDone);
  const all = formatBytes(bytesAll);
  return isEstimate ? l10n.t('{0} of about {1}', done, all) : l10n.t('{0} of {1}', done, all);
}

/** Formats the state of a layer as "downloading 37% · 6.0 MB". @param kind the direction of the transfer. */
export function formatLayer(layer: LayerState, kind: 'pull' | 'push'): string {
  const isUpload = kind === 'push' && layer.phase === 'moving';
  const word = isUpload ? l10n.t('uploading') : WORDS[layer.phase]();
  const share = layer.share === undefined ? undefined : Math.floor(layer.share * 100);
  const parts = [
    share === undefined ? word : l10n.t('{0} {1}%', word, share),
    layer.total > 0 && formatBytes(layer.total),
  ];
  return parts.filter((part) => part !== false).join(' · ');
}

/** A record, so that the compiler requires a text for every phase. */
const WORDS: Readonly<Record<LayerPhase, () => string>> = {
  waiting: () => l10n.t('waiting'),
  moving: () => l10n.t('downloading'),
  retrying: () => l10n.t('retrying'),
  verifying: () => l10n.t('verifying'),
  moved: () => l10n.t('downloaded'),
  unpacking: () => l10n.t('extracting'),
  done: () => l10n.t('done'),
  alreadyThere: () => l10n.t('already exists'),
};
