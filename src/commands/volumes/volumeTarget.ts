import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import type { Verb } from '../../inventory/activity.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName } from '../ui/formatNames.ts';
import { targetsOf, type CommandTarget } from '../frame/targets.ts';

/** Returns the volume of the row. */
export function volumeOf(
  context: CommandContext,
  nodes: readonly TreeNode[],
): CommandTarget | undefined {
  return targetsOf(nodes.slice(0, 1), 'volume', undefined, () => context)[0];
}

/** Looks at a volume before the user is asked about it. The user can cancel that if it takes long. */
export function inspectForUser<T>(
  { id, name, context }: CommandTarget,
  inspect: (connection: Connection, name: string, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { ui, engine } = context;
  return ui.progress(l10n.t('Inspecting {0}', formatName(name)), 'late', async (signal) =>
    inspect(await engine.connect(signal), id, signal),
  );
}

/** Returns the name in an argument. @throws InputError if it is empty. */
export function checkGivenName(name: string): string {
  if (name.trim() !== '') return name;
  throw new InputError(l10n.t('The name of the volume is empty.'));
}

/**
 * Shows in the row of a volume what is done with it, until disposed of. Lists the volumes again then: not every engine
 * sends events of them. Drops what is known of files that may have changed.
 */
export function showVolumeWork(
  { activity, window: { files }, inventory, unit }: CommandContext,
  name: string,
  verb: Verb,
): AsyncDisposable {
  const busy = activity.begin(name, verb);
  return {
    [Symbol.asyncDispose]: async () => {
      busy.dispose();
      inventory.volumes.markStale();
      if (verb !== 'importing' && verb !== 'emptying') return;
      inventory.volumeSizes.forget([name]);
      (await files()).all.refresh({ engine: unit.id, kind: 'volume', id: name, name });
    },
  };
}
