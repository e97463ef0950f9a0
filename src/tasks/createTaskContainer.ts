import * as l10n from '@vscode/l10n';
import type { CommandContext } from '../commands/frame/commandContext.ts';
import {
  createOrPull,
  imageToPull,
  type CreatedContainer,
} from '../commands/create/createAndStart.ts';
import { withProxies } from '../commands/create/proxies.ts';
import { freeContainerName } from '../commands/create/portConflicts.ts';
import { MessageError } from '../commands/ui/errorMessage.ts';
import { startPull } from '../commands/registries/pullCommand.ts';
import { listContainers } from '../engine/containers/containers.ts';
import { failedWith, InputError } from '../engine/errors.ts';
import type { Connection } from '../engine/http/connection.ts';
import { findImage } from '../engine/images/images.ts';
import type { Container } from '../engine/model.ts';
import { createSpec } from '../engine/containers/createSpec.ts';
import { recordTaskContainer } from '../projects/workspace/workspacePlaces.ts';
import { isCancellation } from '../base/lifetime.ts';
import { inputEnd, type PullPolicy } from './taskOptions.ts';
import type { ReadyTask } from './taskTerminal.ts';

/**
 * Creates the container of a task under a free name, and pulls its image according to the task's pull policy.
 *
 * @param report shows progress messages of the pull, and the name if it is not the requested one.
 * @param signal cancels the pull. A container that is already created is returned anyway.
 */
export async function createTaskContainer(
  task: ContextTask,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly warnings: readonly string[] }> {
  const { connect, args, pull } = task;
  const pullIt = async (): Promise<void> => {
    report(l10n.t('Pulling {0}', args.image));
    await pullTaskImage(task, report, signal);
  };
  if (pull === 'always') await pullIt();
  const whenMissing = async (): Promise<void> => {
    if (pull !== 'never') return pullIt();
    const isThere = await findImage(await connect(signal), args.image, signal);
    throw new InputError(
      isThere
        ? l10n.t('The local image {0} is for a different platform.', args.image)
        : l10n.t('Image {0} not found locally, and "pull" is "never".', args.image),
    );
  };
  const { created, name } = await createWithFreeName(
    args.name,
    async (asked) => {
      const wanted = asked === undefined ? task : { ...task, args: { ...args, name: asked } };
      return createOnce(wanted, await connect(signal), whenMissing);
    },
    async () => listContainers(await connect(signal), { all: true }, signal),
  );
  recordTaskContainer(task.context.window.memory, created.id);
  if (name !== undefined && name !== args.name)
    report(
      l10n.t('The name {0} is already in use. The container is named {1}.', args.name ?? '', name),
    );
  return created;
}

/** Creates the container, with the proxies of the Docker CLI as far as they may be sent without a question. */
async function createOnce(
  { context, args }: Pick<ContextTask, 'context' | 'args'>,
  connection: Connection,
  pull: () => Promise<void>,
): Promise<CreatedContainer> {
  // The engine finishes a create that has begun, and the container must be known to be removed.
  const { signal } = new AbortController();
  const spec = createSpec(args);
  const wanted = { ...spec, body: { ...spec.body, ...inputEnd(args) } };
  const { request, warnings } = await withProxies(context, connection, wanted, false);
  const made = await createOrPull(connection, args, request, signal, pull);
  return { ...made, warnings: [...warnings, ...made.warnings] };
}

export interface ContextTask extends ReadyTask {
  readonly context: CommandContext;
  readonly pull: PullPolicy;
}

/**
 * Creates a container under the requested name. If that is taken, for example by the container of the last
 * run, uses the next free name.
 *
 * @param list returns all containers, including stopped ones.
 */
export async function createWithFreeName<Created>(
  wanted: string | undefined,
  create: (name: string | undefined) => Promise<Created>,
  list: () => Promise<readonly Container[]>,
): Promise<{ readonly created: Created; readonly name: string | undefined }> {
  let name = wanted;
  for (let tries = 1; ; tries++) {
    try {
      return { created: await create(name), name };
    } catch (error) {
      if (name === undefined || tries === MOST_TRIES || !isAboutName(error)) throw error;
      const free = freeContainerName(name, await list());
      // The conflict is not about the name.
      if (free === name) throw error;
      name = free;
    }
  }
}

/** Whether an error may be about the name. Most versions of Podman respond with status 500 if it is in use. */
function isAboutName(error: unknown): boolean {
  const isInUse = failedWith(error, 'failed') && /\bin use\b/.test(error.engineMessage ?? '');
  return isInUse || failedWith(error, 'conflict');
}

/** More than one, because others may take names at the same moment. */
const MOST_TRIES = 5;

/**
 * Pulls the image of a task with stored credentials; does not ask for any. Joins a pull of the same image
 * that is already in progress.
 *
 * @param report shows progress messages from now on.
 * @param signal stops waiting, and cancels the pull if nothing else waits for it.
 * @throws MessageError if the pull is canceled elsewhere; otherwise as `pullImage`.
 */
export async function pullTaskImage(
  { context, connect, args }: Pick<ContextTask, 'context' | 'connect' | 'args'>,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const pull = startPull(context, imageToPull(args), false, connect);
  const lines = context.window.transfers.onDidReport(({ transfer, news }) => {
    if (transfer === pull && news.kind === 'line') report(news.line);
  });
  try {
    await pull.join(signal);
  } catch (error) {
    if (isCancellation(error) && !signal.aborted)
      throw new MessageError(l10n.t('The pull of {0} was canceled.', args.image));
    throw error;
  } finally {
    lines.dispose();
  }
}
