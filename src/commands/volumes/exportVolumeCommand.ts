import * as l10n from '@vscode/l10n';
import {
  chooseReading,
  type VolumeLoss,
  type VolumeReading,
} from '../../engine/volumes/openVolume.ts';
import { exportVolume, type VolumeExport } from '../../files/volumeFile.ts';
import { formatSize } from '../../views/format.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { pickRow } from '../frame/pickTarget.ts';
import { withByteProgress } from '../files/withByteProgress.ts';
import { formatName } from '../ui/formatNames.ts';
import { archivePath, checkArchivePath, fileExists } from '../files/archiveFiles.ts';
import { writeNoted } from '../files/writeNoted.ts';
import type { Ui } from '../ui/ui.ts';
import { acceptRisks, attributesNote, checkLosses, lostMessage } from './copyRisks.ts';
import { checkGivenName, inspectForUser, showVolumeWork, volumeOf } from './volumeTarget.ts';

interface ExportArguments {
  readonly name: string;
  readonly path: string;
  readonly overwrite?: boolean;
  readonly allowLoss?: boolean;
}

interface Exported {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** Metadata that the file does not have, or may not have. */
  readonly lost: readonly VolumeLoss[];
}

/** Saves the files of a volume to a `.tar.gz` file, or to a `.tar` file if the name has that ending. */
export const exportVolumeCommand = (ui: Ui): PlainCommand<ExportArguments, Exported> => ({
  id: 'gantry.volumes.export',
  schema: {
    name: { kind: 'text', required: true },
    path: { kind: 'text', required: true },
    overwrite: { kind: 'boolean' },
    allowLoss: { kind: 'boolean' },
  },
  selects: 'volume',
  isForOne: true,
  pick: pickRow('gantry.volumes.export', 'volume'),
  failureTitle: l10n.t('Could not export the volume'),
  run: async (args, context, signal) => {
    const name = checkGivenName(args.name);
    const path = checkArchivePath(args.path);
    const reading = await chooseReading(await context.engine.connect(signal), name, signal);
    checkLosses(reading, args.allowLoss);
    const file = { path, overwrite: args.overwrite === true, reading, isFresh: true };
    return exportTo(context, name, file, signal);
  },
  runInteractive: async (context, nodes) => {
    const target = volumeOf(context, nodes);
    if (!target) return undefined;
    const reading = await inspectForUser(target, chooseReading);
    const name = formatName(target.name);
    const question = l10n.t('Export {0}?', name);
    const isAccepted = await acceptRisks(context, [reading], question, l10n.t('Export'));
    if (!isAccepted) return undefined;
    const uri = await askFile(context.ui, target.name, reading);
    if (!uri) return undefined;
    const path = archivePath(uri);
    // The dialog asked before it returned an existing file. A file that is created after that is not overwritten.
    const overwrite = await fileExists(path);
    const done = await withByteProgress(ui, l10n.t('Exporting {0}', name), (signal, onBytes) =>
      exportTo(context, target.id, { path, overwrite, reading, onBytes }, signal),
    );
    const words = l10n.t('Exported {0} ({1}) to {2}.', name, formatSize(done.size), path);
    ui.info(`${words} ${lostMessage(done.lost)}`.trim());
    return done;
  },
});

function askFile(ui: Ui, name: string, reading: VolumeReading) {
  const title = [l10n.t('Export {0}', formatName(name)), attributesNote(reading)];
  return ui.saveDialog({
    title: title.filter((part) => part !== '').join('. '),
    button: l10n.t('Export'),
    name: `${name.replace(/[^\w.-]+/g, '-')}.tar.gz`,
    // Without `gz`, the dialog of a remote window would not recognize `.tar.gz`, and add it again.
    // With `tar`, it keeps that ending of a name that the user types.
    filters: { [l10n.t('Archive')]: ['tar.gz', 'tgz', 'gz', 'tar'] },
  });
}

async function exportTo(
  context: CommandContext,
  name: string,
  file: Omit<VolumeExport, 'containers' | 'token'>,
  signal: AbortSignal,
): Promise<Exported> {
  const connection = await context.engine.connect(signal);
  const { volumes: containers } = await context.window.files();
  const { path, overwrite } = file;
  // What is lost was agreed to, or there is nothing.
  const argument = { name, allowLoss: true };
  const command = 'gantry.volumes.export';
  const noted = { kind: 'export', name, path, overwrite, command, argument } as const;
  const done = await writeNoted(context, noted, async (token) => {
    await using _shown = showVolumeWork(context, name, 'saving');
    return await exportVolume(connection, name, { ...file, token, containers }, signal);
  });
  return { ...done, lost: file.reading.losses };
}
