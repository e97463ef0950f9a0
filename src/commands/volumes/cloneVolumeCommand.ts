import * as l10n from '@vscode/l10n';
import {
  cloneVolume,
  removeUnfinished,
  type VolumeCopy,
} from '../../engine/volumes/cloneVolume.ts';
import { VolumeIncompleteError } from '../../engine/volumes/volumeErrors.ts';
import { checkVolumeName } from '../../engine/volumes/createVolume.ts';
import { chooseReading, type VolumeSource } from '../../engine/volumes/openVolume.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { pickRow } from '../frame/pickTarget.ts';
import { failureMessage } from '../ui/errorMessage.ts';
import { withByteProgress, type OnBytes } from '../files/withByteProgress.ts';
import { formatName } from '../ui/formatNames.ts';
import { validationMessage } from '../ui/formRows.ts';
import type { CommandTarget } from '../frame/targets.ts';
import { withErrorMessage } from '../ui/withErrorMessage.ts';
import { acceptRisks, attributesNote, checkLosses, lostMessage } from './copyRisks.ts';
import { checkGivenName, inspectForUser, showVolumeWork, volumeOf } from './volumeTarget.ts';

interface CloneArguments {
  readonly name: string;
  /** The name of the new volume. */
  readonly to: string;
  readonly allowLoss?: boolean;
}

interface Cloned extends VolumeCopy {
  readonly name: string;
}

/** Copies the files of a volume to a new volume. */
export const cloneVolumeCommand = (): PlainCommand<CloneArguments, Cloned> => ({
  id: 'gantry.volumes.clone',
  schema: {
    name: { kind: 'text', required: true },
    to: { kind: 'text', required: true },
    allowLoss: { kind: 'boolean' },
  },
  selects: 'volume',
  isForOne: true,
  pick: pickRow('gantry.volumes.clone', 'volume'),
  failureTitle: l10n.t('Could not clone the volume'),
  run: async (args, context, signal) => {
    const name = checkGivenName(args.name);
    const to = checkVolumeName(args.to);
    const reading = await chooseReading(await context.engine.connect(signal), name, signal);
    checkLosses(reading, args.allowLoss);
    return clone(context, { name, to, reading, isFresh: true }, signal);
  },
  runInteractive: async (context, nodes) => {
    const target = volumeOf(context, nodes);
    if (!target) return undefined;
    const reading = await inspectForUser(target, chooseReading);
    const to = await askName(target, attributesNote(reading));
    if (to === undefined) return undefined;
    const question = l10n.t('Clone {0}?', formatName(target.name));
    if (!(await acceptRisks(target, reading, question, l10n.t('Clone')))) return undefined;
    return cloneForUser(context, { name: target.id, to, reading });
  },
});

interface Clone extends Pick<VolumeSource, 'reading' | 'isFresh'> {
  readonly name: string;
  /** The name of the new volume. */
  readonly to: string;
}

async function cloneForUser(context: CommandContext, what: Clone): Promise<Cloned | undefined> {
  const { ui } = context;
  const name = formatName(what.name);
  try {
    const done = await withByteProgress(ui, l10n.t('Cloning {0}', name), (signal, onBytes) =>
      clone(context, what, signal, onBytes),
    );
    const words = l10n.t('Cloned {0} to {1}.', name, what.to);
    ui.info(`${words} ${lostMessage(done.lost)}`.trim());
    return done;
  } catch (error) {
    if (!(error instanceof VolumeIncompleteError)) throw error;
    offerToRemove(context, what, error);
    return undefined;
  }
}

/** Shows that an incomplete clone is left, and offers to remove it, or to clone again. */
function offerToRemove(context: CommandContext, what: Clone, error: VolumeIncompleteError): void {
  const { ui, engine, inventory } = context;
  const failing = cloneVolumeCommand().failureTitle;
  const remove = async (): Promise<void> => {
    await removeUnfinished(await engine.connect(), error.volume);
    inventory.volumes.markStale();
  };
  const again = async (): Promise<void> => {
    await remove();
    await cloneForUser(context, what);
  };
  ui.error(
    failureMessage(failing, error),
    { title: l10n.t('Clone Again'), run: () => withErrorMessage(failing, context, again) },
    {
      title: l10n.t('Remove {0}', formatName(what.to)),
      run: () => withErrorMessage(failing, context, remove),
    },
  );
}

/** Resolves to undefined if the user cancels. */
function askName({ name, context }: CommandTarget, note: string): Promise<string | undefined> {
  const { ui, inventory } = context;
  return ui.input({
    title: l10n.t('Clone {0}', name),
    prompt: [l10n.t('Name of the new volume'), note].filter((part) => part !== '').join('. '),
    value: `${name}-copy`,
    problem: (text) =>
      inventory.volumes.entries.has(text)
        ? l10n.t('The volume {0} already exists.', formatName(text))
        : validationMessage(() => checkVolumeName(text)),
  });
}

async function clone(
  context: CommandContext,
  what: Clone,
  signal: AbortSignal,
  onBytes?: OnBytes,
): Promise<Cloned> {
  const { name, to, ...source } = what;
  const connection = await context.engine.connect(signal);
  const { volumes: containers } = await context.window.files();
  const how = { ...source, containers, onBytes };
  using _note = context.window.work?.begin({ kind: 'clone', name });
  await using _shown = showVolumeWork(context, name, 'copying');
  return { name: to, ...(await cloneVolume(connection, name, to, how, signal)) };
}
