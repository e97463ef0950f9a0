import * as l10n from '@vscode/l10n';
import type { NetworkConnection } from '../../engine/facts/containerFacts.ts';
import { isFullId } from '../../engine/wire/wire.ts';
import { joinParts } from '../../views/format.ts';
import type { SourceRow } from './sourceRow.ts';

/** Returns the rows of a network of a container: its addresses, and the names by which others reach it. */
export function connectionRows(connection: NetworkConnection): readonly SourceRow[] {
  const { name, networkId, ip, ip6, gateway, mac, aliases } = connection;
  const addresses = joinParts(ip, ip6);
  const target = { kind: 'network', id: networkId, name } as const;
  return [
    {
      label: l10n.t('Network'),
      value: name,
      ...(isFullId(networkId) && { act: { kind: 'details' as const, target } }),
    },
    {
      label: l10n.t('{0}: address', name),
      value: addresses === '' ? l10n.t('no address') : addresses,
      note: joinParts(
        gateway === undefined ? '' : l10n.t('gateway {0}', gateway),
        mac === undefined ? '' : l10n.t('MAC {0}', mac),
      ),
    },
    ...(aliases.length > 0
      ? [{ label: l10n.t('{0}: aliases', name), value: aliases.join(', ') }]
      : []),
  ];
}
