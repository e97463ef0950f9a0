import * as l10n from '@vscode/l10n';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { inspectImage } from '../../engine/images/images.ts';
import type { TargetCommand } from '../frame/command.ts';
import type { Documents } from '../ui/documents.ts';

/**
 * The inspect commands. They return the engine's complete response, and show it to the user as a read-only
 * document.
 */
export function inspectCommands(documents: Documents): readonly TargetCommand[] {
  const inspecting = (
    kind: 'container' | 'image',
    inspect: typeof inspectContainer | typeof inspectImage,
  ): Pick<TargetCommand, 'kind' | 'progressTitle' | 'failureTitle' | 'run'> => ({
    kind,
    progressTitle: (name) => l10n.t('Inspecting {0}', name),
    failureTitle: (name) => l10n.t('Could not inspect {0}', name),
    run: async (call) => {
      const { id, name, context } = await call.target();
      const { raw } = await inspect(await call.connect(), id, call.signal);
      if (call.isInteractive) await documents.showJson(context.unit.id, kind, name, raw);
      return raw;
    },
  });
  return [
    { id: 'gantry.containers.inspect', ...inspecting('container', inspectContainer) },
    { id: 'gantry.images.inspect', ...inspecting('image', inspectImage) },
  ];
}
