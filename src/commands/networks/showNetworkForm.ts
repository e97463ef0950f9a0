import * as l10n from '@vscode/l10n';
import {
  checkDriver,
  checkGateway,
  checkNetworkName,
  checkSubnet,
  networkRequestBody,
  type NetworkSpec,
} from '../../engine/networks/networkSpec.ts';
import { showForm, type FormRow } from '../ui/form.ts';
import { flagRow, textMapRow, textRow, validationMessage, type Keeper } from '../ui/formRows.ts';
import { LONGEST_NAME, longNameMessage } from '../ui/longName.ts';
import type { StepTitle, Ui } from '../ui/ui.ts';

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
  const problemOf = (name: string): string | undefined => {
    if (known.has(name)) return l10n.t('The network {0} already exists.', name);
    if (name.length > LONGEST_NAME) return longNameMessage(name);
    return validationMessage(() => checkNetworkName(name));
  };
  const name = before?.name ?? (await askName(ui, title, problemOf));
  if (name === undefined) return undefined;
  let draft: NetworkSpec = before ?? { name };
  const keeper: Keeper<NetworkSpec> = (field) => (value) => {
    draft = { ...draft, [field]: value };
  };
  return showForm(ui, { title }, () => ({
    actions: [{ label: l10n.t('Create'), icon: 'check', result: draft }],
    rows: rowsOf(ui, draft, { title }, keeper, problemOf),
    problem: problemOf(draft.name) ?? validationMessage(() => networkRequestBody(draft)),
  }));
}

type NameProblem = (name: string) => string | undefined;

function askName(ui: Ui, title: string, problem: NameProblem): Promise<string | undefined> {
  return ui.input({
    title,
    prompt: l10n.t('Network name'),
    placeholder: 'backend',
    problem,
  });
}

function rowsOf(
  ui: Ui,
  draft: NetworkSpec,
  title: StepTitle,
  keeper: Keeper<NetworkSpec>,
  problemOf: NameProblem,
): readonly FormRow[] {
  const { name, driver, internal, attachable, ipv6, labels = {} } = draft;
  const keepText = (field: TextField) => (text: string) => {
    keeper(field)(text === '' ? undefined : text);
  };
  return [
    textRow(ui, {
      ...{ title, label: l10n.t('Name'), value: name, example: 'backend' },
      prompt: l10n.t('Network name'),
      problem: problemOf,
      keep: keeper('name'),
    }),
    textRow(ui, {
      ...{ title, label: l10n.t('Driver'), value: driver ?? '', example: 'bridge' },
      otherwise: l10n.t('engine default'),
      problem: (text) => validationMessage(() => checkDriver(text)),
      keep: keepText('driver'),
    }),
    ...addressRows(ui, draft, title, keepText),
    flagRow(l10n.t('Internal (no external access)'), internal === true, keeper('internal')),
    flagRow(l10n.t('Attachable'), attachable === true, keeper('attachable')),
    flagRow(l10n.t('IPv6'), ipv6 === true, keeper('ipv6')),
    textMapRow(ui, {
      ...{ title, label: l10n.t('Labels'), example: 'team=web', entries: labels },
      problem: (entry) => (/^[^=\s]/.test(entry) ? undefined : l10n.t('A label needs a name.')),
      keep: keeper('labels'),
    }),
  ];
}

type TextField = 'driver' | 'subnet' | 'gateway';

function addressRows(
  ui: Ui,
  { subnet, gateway }: NetworkSpec,
  title: StepTitle,
  keepText: (field: TextField) => (text: string) => void,
): readonly FormRow[] {
  const common = { title, otherwise: l10n.t('engine default') };
  return [
    textRow(ui, {
      ...{ ...common, label: l10n.t('Subnet'), value: subnet ?? '', example: '10.20.0.0/16' },
      problem: (text) => validationMessage(() => checkSubnet(text)),
      keep: keepText('subnet'),
    }),
    textRow(ui, {
      ...{ ...common, label: l10n.t('Gateway'), value: gateway ?? '', example: '10.20.0.1' },
      problem: (text) => validationMessage(() => checkGateway(text, subnet)),
      keep: keepText('gateway'),
    }),
  ];
}
