import * as l10n from '@vscode/l10n';
import {
  checkDriver,
  checkGateway,
  checkNetworkName,
  checkSubnet,
  networkRequestBody,
  type NetworkSpec,
} from '../../engine/networks/networkSpec.ts';
import { showForm } from '../ui/form.ts';
import { labelsRow, textRow, validationMessage, type FormRow } from '../ui/formRows.ts';
import { longNameProblem } from '../ui/longNameProblem.ts';
import type { Ui } from '../ui/ui.ts';

/**
 * Asks for the options of a network: first the name, then the rest in any order. Resolves to undefined if the user
 * cancels.
 *
 * @param before the previous values, to be edited.
 */
export async function showNetworkForm(
  ui: Ui,
  title: string,
  before?: NetworkSpec,
  known: ReadonlySet<string> = new Set(),
): Promise<NetworkSpec | undefined> {
  const name = {
    prompt: l10n.t('Network name'),
    problem: (text: string) =>
      known.has(text)
        ? l10n.t('The network {0} already exists.', text)
        : (longNameProblem(text) ?? validationMessage(() => checkNetworkName(text))),
  };
  const given = before?.name ?? (await ui.input({ title, placeholder: 'backend', ...name }));
  if (given === undefined) return undefined;
  const done = await showForm(ui, {
    title: { title },
    draft: before ?? { name: given },
    actions: [{ action: 'create', label: l10n.t('Create'), icon: 'check' }],
    overview: (draft) => ({
      rows: [textRow('name', l10n.t('Name'), 'backend', name), ...otherRows(draft)],
      problem: name.problem(draft.name) ?? validationMessage(() => networkRequestBody(draft)),
    }),
  });
  return done?.draft;
}

function otherRows({ subnet }: NetworkSpec): readonly FormRow<NetworkSpec>[] {
  const otherwise = l10n.t('engine default');
  const checkIp = (text: string) => checkGateway(text, subnet);
  return [
    textRow('driver', l10n.t('Driver'), 'bridge', { otherwise, check: checkDriver }),
    textRow('subnet', l10n.t('Subnet'), '10.20.0.0/16', { otherwise, check: checkSubnet }),
    textRow('gateway', l10n.t('Gateway'), '10.20.0.1', { otherwise, check: checkIp }),
    { kind: 'flag', field: 'internal', label: l10n.t('Internal (no external access)') },
    { kind: 'flag', field: 'attachable', label: l10n.t('Attachable') },
    { kind: 'flag', field: 'ipv6', label: l10n.t('IPv6') },
    labelsRow(),
  ];
}
