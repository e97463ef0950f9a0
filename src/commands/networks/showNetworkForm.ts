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
import { labelsRow, validationMessage, type FormRow } from '../ui/formRows.ts';
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
      rows: [
        { kind: 'text', field: 'name', label: l10n.t('Name'), example: 'backend', ...name },
        ...networkRows(draft),
      ],
      problem: name.problem(draft.name) ?? validationMessage(() => networkRequestBody(draft)),
    }),
  });
  return done?.draft;
}

function networkRows({ subnet }: NetworkSpec): readonly FormRow<NetworkSpec>[] {
  const usual = { kind: 'text', otherwise: l10n.t('engine default') } as const;
  const checkIt = (text: string) => checkGateway(text, subnet);
  return [
    { ...usual, field: 'driver', label: l10n.t('Driver'), example: 'bridge', check: checkDriver },
    {
      ...usual,
      field: 'subnet',
      label: l10n.t('Subnet'),
      example: '10.20.0.0/16',
      check: checkSubnet,
    },
    { ...usual, field: 'gateway', label: l10n.t('Gateway'), example: '10.20.0.1', check: checkIt },
    { kind: 'flag', field: 'internal', label: l10n.t('Internal (no external access)') },
    { kind: 'flag', field: 'attachable', label: l10n.t('Attachable') },
    { kind: 'flag', field: 'ipv6', label: l10n.t('IPv6') },
    labelsRow(),
  ];
}
