import * as l10n from '@vscode/l10n';
import type { VolumeCopy } from '../../engine/volumes/cloneVolume.ts';
import { VolumeIncompleteError } from '../../engine/volumes/volumeErrors.ts';
import { checkVolumeName } from '../../engine/volumes/createVolume.ts';
import { chooseReading } from '../../engine/volumes/openVolume.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { pickRow } from '../frame/pickTarget.ts';
import { withByteProgress, type OnBytes } from '../files/withByteProgress.ts';
import { formatName } from '../ui/formatNames.ts';
import { validationMessage } from '../ui/formRows.ts';
import type { CommandTarget } from '../frame/targets.ts';
import { acceptRisks, attributesNote, checkLosses, lostMessage } from './copyRisks.ts';
import { offerToRemove, runClone, type NewClone } from './runClone.ts';
import { checkGivenName, inspectForUser, volumeOf } from './volumeTarget.ts';

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
    return clone(context, { to, reading, isFresh: true }, signal);
  },
  runInteractive: async (context, nodes) => {
    const target = volumeOf(context, nodes);
    if (!target) return undefined;
    const reading = await inspectForUser(target, chooseReading);
    const to = await askName(target, attributesNote(reading));
    if (to === undefined) return undefined;
    const question = l10n.t('Clone {0}?', formatName(target.name));
    if (!(await acceptRisks(context, [reading], question, l10n.t('Clone')))) return undefined;
    return cloneForUser(context, { to, reading });
  },
});

async function cloneForUser(context: CommandContext, what: NewClone): Promise<Cloned | undefined> {
  const { ui } = context;
  const name = formatName(what.reading.volume.name);
  try {
    const done = await withByteProgress(ui, l10n.t('Cloning {0}', name), (signal, onBytes) =>
      clone(context, what, signal, onBytes),
    );
    const words = l10n.t('Cloned {0} to {1}.', name, what.to);
    ui.info(`${words} ${lostMessage(done.lost)}`.trim());
    return done;
  } catch (error) {
    if (!(error instanceof VolumeIncompleteError)) throw error;
    const again = () => cloneForUser(context, what);
    offerToRemove(context, cloneVolumeCommand().failureTitle, error, again);
    return undefined;
  }
}

async function clone(
  context: CommandContext,
  what: NewClone,
  signal: AbortSignal,
  onBytes?: OnBytes,
): Promise<Cloned> {
  const { volume, ...copy } = await runClone(context, what, signal, onBytes);
  return { name: volume.name, ...copy };
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
