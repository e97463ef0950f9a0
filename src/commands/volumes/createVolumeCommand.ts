import * as l10n from '@vscode/l10n';
import {
  checkVolumeDriver,
  checkVolumeName,
  createVolume,
  type CreateVolumeRequest,
} from '../../engine/volumes/createVolume.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName } from '../ui/formatNames.ts';
import { showForm, type FormRow } from '../ui/form.ts';
import { textMapRow, textRow, validationMessage, type Keeper } from '../ui/formRows.ts';
import type { StepTitle, Ui } from '../ui/ui.ts';

interface Created {
  readonly name: string;
  readonly outcome: 'created' | 'alreadyThere';
}

/** Creates a volume. */
export const createVolumeCommand = (ui: Ui): PlainCommand<CreateVolumeRequest, Created> => ({
  id: 'gantry.volumes.create',
  schema: {
    name: { kind: 'text' },
    driver: { kind: 'text' },
    options: { kind: 'textMap' },
    labels: { kind: 'textMap' },
  },
  failureTitle: l10n.t('Could not create the volume'),
  run: create,
  runInteractive: async (context) => {
    const request = await askVolume(context);
    if (!request) return undefined;
    const made = await ui.progress(l10n.t('Creating volume'), 'late', (signal) =>
      create(request, context, signal),
    );
    const name = formatName(made.name);
    if (made.outcome === 'alreadyThere')
      ui.warn(l10n.t('The volume {0} already exists and was not changed.', name));
    return made;
  },
});

async function create(
  request: CreateVolumeRequest,
  { engine, inventory }: CommandContext,
  signal: AbortSignal,
): Promise<Created> {
  try {
    const connection = await engine.connect(signal);
    const { volume, outcome } = await createVolume(connection, request, signal);
    return { name: volume.name, outcome };
  } finally {
    inventory.volumes.markStale();
  }
}

/** Asks for the options of a volume, all of which have a default. Resolves to undefined if the user cancels. */
async function askVolume(context: CommandContext): Promise<CreateVolumeRequest | undefined> {
  const { ui } = context;
  const title = context.titleOf(l10n.t('Create Volume'));
  let draft: Draft = { name: '', driver: '', options: {}, labels: {} };
  const keeper: Keeper<Draft> = (field) => (value) => {
    draft = { ...draft, [field]: value };
  };
  const known = new Set(context.inventory.volumes.entries.keys());
  const problemOf = (name: string): string | undefined =>
    known.has(name)
      ? l10n.t('The volume {0} already exists.', name)
      : validationMessage(() => checkVolumeName(name));
  return showForm(ui, { title }, () => ({
    actions: [{ label: l10n.t('Create'), icon: 'check', result: requestOf(draft) }],
    problem: draft.name === '' ? undefined : problemOf(draft.name),
    rows: rowsOf(ui, draft, { title }, keeper, problemOf),
  }));
}

type Draft = Required<CreateVolumeRequest>;

function requestOf({ name, driver, options, labels }: Draft): CreateVolumeRequest {
  return {
    ...(name !== '' && { name }),
    ...(driver !== '' && { driver }),
    ...(Object.keys(options).length > 0 && { options }),
    ...(Object.keys(labels).length > 0 && { labels }),
  };
}

function rowsOf(
  ui: Ui,
  { name, driver, options, labels }: Draft,
  title: StepTitle,
  keeper: Keeper<Draft>,
  problem: (name: string) => string | undefined,
): readonly FormRow[] {
  return [
    textRow(ui, {
      ...{ title, label: l10n.t('Name'), value: name, example: 'data', problem },
      otherwise: l10n.t('anonymous'),
      keep: keeper('name'),
    }),
    textRow(ui, {
      ...{ title, label: l10n.t('Driver'), value: driver, otherwise: 'local', example: 'local' },
      problem: (text) => validationMessage(() => checkVolumeDriver(text)),
      keep: keeper('driver'),
    }),
    textMapRow(ui, {
      ...{ title, label: l10n.t('Driver options'), example: 'type=tmpfs', entries: options },
      problem: (entry) =>
        /^[^=\s]+=/.test(entry) ? undefined : l10n.t('Use the form {0}.', 'name=value'),
      keep: keeper('options'),
    }),
    textMapRow(ui, {
      ...{ title, label: l10n.t('Labels'), example: 'team=web', entries: labels },
      problem: (entry) => (/^[^=\s]/.test(entry) ? undefined : l10n.t('A label needs a name.')),
      keep: keeper('labels'),
    }),
  ];
}
