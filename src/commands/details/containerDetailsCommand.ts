import * as l10n from '@vscode/l10n';
import type { TargetCommand } from '../frame/command.ts';
import { describeContainer, type DescribedContainer } from './describeContainer.ts';

/** Returns what the details page shows of a container, with secrets masked. */
export const containerDetailsCommand = (): TargetCommand<object, DescribedContainer> => ({
  id: 'gantry.containers.details',
  on: 'container',
  isForOne: true,
  progressTitle: (name) => l10n.t('Loading the details of {0}', name),
  failureTitle: (name) => l10n.t('Could not load the details of {0}', name),
  run: async (call, context) => {
    const { id } = await call.target();
    const { signal } = call;
    return (await describeContainer(id, await call.connect(), context, { signal })).facts;
  },
});
