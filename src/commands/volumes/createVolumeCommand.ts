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
import { showForm } from '../ui/form.ts';
import { labelsRow, listRow, textRow, validationMessage, type FormRow } from '../ui/formRows.ts';
import type { Ui } from '../ui/ui.ts';

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
  const known = new Set(context.inventory.volumes.entries.keys());
  const problemOf = (name: string): string | undefined =>
    known.has(name)
      ? l10n.t('The volume {0} already exists.', name)
      : validationMessage(() => checkVolumeName(name));
  const draft: CreateVolumeRequest = {};
  const done = await showForm(context.ui, {
    title: { title: context.titleOf(l10n.t('Create Volume')) },
    draft,
    actions: [{ action: 'create', label: l10n.t('Create'), icon: 'check' }],
    overview: ({ name }) => ({
      rows: volumeRows(problemOf),
      problem: name === undefined ? undefined : problemOf(name),
    }),
  });
  return done && withoutEmpty(done.draft);
}

function volumeRows(
  problem: (name: string) => string | undefined,
): readonly FormRow<CreateVolumeRequest>[] {
  const option = listRow('options', l10n.t('Driver options'), 'name=value', 'type=tmpfs', {
    problem: (entry) =>
      /^[^=\s]+=/.test(entry) ? undefined : l10n.t('Use the form {0}.', 'name=value'),
  });
  const local = { otherwise: 'local', check: checkVolumeDriver };
  return [
    textRow('name', l10n.t('Name'), 'data', { otherwise: l10n.t('anonymous'), problem }),
    textRow('driver', l10n.t('Driver'), 'local', local),
    { ...option, kind: 'map' },
    labelsRow(),
  ];
}

function withoutEmpty({ options, labels, ...request }: CreateVolumeRequest): CreateVolumeRequest {
  return { ...request, options: givenEntries(options), labels: givenEntries(labels) };
}

function givenEntries<Entries extends object>(entries: Entries | undefined): Entries | undefined {
  return entries && Object.keys(entries).length > 0 ? entries : undefined;
}
