import * as l10n from '@vscode/l10n';
import type { WorktreeDifference } from '../../projects/worktrees/separate.ts';
import { formatLine } from '../../views/format.ts';

/** Returns the label and description of a difference: whose it is, and what it is. */
export function formatDifference(difference: WorktreeDifference): {
  readonly label: string;
  readonly description: string;
} {
  const { kind, name } = difference;
  const from = formatLine(difference.from);
  const to = formatLine(difference.to ?? '');
  const key = formatLine(difference.path.split('.').slice(2).join('.'));
  const texts: Readonly<Record<WorktreeDifference['kind'], () => string>> = {
    port: () => l10n.t('port {0} → {1}', from, to),
    containerName: () => l10n.t('container name {0} left out', from),
    image: () => l10n.t('image {0} → {1}', from, to),
    imageTags: () => l10n.t('other tags of the image left out'),
    network: () => l10n.t('network {0} → {1}', from, to),
    subnets: () => l10n.t('subnets of the network left out'),
    bridge: () => l10n.t('bridge {0} left out', from),
    volume: () => l10n.t('volume {0} → {1}', from, to),
    externalNetwork: () => l10n.t('external network {0}', from),
    externalVolume: () => l10n.t('external volume {0}', from),
    hostNetwork: () => l10n.t('network of the host'),
    lanNetwork: () => l10n.t('{0} network', from),
    otherContainer: () => l10n.t('container {0}', from),
    portInText: () => l10n.t('port {0} in {1}', from, key),
    address: () => l10n.t('fixed address on {0}', from),
    addressLeftOut: () => l10n.t('fixed address on {0} left out', from),
    path: () => l10n.t('path {0}', from),
    device: () => l10n.t('volume at {0}', from),
    provider: () => l10n.t('run by a provider'),
  };
  return { label: formatLine(name), description: texts[kind]() };
}
