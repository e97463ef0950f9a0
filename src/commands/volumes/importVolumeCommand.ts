import * as l10n from '@vscode/l10n';
import { basename } from 'node:path';
import {
  VolumeChangedError,
  VolumeIncompleteError,
  VolumeLostError,
} from '../../engine/volumes/volumeErrors.ts';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import type { Volume } from '../../engine/model.ts';
import { orRemoved, type VolumeCopy } from '../../engine/volumes/cloneVolume.ts';
import { checkVolumeName, createOwnVolume, findVolume } from '../../engine/volumes/createVolume.ts';
import { checkEmptiable, emptyVolume } from '../../engine/volumes/emptyVolume.ts';
import { isEmptyVolume } from '../../engine/volumes/writeVolumeFiles.ts';
import {
  checkVolumeFile,
  importVolume,
  readVolumeFile,
  type VolumeFile,
  type VolumeImport,
} from '../../files/volumeFile.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { pickRow } from '../frame/pickTarget.ts';
import { failureMessage } from '../ui/errorMessage.ts';
import { withByteProgress, type OnBytes } from '../files/withByteProgress.ts';
import { formatName } from '../ui/formatNames.ts';
import { archivePath, checkArchivePath, withFileErrors } from '../files/archiveFiles.ts';
import type { CommandTarget } from '../frame/targets.ts';
import { withErrorMessage } from '../ui/withErrorMessage.ts';
import { lostMessage } from './copyRisks.ts';
import { offerToCreate } from './emptyVolumeCommand.ts';
import { checkGivenName, showVolumeWork, volumeOf } from './volumeTarget.ts';
import { refuseUsed } from './volumeUsers.ts';

interface ImportArguments {
  readonly name: string;
  readonly path: string;
  /** Empty the volume first. */
  readonly overwrite?: boolean;
}

/** Extracts a `.tar.gz`, `.tar.zst` or `.tar` file into a volume without files, or into a new one. */
export const importVolumeCommand = (): PlainCommand<ImportArguments, VolumeCopy> => ({
  id: 'gantry.volumes.import',
  schema: {
    name: { kind: 'text', required: true },
    path: { kind: 'text', required: true },
    overwrite: { kind: 'boolean' },
  },
  selects: 'volume',
  isForOne: true,
  pick: pickRow('gantry.volumes.import', 'volume'),
  failureTitle: l10n.t('Could not import into the volume'),
  run: async (args, context, signal) => {
    const name = checkGivenName(args.name);
    const path = checkArchivePath(args.path);
    // To the end before anything is changed: a broken file must not cost the files of the volume.
    const file = await withFileErrors(path, () => readVolumeFile(path, signal));
    const into = await look(context, name, signal);
    if (into.state === 'full' && args.overwrite !== true) {
      throw new InputError(
        l10n.t('The volume {0} has files. Set "overwrite" to delete them.', formatName(name)),
      );
    }
    return fill(context, file, into, signal);
  },
  runInteractive: async (context, nodes) => {
    const target = volumeOf(context, nodes);
    if (!target) return undefined;
    const [uri] = await context.ui.openDialog({
      title: l10n.t('Import into {0}', formatName(target.name)),
      button: l10n.t('Import'),
      filters: { [l10n.t('Archives')]: ['gz', 'tgz', 'tar', 'zst'], [l10n.t('All Files')]: ['*'] },
    });
    return uri && importForUser(target, archivePath(uri));
  },
});

/** The volume to import into, as it was before: missing, without files, or with files. */
type Into =
  | { readonly state: 'missing'; readonly name: string }
  | { readonly state: 'empty' | 'full'; readonly name: string; readonly seen: Volume };

async function look(context: CommandContext, name: string, signal: AbortSignal): Promise<Into> {
  const connection = await context.engine.connect(signal);
  const seen = await findVolume(connection, name, signal);
  if (!seen) return { state: 'missing', name: checkVolumeName(name) };
  const { volumes } = await context.window.files();
  const isEmpty = await isEmptyVolume(connection, name, volumes, signal, seen);
  if (!isEmpty) checkEmptiable(seen);
  return { state: isEmpty ? 'empty' : 'full', name, seen };
}

async function importForUser(target: CommandTarget, path: string): Promise<VolumeCopy | undefined> {
  const { context, id } = target;
  const { ui } = context;
  const name = formatName(target.name);
  const title = l10n.t('Checking {0}', formatName(basename(path)));
  const [file, into] = await withByteProgress(ui, title, async (signal, onBytes) => {
    const read = () => readVolumeFile(path, signal, onBytes);
    const file = await withFileErrors(path, read);
    return [file, await look(context, id, signal)] as const;
  });
  if (into.state === 'full' && !(await askOverwrite(target))) return undefined;
  try {
    const done = await withByteProgress(ui, l10n.t('Importing into {0}', name), (signal, onBytes) =>
      fill(context, file, into, signal, onBytes),
    );
    const words =
      done.entries === 1
        ? l10n.t('Imported 1 file or folder into {0}.', name)
        : l10n.t('Imported {0} files and folders into {1}.', done.entries, name);
    ui.info(`${words} ${lostMessage(done.lost)}`.trim());
    return done;
  } catch (error) {
    if (error instanceof VolumeLostError) offerToCreate(context, error);
    else if (error instanceof VolumeIncompleteError) offerAgain(target, path, error);
    else throw error;
    return undefined;
  }
}

/** Asks before files are deleted. Resolves to false if the user cancels or containers use the volume. */
async function askOverwrite(target: CommandTarget): Promise<boolean> {
  const { ui } = target.context;
  if (await refuseUsed(ui, [target])) return false;
  const question = l10n.t('Replace all files in {0}?', formatName(target.name));
  const detail = l10n.t('All files in it are deleted.');
  return ui.confirm(question, detail, l10n.t('Replace'));
}

/** Shows that files are missing, and offers to import again, which asks before it deletes what there is. */
function offerAgain(target: CommandTarget, path: string, error: VolumeIncompleteError): void {
  const { context } = target;
  const { ui } = context;
  const failing = importVolumeCommand().failureTitle;
  ui.error(failureMessage(failing, error), {
    title: l10n.t('Import Again'),
    run: () => withErrorMessage(failing, context, () => importForUser(target, path)),
  });
}

/** Writes the files to the volume, which is created if it is missing, and emptied if it has files. */
async function fill(
  context: CommandContext,
  file: VolumeFile,
  into: Into,
  signal: AbortSignal,
  onBytes?: OnBytes,
): Promise<VolumeCopy> {
  const { name } = into;
  const connection = await context.engine.connect(signal);
  const { volumes: containers } = await context.window.files();
  using _note = context.window.work?.begin({ kind: 'import', name });
  await using _shown = showVolumeWork(context, name, 'importing');
  const write = () => fillIn(connection, { containers, file, onBytes }, into, signal);
  return await withFileErrors(file.path, write);
}

async function fillIn(
  connection: Connection,
  source: VolumeImport,
  into: Into,
  signal: AbortSignal,
): Promise<VolumeCopy> {
  const { name, state } = into;
  const write = (found?: Volume) => importVolume(connection, name, { ...source, found }, signal);
  const isEmpty = (seen?: Volume) =>
    isEmptyVolume(connection, name, source.containers, signal, seen);
  // The user was asked since it was read.
  await checkVolumeFile(connection, source.file, signal);
  if (state === 'missing') {
    const volume = await createOwnVolume(connection, { name });
    return orRemoved(connection, volume, () => write(volume));
  }
  if (state === 'full') await emptyVolume(connection, name, into.seen, signal);
  // Another client could have replaced it, or written to it since.
  else if (!(await isEmpty(into.seen))) {
    throw new InputError(
      l10n.t('{0} got files in the meantime. Nothing was changed.', formatName(name)),
    );
  }
  try {
    // Another client could have created it again first, and written to it.
    if (state === 'full' && !(await isEmpty())) throw new VolumeChangedError(name, true);
    // One that was emptied was created again, which changes its age.
    return await write(state === 'empty' ? into.seen : undefined);
  } catch (error) {
    if (error instanceof VolumeChangedError) throw error;
    throw new VolumeIncompleteError(into.seen, error);
  }
}
