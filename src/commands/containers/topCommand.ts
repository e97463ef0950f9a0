import * as l10n from '@vscode/l10n';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { failedWith, InputError, type EngineError } from '../../engine/errors.ts';
import { listProcesses, type ContainerProcess } from '../../engine/exec/listProcesses.ts';
import type { TargetCommand } from '../frame/command.ts';
import { errorMessage, MessageError } from '../ui/errorMessage.ts';
import { formatName } from '../ui/formatNames.ts';

interface Top {
  readonly processes: readonly ContainerProcess[];
}

/** Lists the processes of a running container. */
export const topCommand = (): TargetCommand<object, Top> => ({
  id: 'gantry.containers.top',
  on: 'container',
  isForOne: true,
  progressTitle: (name) => l10n.t('Listing the processes of {0}', name),
  failureTitle: (name) => l10n.t('Could not list the processes of {0}', name),
  run: async (call) => {
    const { id } = await call.target();
    const connection = await call.connect();
    try {
      return { processes: await listProcesses(connection, id, call.signal) };
    } catch (error) {
      if (!failedWith(error, 'conflict', 'failed', 'badAnswer')) throw error;
      // Engines refuse it in different ways.
      const { name, state, isRunning } = await inspectContainer(connection, id, call.signal);
      throw refusal(error, formatName(name), isRunning ? state : 'exited');
    }
  },
});

function refusal(error: EngineError, name: string, state: string): Error {
  if (state === 'exited') return new InputError(l10n.t('{0} is not running.', name));
  if (state === 'paused')
    return new InputError(
      l10n.t('{0} is paused. Podman lists the processes of running containers only.', name),
    );
  if (error.reason !== 'failed') return error;
  const words = l10n.t('Docker lists processes with the program ps of its machine.');
  return new MessageError(`${words} ${errorMessage(error)}`, { cause: error });
}
