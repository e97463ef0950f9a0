import { VolumeIncompleteError, VolumeLostError } from '../../engine/volumes/volumeErrors.ts';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { orRemoved, type VolumeCopy } from '../../engine/volumes/cloneVolume.ts';
import { checkVolumeName, createVolume, findVolume } from '../../engine/volumes/createVolume.ts';
import { emptyVolume } from '../../engine/volumes/emptyVolume.ts';
import type { SeenVolume } from '../../engine/volumes/removeVolume.ts';
import { isEmptyVolume } from '../../engine/volumes/writeVolumeFiles.ts';
import { importVolume, readVolumeFile } from '../../files/volumeFile.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { failureMessage } from '../errorMessages.ts';
import { withByteProgress, type OnBytes } from '../files/withByteProgress.ts';
import { formatName } from '../formatNames.ts';
import { archivePath, checkArchivePath, withFileErrors } from '../images/archiveFiles.ts';
import type { CommandTarget } from '../targets.ts';
import type { Ui } from '../ui.ts';
import { withErrorMessage } from '../withErrorMessage.ts';
import { lostMessage } from './copyRisks.ts';
import { offerToCreate } from './emptyVolumeCommand.ts';
import { checkGivenName, volumeFor, whileShown } from './volumeTarget.ts';
import { refuseUsed } from './volumeUsers.ts';

interface ImportArguments {
  readonly name: string;
  readonly path: string;
  /** Empty the volume first. */
  readonly overwrite?: boolean;
}

/** Extracts a `.tar.gz` or `.tar` file into a volume without files, or into a new one. */
export const importVolumeCommand = (ui: Ui): PlainCommand<ImportArguments, VolumeCopy> => ({
  id: 'gantry.volumes.import',
  schema: {
    name: { kind: 'text', required: true },
    path: { kind: 'text', required: true },
    overwrite: { kind: 'boolean' },
  },
  selects: 'volume',
  failureTitle: ui.l10n.t('Could not import into the volume'),
  run: (args, context, signal) => {
    const name = checkGivenName(args.name, context);
    const path = checkArchivePath(args.path, ui.l10n);
    return importFrom(context, { name, path, overwrite: args.overwrite === true }, signal);
  },
  runInteractive: async (context, nodes) => {
    const { l10n } = ui;
    const target = await volumeFor(context, nodes);
    if (!target) return undefined;
    const [uri] = await ui.openDialog({
      title: l10n.t('Import into {0}', formatName(target.name)),
      button: l10n.t('Import'),
      filters: { [l10n.t('Archives')]: ['gz', 'tgz', 'tar'], [l10n.t('All Files')]: ['*'] },
    });
    if (!uri) return undefined;
    const path = archivePath(uri, l10n);
    const agreed = await askOverwrite(target);
    if (!agreed) return undefined;
    return importForUser(target, { name: target.id, path, ...agreed });
  },
});

interface Import {
  readonly name: string;
  readonly path: string;
  readonly overwrite: boolean;
  /** The volume whose files the user agreed to delete. */
  readonly seen?: SeenVolume;
}

/** Asks before files are deleted. Resolves to undefined if the user cancels or containers use the volume. */
async function askOverwrite(
  target: CommandTarget,
): Promise<Pick<Import, 'overwrite' | 'seen'> | undefined> {
  const { context, id } = target;
  const { ui } = context;
  const { l10n } = ui;
  const connection = await context.engine.connect();
  const seen = await findVolume(connection, id);
  const { volumes } = (await context.files()).all;
  if (!seen || (await isEmptyVolume(connection, id, volumes))) return { overwrite: false };
  if (await refuseUsed(ui, [target])) return undefined;
  const question = l10n.t('Replace all files in {0}?', formatName(target.name));
  const detail = l10n.t('All files in it are deleted.');
  const isAgreed = await ui.confirm(question, detail, l10n.t('Delete and Import'));
  return isAgreed ? { overwrite: true, seen } : undefined;
}

async function importForUser(target: CommandTarget, what: Import): Promise<VolumeCopy | undefined> {
  const { context } = target;
  const { ui } = context;
  const { l10n } = ui;
  const name = formatName(target.name);
  try {
    const done = await withByteProgress(ui, l10n.t('Importing into {0}', name), (signal, onBytes) =>
      importFrom(context, what, signal, onBytes),
    );
    const words = l10n.t('Imported {0} entries into {1}.', done.entries, name);
    ui.info(`${words} ${lostMessage(done.lost, l10n)}`.trim());
    return done;
  } catch (error) {
    if (error instanceof VolumeLostError) offerToCreate(context, error);
    else if (error instanceof VolumeIncompleteError) offerAgain(target, what, error);
    else throw error;
    return undefined;
  }
}

/** Says that files are missing, and offers to delete what there is and to import again. */
function offerAgain(target: CommandTarget, what: Import, error: VolumeIncompleteError): void {
  const { context } = target;
  const { ui } = context;
  const failing = importVolumeCommand(ui).failureTitle;
  ui.error(failureMessage(failing, error, ui.l10n), {
    title: ui.l10n.t('Import Again'),
    run: () =>
      withErrorMessage(failing, context, () =>
        importForUser(target, { name: what.name, path: what.path, overwrite: true }),
      ),
  });
}

async function importFrom(
  context: CommandContext,
  what: Import,
  signal: AbortSignal,
  onBytes?: OnBytes,
): Promise<VolumeCopy> {
  const { name, path } = what;
  const { l10n } = context.ui;
  const connection = await context.engine.connect(signal);
  const { volumes: containers } = (await context.files()).all;
  const work = async (): Promise<VolumeCopy> => {
    // To the end before anything is changed: a broken file must not cost the files of the volume.
    const file = await readVolumeFile(path, signal);
    const isNew = await prepare(context, connection, what, signal);
    const write = () => importVolume(connection, name, { containers, file, onBytes }, signal);
    if (isNew) return orRemoved(connection, name, write);
    return write().catch((error: unknown) => {
      throw new VolumeIncompleteError(name, error);
    });
  };
  return whileShown(context, name, 'importing', () => withFileErrors(path, work, l10n));
}

/** Makes sure that there is a volume without files. Resolves to true if it was created for this. */
async function prepare(
  context: CommandContext,
  connection: Connection,
  { name, overwrite, seen }: Import,
  signal: AbortSignal,
): Promise<boolean> {
  const { l10n } = context.ui;
  const { volumes } = (await context.files()).all;
  if (!(await findVolume(connection, name, signal))) {
    checkVolumeName(name, l10n);
    return (await createVolume(connection, { name }, l10n, signal)).outcome === 'created';
  }
  if (await isEmptyVolume(connection, name, volumes, signal)) return false;
  if (!overwrite) {
    throw new InputError(
      l10n.t('The volume {0} has files. Set "overwrite" to delete them.', formatName(name)),
    );
  }
  await emptyVolume(connection, name, seen, signal);
  return false;
}
