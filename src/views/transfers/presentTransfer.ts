import type { LayerState } from '../../transfers/layerProgress.ts';
import type { Transfer } from '../../transfers/transfer.ts';
import { formatTransferredBytes, formatLayer, formatRate } from '../../transfers/formatTransfer.ts';
import type { L10n } from '../../l10n.ts';
import { BUSY_ICON } from '../containers/containerCondition.ts';
import {
  tooltipRows,
  type Icon,
  type RowPresentation,
  type TooltipRow,
} from '../rowPresentation.ts';
import { familiarName, joinParts, formatLine } from '../format.ts';

/** How the row of a pull or a push looks. */
export function presentTransfer(
  transfer: Transfer,
  describe: DescribeError,
  l10n: L10n,
): RowPresentation {
  const { spec } = transfer;
  const name = familiarName(spec.reference);
  const title = (text: string): string => titleOf(transfer, text, l10n);
  const description = joinParts(formatProgress(transfer, describe, l10n), spec.platform);
  return {
    label: title(name),
    description,
    // With layers below it its twistie stands in the place of the icon: no row beside it is indented by it.
    icon: transfer.phase !== 'failed' && transfer.layers.length > 0 ? undefined : iconOf(transfer),
    contextValue: `${spec.kind}.${transfer.phase}`,
    accessibilityLabel: [title(name), description].filter((part) => part !== '').join(', '),
  };
}

/** An error as a sentence. */
export type DescribeError = (error: unknown) => string;

/** What the row of a pull or a push tells when pointed at. */
export function transferTooltip(
  transfer: Transfer,
  describe: DescribeError,
  l10n: L10n,
): readonly TooltipRow[] {
  const { spec, state, rate, end } = transfer;
  return tooltipRows(
    [l10n.t('Name'), spec.fullName],
    [l10n.t('Platform'), spec.platform],
    [l10n.t('Failed'), end?.phase === 'failed' ? describe(end.error) : ''],
    [l10n.t('Bytes'), state.bytesAll > 0 ? formatTransferredBytes(state, l10n) : ''],
    [l10n.t('Rate'), rate === undefined ? '' : formatRate(rate, l10n)],
    [l10n.t('Layers'), state.layersAll > 0 ? layerCount(transfer, l10n) : ''],
  );
}

/** How the row of one layer looks. @param kind which way it goes. */
export function presentLayer(
  layer: LayerState,
  kind: 'pull' | 'push',
  l10n: L10n,
): RowPresentation {
  const words = formatLayer(layer, kind, l10n);
  return {
    label: formatLine(layer.id),
    description: words,
    icon: layerIcon(layer, kind),
    contextValue: 'layer',
    accessibilityLabel: l10n.t('Layer {0}, {1}', formatLine(layer.id), words),
  };
}

function titleOf({ spec, phase }: Transfer, name: string, l10n: L10n): string {
  if (phase === 'failed') {
    return spec.kind === 'pull' ? l10n.t('Pull of {0}', name) : l10n.t('Push of {0}', name);
  }
  return spec.kind === 'pull' ? l10n.t('Pulling {0}', name) : l10n.t('Pushing {0}', name);
}

/** What comes first is what is read where there is little room. */
function formatProgress(transfer: Transfer, describe: DescribeError, l10n: L10n): string {
  const { end, state, rate } = transfer;
  if (end?.phase === 'failed') return formatLine(l10n.t('failed: {0}', describe(end.error)));
  if (end?.phase === 'cancelled') return l10n.t('cancelled');
  if (end) return l10n.t('done');
  if (state.layersAll === 0) return l10n.t('waiting');
  if (state.isUnpacking) {
    return l10n.t('unpacking {0} of {1} layers', state.layersUnpacked, state.layersAll);
  }
  if (state.bytesAll === 0) return layerCount(transfer, l10n);
  return joinParts(
    l10n.t('{0}%', Math.floor(state.fraction * 100)),
    formatTransferredBytes(state, l10n),
    rate === undefined ? '' : formatRate(rate, l10n),
  );
}

function layerCount({ state }: Transfer, l10n: L10n): string {
  return l10n.t('{0} of {1} layers', state.layersDone, state.layersAll);
}

function iconOf({ phase }: Transfer): Icon {
  if (phase === 'failed') return { id: 'error', color: 'list.errorForeground' };
  return phase === 'running' ? BUSY_ICON : { id: 'check' };
}

function layerIcon({ phase }: LayerState, kind: 'pull' | 'push'): Icon {
  switch (phase) {
    case 'waiting':
      return { id: 'circle-outline', color: 'disabledForeground' };
    case 'moving':
      return { id: kind === 'pull' ? 'arrow-down' : 'arrow-up' };
    case 'retrying':
      return { id: 'refresh', color: 'list.warningForeground' };
    case 'verifying':
      return { id: 'shield' };
    case 'moved':
    case 'unpacking':
      return { id: 'package' };
    case 'done':
      return { id: 'check' };
    case 'alreadyThere':
      return { id: 'check', color: 'disabledForeground' };
  }
}
