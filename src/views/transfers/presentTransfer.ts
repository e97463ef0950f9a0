import * as l10n from '@vscode/l10n';
import type { LayerState } from '../../registries/transfers/layerProgress.ts';
import type { Transfer } from '../../registries/transfers/transfer.ts';
import {
  formatTransferredBytes,
  formatLayer,
  formatRate,
} from '../../registries/transfers/formatTransfer.ts';
import { BUSY_ICON } from '../containers/containerCondition.ts';
import { formatLine, familiarName, joinParts, joinSpoken } from '../format.ts';
import {
  type DescribeError,
  type RowPresentation,
  type TooltipRow,
  tooltipRows,
  type Icon,
} from '../rowPresentation.ts';

export function presentTransfer(transfer: Transfer, describe: DescribeError): RowPresentation {
  const { spec } = transfer;
  const title = titleOf(transfer, familiarName(spec.reference));
  const description = joinParts(formatProgress(transfer, describe), spec.platform);
  return {
    label: title,
    description,
    // With layers below the row, the twistie takes the place of the icon, so that sibling rows are not indented.
    icon: transfer.phase !== 'failed' && transfer.layers.length > 0 ? undefined : iconOf(transfer),
    contextValue: `${spec.kind}.${transfer.phase}`,
    accessibilityLabel: joinSpoken(title, description),
  };
}

export function transferTooltip(
  transfer: Transfer,
  describe: DescribeError,
): readonly TooltipRow[] {
  const { spec, state, rate, end } = transfer;
  return tooltipRows(
    [l10n.t('Name'), spec.fullName],
    [l10n.t('Platform'), spec.platform],
    [l10n.t('Failed'), end?.phase === 'failed' ? describe(end.error) : ''],
    [l10n.t('Bytes'), state.bytesAll > 0 ? formatTransferredBytes(state) : ''],
    [l10n.t('Rate'), rate === undefined ? '' : formatRate(rate)],
    [l10n.t('Layers'), state.layersAll > 0 ? layerCount(transfer) : ''],
  );
}

/** Returns the presentation of a layer. */
export function presentLayer(layer: LayerState, kind: 'pull' | 'push'): RowPresentation {
  const words = formatLayer(layer, kind);
  return {
    label: formatLine(layer.id),
    description: words,
    icon: layerIcon(layer, kind),
    contextValue: 'layer',
    accessibilityLabel: l10n.t('Layer {0}, {1}', formatLine(layer.id), words),
  };
}

function titleOf({ spec, phase }: Transfer, name: string): string {
  if (phase === 'failed') {
    return spec.kind === 'pull' ? l10n.t('Pull of {0}', name) : l10n.t('Push of {0}', name);
  }
  return spec.kind === 'pull' ? l10n.t('Pulling {0}', name) : l10n.t('Pushing {0}', name);
}

/** The most important part comes first, because the row may be truncated. */
function formatProgress(transfer: Transfer, describe: DescribeError): string {
  const { end, state, rate } = transfer;
  if (end?.phase === 'failed')
    return formatLine(l10n.t('failed: {0}', problemOf(describe(end.error))));
  if (end?.phase === 'cancelled') return l10n.t('canceled');
  if (end) return l10n.t('done');
  if (state.layersAll === 0) return l10n.t('waiting');
  if (state.isUnpacking) {
    return l10n.t('extracting {0} of {1} layers', state.layersUnpacked, state.layersAll);
  }
  if (state.bytesAll === 0) return layerCount(transfer);
  return joinParts(
    l10n.t('{0}%', Math.floor(state.fraction * 100)),
    formatTransferredBytes(state),
    rate === undefined ? '' : formatRate(rate),
  );
}

/** Returns the problem without the remedy, which is in the tooltip: the row is narrow. */
function problemOf(message: string): string {
  const [problem = message] = message.split(/\. (?=\p{Lu})|\.$/u);
  return problem;
}

function layerCount({ state }: Transfer): string {
  return l10n.t('{0} of {1} layers', state.layersDone, state.layersAll);
}

function iconOf({ phase }: Transfer): Icon {
  if (phase === 'failed') return { id: 'error', color: 'list.errorForeground' };
  return phase === 'running' ? BUSY_ICON : { id: 'check' };
}

const LAYER_ICONS: Readonly<Record<Exclude<LayerState['phase'], 'moving'>, Icon>> = {
  waiting: { id: 'circle-outline', color: 'disabledForeground' },
  retrying: { id: 'refresh', color: 'list.warningForeground' },
  verifying: { id: 'shield' },
  moved: { id: 'package' },
  unpacking: { id: 'package' },
  done: { id: 'check' },
  alreadyThere: { id: 'check', color: 'disabledForeground' },
};

function layerIcon({ phase }: LayerState, kind: 'pull' | 'push'): Icon {
  if (phase !== 'moving') return LAYER_ICONS[phase];
  return { id: kind === 'pull' ? 'arrow-down' : 'arrow-up' };
}
