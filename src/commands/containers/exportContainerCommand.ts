import * as l10n from '@vscode/l10n';
import { writeAtomically } from '../../base/writeAtomically.ts';
import { exportContainer } from '../../engine/archive/exportContainer.ts';
import { containerMounts } from '../../engine/containers/containerDetails.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { formatSize } from '../../views/format.ts';
import { archivePath, checkArchivePath, fileExists } from '../files/archiveFiles.ts';
import { withByteProgress, type OnBytes } from '../files/withByteProgress.ts';
import { writeNoted } from '../files/writeNoted.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { pickRow } from '../frame/pickTarget.ts';
import { findContainerTarget, targetsOf, type CommandTarget } from '../frame/targets.ts';
import { formatName, formatNames } from '../ui/formatNames.ts';

interface ExportArguments {
  readonly id: string;
  readonly path: string;
  readonly overwrite?: boolean;
}

interface Exported {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

/** Saves the file system of a container to a tar file, without what is mounted. */
export const exportContainerCommand = (): PlainCommand<ExportArguments, Exported> => ({
  id: 'gantry.containers.export',
  schema: {
    id: { kind: 'text', required: true },
    path: { kind: 'text', required: true },
    overwrite: { kind: 'boolean' },
  },
  selects: 'container',
  isForOne: true,
  pick: pickRow('gantry.containers.export', 'container'),
  failureTitle: l10n.t('Could not export the file system'),
  run: async ({ id, path, overwrite = false }, context, signal) => {
    const file = { path: checkArchivePath(path), overwrite };
    const connection = await context.engine.connect(signal);
    return exportTo(await findContainerTarget(context, connection, id, signal), file, signal);
  },
  runInteractive: async (context, nodes) => {
    const [target] = targetsOf(nodes, 'container', undefined, () => context);
    if (!target) return undefined;
    const { ui } = context;
    const name = formatName(target.name);
    const mounts = await mountsOf(target);
    if (mounts.length > 0 && !(await acceptMounts(context, name, mounts))) return undefined;
    const uri = await ui.saveDialog({
      title: l10n.t('Export the file system of {0}', name),
      button: l10n.t('Export'),
      name: `${target.name.replace(/[^\w.-]+/g, '-')}.tar`,
      filters: { [l10n.t('Archive')]: ['tar'] },
    });
    if (!uri) return undefined;
    const path = archivePath(uri);
    // The dialog asked before it returned an existing file. A file that is created after that is not overwritten.
    const overwrite = await fileExists(path);
    const title = l10n.t('Exporting the file system of {0}', name);
    const done = await withByteProgress(ui, title, (signal, onBytes) =>
      exportTo(target, { path, overwrite, onBytes }, signal),
    );
    ui.info(l10n.t('Exported {0} ({1}) to {2}.', name, formatSize(done.size), path));
    return done;
  },
});

/** Returns the paths in the container where something is mounted. */
async function mountsOf({ id, name, context }: CommandTarget): Promise<readonly string[]> {
  const title = l10n.t('Inspecting {0}', name);
  return context.ui.progress(title, 'late', async (signal) => {
    const connection = await context.engine.connect(signal);
    const mounts = containerMounts(await inspectContainer(connection, id, signal));
    return mounts.map(({ target }) => target);
  });
}

async function acceptMounts(
  { ui }: CommandContext,
  name: string,
  mounts: readonly string[],
): Promise<boolean> {
  const button = l10n.t('Export');
  const detail = l10n.t('The file will not have what is mounted: {0}.', formatNames(mounts));
  const question = l10n.t('Export the file system of {0} without mounts?', name);
  return (await ui.message(question, detail, [button])) === button;
}

async function exportTo(
  { id, name, context }: CommandTarget,
  { path, overwrite, onBytes }: ExportFile,
  signal: AbortSignal,
): Promise<Exported> {
  const shown = context.activity.begin(id, 'saving');
  try {
    const connection = await context.engine.connect(signal);
    const command = 'gantry.containers.export';
    const file = { kind: 'export', name, path, overwrite, command, argument: { id } } as const;
    const size = await writeNoted(context, file, async (token) => {
      const tar = await exportContainer(connection, id, signal);
      return writeAtomically(tar, path, { overwrite, token, ...(onBytes && { onBytes }) });
    });
    return { path, size };
  } finally {
    shown.dispose();
  }
}

interface ExportFile extends Pick<Required<ExportArguments>, 'path' | 'overwrite'> {
  readonly onBytes?: OnBytes;
}
