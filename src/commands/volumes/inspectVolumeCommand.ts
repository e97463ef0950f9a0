import * as l10n from '@vscode/l10n';
import { inspectVolume } from '../../engine/volumes/volumes.ts';
import type { TargetCommand } from '../frame/command.ts';

/** Returns the engine's complete response, and shows it to the user as a read-only document. */
export const inspectVolumeCommand = (): TargetCommand => ({
  id: 'gantry.volumes.inspect',
  on: 'volume',
  progressTitle: (name) => l10n.t('Inspecting {0}', name),
  failureTitle: (name) => l10n.t('Could not inspect {0}', name),
  run: async (call) => {
    const { id, name, context } = await call.target();
    const { raw } = await inspectVolume(await call.connect(), id, call.signal);
    if (call.isInteractive) await context.ui.showJson(context.unit.id, 'volume', name, raw);
    return raw;
  },
});
