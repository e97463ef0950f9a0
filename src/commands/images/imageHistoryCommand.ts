import * as l10n from '@vscode/l10n';
import { listContainers } from '../../engine/containers/containers.ts';
import { imageHistory } from '../../engine/images/imageHistory.ts';
import { imageRelatives } from '../../engine/images/imageRelatives.ts';
import { inspectImage } from '../../engine/images/images.ts';
import type { TargetCommand } from '../frame/command.ts';
import type { Documents } from '../ui/documents.ts';
import { formatImageHistory, type ImageHistoryDetails } from './formatImageHistory.ts';
import { imageDisplayName } from '../../views/images/imageNames.ts';

/** Returns the history of an image, and shows it to the user as a read-only document. */
export function imageHistoryCommand(
  documents: Documents,
): TargetCommand<object, ImageHistoryDetails> {
  return {
    id: 'gantry.images.history',
    kind: 'image',
    progressTitle: (name) => l10n.t('Reading the history of {0}', name),
    failureTitle: (name) => l10n.t('Could not read the history of {0}', name),
    run: async (call) => {
      const { id, name, context } = await call.target();
      const connection = await call.connect();
      const [steps, relatives, image, containers] = await Promise.all([
        imageHistory(connection, id, call.signal),
        imageRelatives(connection, id, call.signal),
        inspectImage(connection, id, call.signal),
        listContainers(connection, { all: true }, call.signal),
      ]);
      const history = {
        steps,
        madeFrom: relatives.madeFrom.map(imageDisplayName),
        madeInto: relatives.madeInto.map(imageDisplayName),
        usedBy: containers.filter(({ imageId }) => imageId === image.id).map((one) => one.name),
      };
      if (call.isInteractive) {
        const text = formatImageHistory(name, history);
        await documents.showText(context.unit.id, l10n.t('{0} history', name), text);
      }
      return history;
    },
  };
}
