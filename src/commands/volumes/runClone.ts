import * as l10n from '@vscode/l10n';
import {
  cloneVolume,
  removeUnfinished,
  type ClonedVolume,
} from '../../engine/volumes/cloneVolume.ts';
import type { VolumeSource } from '../../engine/volumes/openVolume.ts';
import type { VolumeIncompleteError } from '../../engine/volumes/volumeErrors.ts';
import type { OnBytes } from '../files/withByteProgress.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { failureMessage } from '../ui/errorMessage.ts';
import { formatName } from '../ui/formatNames.ts';
import type { MessageAction } from '../ui/ui.ts';
import { withErrorMessage } from '../ui/withErrorMessage.ts';
import { showVolumeWork } from './volumeTarget.ts';

/** Clones a volume, and shows in its row that it is copied. @throws as `cloneVolume`. */
export async function runClone(
  context: CommandContext,
  { to, ...source }: NewClone,
  signal: AbortSignal,
  onBytes?: OnBytes,
): Promise<ClonedVolume> {
  const { name } = source.reading.volume;
  const connection = await context.engine.connect(signal);
  const { volumes: containers } = await context.window.files();
  const how = { ...source, containers, onBytes };
  using _note = context.window.work?.begin({ kind: 'clone', name });
  await using _shown = showVolumeWork(context, name, 'copying');
  return await cloneVolume(connection, name, to, how, signal);
}

/** The volume to clone, as it was read. */
export interface NewClone extends Pick<VolumeSource, 'reading' | 'isFresh'> {
  /** The name of the new volume. */
  readonly to: string;
  /** Further labels of the new volume. */
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * Shows that an incomplete clone is left, and offers to remove it.
 *
 * @param failing the beginning of the message.
 * @param cloneAgain if given, it is offered to remove the rest and do this.
 */
export function offerToRemove(
  context: CommandContext,
  failing: string,
  error: VolumeIncompleteError,
  cloneAgain?: () => Promise<unknown>,
): void {
  const { ui, engine, inventory } = context;
  const { volume } = error;
  const remove = async (): Promise<void> => {
    await removeUnfinished(await engine.connect(), volume);
    inventory.volumes.markStale();
  };
  const again = async (): Promise<void> => {
    await remove();
    await cloneAgain?.();
  };
  const button = (title: string, run: () => Promise<void>): MessageAction => {
    return { title, run: () => withErrorMessage(failing, context, run) };
  };
  ui.error(
    failureMessage(failing, error),
    ...(cloneAgain ? [button(l10n.t('Clone Again'), again)] : []),
    button(l10n.t('Remove {0}', formatName(volume.name)), remove),
  );
}
