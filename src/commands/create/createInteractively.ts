/** Creates a container for the user: shows the form, pulls a missing image, and offers help after a failure. */

import * as l10n from '@vscode/l10n';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { removeContainer } from '../../engine/containers/containerLifecycle.ts';
import type { CreateArguments } from '../../engine/options/options.ts';
import { failedWith } from '../../engine/errors.ts';
import { findImage } from '../../engine/images/images.ts';
import { isCancellation } from '../../base/lifetime.ts';
import { oneLine } from '../../base/plainText.ts';
import { showLog } from '../logs/logsCommand.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formDependencies, portSuggester, publishedPorts } from './formDependencies.ts';
import { findPortConflicts, reassignPorts } from './portConflicts.ts';
import { showCreateForm, type CreatePreset } from './showCreateForm.ts';
import {
  createAndStart,
  imageToPull,
  StartFailure,
  type CreatedContainer,
} from './createAndStart.ts';
import { errorActions } from '../ui/withErrorMessage.ts';
import { pullWithCredentials } from '../registries/pullCommand.ts';
import { failureMessage } from '../ui/errorMessage.ts';
import { formatName, formatMessages } from '../ui/formatNames.ts';

/** Asks for the options and creates the container. After a failure, the form opens again with the same values. */
export async function createInteractively(
  context: CommandContext,
  preset: CreatePreset,
): Promise<CreatedContainer | undefined> {
  const wanted = await showCreateForm(context.ui, await formDependencies(context), preset);
  if (!wanted) return undefined;
  const { args, end } = wanted;
  return withCreateError(args, context, async () => {
    if (!(await offerMissingImage(args, context))) {
      return createInteractively(context, { draft: args });
    }
    // Before the create, because the user may want to change and retry values that failed.
    await context.window.creates.keepEnd(end);
    await context.window.creates.keep(args);
    const created = await createWithProgress(args, context);
    if (end === 'follow') await follow(created.id, args, context);
    return created;
  });
}

/** Returns the beginning of an error message. */
export function createFailedMessage(): string {
  return l10n.t('Could not create the container');
}

/**
 * Creates a container with progress, and shows it.
 *
 * @param warnings warnings in addition to those of the engine.
 * @throws the error of the engine.
 */
export async function createWithProgress(
  args: CreateArguments,
  context: CommandContext,
  warnings: readonly string[] = [],
): Promise<CreatedContainer> {
  const title = l10n.t('Creating a container from {0}', formatName(args.image));
  const created = await context.ui.progress(title, 'late', (signal) =>
    createAndStart(args, context, true, signal),
  );
  context.reveal(created.id);
  const all = [...created.warnings, ...warnings];
  if (all.length > 0) context.ui.warn(formatMessages(all));
  return created;
}

async function follow(id: string, args: CreateArguments, context: CommandContext): Promise<void> {
  try {
    const name = args.name ?? (await inspectContainer(await context.engine.connect(), id)).name;
    await showLog({ id, name }, context);
  } catch (error) {
    if (args.autoRemove === true && failedWith(error, 'notFound')) {
      context.ui.info(
        l10n.t('The container has already exited and was removed, including its log.'),
      );
      return;
    }
    context.ui.error(failureMessage(l10n.t("Could not show the container's log"), error));
  }
}

/** Creates a container. Shows an error, with actions to continue. */
export async function withCreateError(
  args: CreateArguments,
  context: CommandContext,
  create: () => Promise<CreatedContainer | undefined>,
): Promise<CreatedContainer | undefined> {
  try {
    return await create();
  } catch (error) {
    if (!isCancellation(error)) showCreateError(error, args, context);
    return undefined;
  }
}

function showCreateError(error: unknown, args: CreateArguments, context: CommandContext): void {
  if (error instanceof StartFailure) {
    showStartFailure(error, context);
    return;
  }
  context.ui.error(failureMessage(createFailedMessage(), error), ...errorActions(error, context), {
    title: l10n.t('Edit...'),
    run: () => createInteractively(context, { draft: args }),
  });
}

/** Reveals a container that was created but could not be started, and offers to remove it. */
export function showStartFailure(
  { id, message, args }: StartFailure,
  context: CommandContext,
): void {
  const again = args && [
    { title: l10n.t('Use a Free Port'), run: () => replaceFailed(id, args, context, false) },
    { title: l10n.t('Edit...'), run: () => replaceFailed(id, args, context, true) },
  ];
  context.reveal(id);
  context.ui.error(message, ...(again ?? []), {
    title: l10n.t('Remove'),
    run: () => removeFailed(id, context),
  });
}

/** Removes a container that could not be started, by its ID, and creates it again with other ports, or in the form. */
async function replaceFailed(
  id: string,
  args: CreateArguments,
  context: CommandContext,
  isEdited: boolean,
): Promise<void> {
  if (!(await removeFailed(id, context))) return;
  if (isEdited) {
    await createInteractively(context, { draft: args });
    return;
  }
  const containers = [...context.inventory.containers.values()].filter((one) => one.id !== id);
  const { ports = [] } = args;
  const usedPorts = findPortConflicts(ports, containers).map(({ hostPort }) => hostPort);
  const published = publishedPorts(containers);
  const suggest = portSuggester(context, () => published);
  const moved = { ...args, ports: await reassignPorts(ports, new Set(usedPorts), suggest) };
  await withCreateError(moved, context, () => createWithProgress(moved, context));
}

async function removeFailed(id: string, context: CommandContext): Promise<boolean> {
  try {
    await removeContainer(await context.engine.connect(), id);
    return true;
  } catch (error) {
    context.unit.requests.recheck(id);
    context.ui.error(failureMessage(l10n.t('Could not remove {0}', id.slice(0, 12)), error));
    return false;
  }
}

/**
 * Offers to pull the image if it is missing. Resolves to false if the user cancels, or wants to change the options
 * instead.
 */
export async function offerMissingImage(
  args: CreateArguments,
  context: CommandContext,
): Promise<boolean> {
  const isLocal = await hasImage(args.image, context);
  if (isLocal !== false) return isLocal === true;
  const question = l10n.t('Pull {0}?', oneLine(args.image, 500));
  const detail = l10n.t('The image is not available locally.');
  if (!(await context.ui.confirm(question, detail, l10n.t('Pull and Create')))) return false;
  await pullWithCredentials(context, imageToPull(args), true, new AbortController().signal);
  return true;
}

/** Resolves to whether the image is available locally; undefined if the user cancels. */
async function hasImage(image: string, context: CommandContext): Promise<boolean | undefined> {
  const title = l10n.t('Inspecting {0}', formatName(image));
  try {
    const found = await context.ui.progress(title, 'late', async (signal) =>
      findImage(await context.engine.connect(signal), image, signal),
    );
    return found !== undefined;
  } catch (error) {
    if (isCancellation(error)) return undefined;
    throw error;
  }
}
