import * as vscode from 'vscode';
import { listContainers } from '../../engine/containers/containers.ts';
import { imageHistory, type HistoryStep } from '../../engine/images/imageHistory.ts';
import { imageRelatives } from '../../engine/images/imageRelatives.ts';
import { inspectImage } from '../../engine/images/images.ts';
import type { TargetCommand } from '../command.ts';
import type { Documents } from '../documents.ts';
import { formatImageHistory } from './formatImageHistory.ts';
import { imageDisplayName } from '../targets.ts';

const { l10n } = vscode;

/** How an image was made, what it stands on and who stands on it. */
interface History {
  /** The newest first. */
  readonly steps: readonly HistoryStep[];
  /** Names, or short ids: the nearest first. */
  readonly madeFrom: readonly string[];
  readonly madeInto: readonly string[];
  /** Names of containers. */
  readonly usedBy: readonly string[];
}

/** Tells how an image was made; for a person as a read-only document. */
export function imageHistoryCommand(documents: Documents): TargetCommand<object, History> {
  return {
    id: 'gantry.images.history',
    kind: 'image',
    schema: {},
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
        const title = l10n.t('{0} history', name);
        await documents.showText(
          context.unit.id,
          title,
          formatImageHistory({ name, ...history }, l10n),
        );
      }
      return history;
    },
  };
}
