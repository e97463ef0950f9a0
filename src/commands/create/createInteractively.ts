/** Creates a container with a person: the form, the pull of what is missing, and what to do after a failure. */

import * as vscode from 'vscode';
import { capabilitiesOf } from '../../engine/capabilities.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { removeContainer } from '../../engine/containers/containerLifecycle.ts';
import type { CreateArguments } from '../../engine/options/options.ts';
import { failedWith } from '../../engine/errors.ts';
import {
  isFreeLocalPort,
  isLocalEngine,
  suggestHostPort,
} from '../../engine/options/suggestHostPort.ts';
import { fetchImageDefaults } from '../../engine/images/imageDefaults.ts';
import { hasImage } from '../../engine/images/images.ts';
import type { Container } from '../../engine/model.ts';
import { isCancellation } from '../../lifetime.ts';
import { oneLine } from '../../plainText.ts';
import { showLog } from '../logs/logsCommand.ts';
import type { CommandContext } from '../context.ts';
import {
  showCreateForm,
  type CreatePreset,
  type CreateFormDependencies,
} from './showCreateForm.ts';
import type { SuggestPort } from './createImageRows.ts';
import {
  createAndStart,
  imageToPull,
  StartFailure,
  type CreatedContainer,
} from './createAndStart.ts';
import {
  confirm,
  errorActions,
  showError,
  showInfo,
  showWarning,
  withProgress,
} from '../notifications.ts';
import { pullWithCredentials } from '../registries/pullCommand.ts';
import { failureMessage } from '../errorMessages.ts';
import { formatName, formatMessages } from '../displayText.ts';
import { knownContainers, knownImages } from '../targets.ts';

const { l10n } = vscode;

/** What the person has filled in is never lost: after a failure the form opens with it again. */
export async function createInteractively(
  context: CommandContext,
  preset: CreatePreset,
): Promise<CreatedContainer | undefined> {
  const wanted = await showCreateForm(await formDependencies(context), preset);
  if (!wanted) return undefined;
  try {
    if (!(await offerMissingImage(wanted.args, context))) {
      return await createInteractively(context, { draft: wanted.args });
    }
    const { args, end } = wanted;
    // Before it is made: what would not start is what is wanted again with a change.
    await context.creates.keepEnd(end);
    await context.creates.keep(args);
    const created = await createWithProgress(args, context);
    if (end === 'follow') await follow(created.id, args, context);
    return created;
  } catch (error) {
    if (!isCancellation(error)) showCreateError(error, wanted.args, context);
    return undefined;
  }
}

/** The beginning of an error. */
export const CREATE_FAILED = l10n.t('Could not create the container');

/**
 * Creates it with progress, and shows it.
 *
 * @param warnings what is to be said besides the engine's.
 * @throws whatever the engine refuses.
 */
export async function createWithProgress(
  args: CreateArguments,
  context: CommandContext,
  warnings: readonly string[] = [],
): Promise<CreatedContainer> {
  const title = l10n.t('Creating a container of {0}', formatName(args.image));
  const created = await withProgress(title, 'late', (signal) =>
    createAndStart(args, context, signal, () =>
      pullWithCredentials(context, imageToPull(args), true, signal),
    ),
  );
  context.reveal(created.id);
  const said = [...created.warnings, ...warnings];
  if (said.length > 0) showWarning(formatMessages(said, l10n));
  return created;
}

async function follow(id: string, args: CreateArguments, context: CommandContext): Promise<void> {
  try {
    const name = args.name ?? (await inspectContainer(await context.engine.connect(), id)).name;
    await showLog({ id, name }, context);
  } catch (error) {
    if (args.autoRemove === true && failedWith(error, 'notFound')) {
      showInfo(l10n.t('The container has ended already, and removed itself with its log.'));
      return;
    }
    showError(failureMessage(l10n.t('Could not show its log'), error, l10n));
  }
}

/** Says what went wrong, with a way on. */
export function showCreateError(
  error: unknown,
  args: CreateArguments,
  context: CommandContext,
): void {
  if (error instanceof StartFailure) {
    context.reveal(error.id);
    showError(error.message, {
      title: l10n.t('Remove'),
      run: () => removeFailed(error.id, context),
    });
    return;
  }
  showError(failureMessage(CREATE_FAILED, error, l10n), ...errorActions(error, context), {
    title: l10n.t('Edit…'),
    run: () => createInteractively(context, { draft: args }),
  });
}

async function removeFailed(id: string, context: CommandContext): Promise<void> {
  try {
    await removeContainer(await context.engine.connect(), id);
  } catch (error) {
    context.unit.recheck(id);
    showError(failureMessage(l10n.t('Could not remove {0}', id.slice(0, 12)), error, l10n));
  }
}

/** Offers to pull an image that is missing. False where the person would rather change what they asked for. */
export async function offerMissingImage(
  args: CreateArguments,
  context: CommandContext,
): Promise<boolean> {
  const connection = await context.engine.connect();
  if (await hasImage(connection, args.image)) return true;
  const question = l10n.t('Pull {0}?', oneLine(args.image, 500));
  const detail = l10n.t('The engine does not have this image yet.');
  if (!(await confirm(question, detail, l10n.t('Pull and Create')))) return false;
  await pullWithCredentials(context, imageToPull(args), true, new AbortController().signal);
  return true;
}

/** What the form stands on; an engine that cannot be asked now leaves it with what the person knows. */
async function formDependencies(context: CommandContext): Promise<CreateFormDependencies> {
  const listed = await knownContainers(context).catch(() => []);
  const containers = (): readonly Container[] =>
    context.inventory.phase.kind === 'live' ? [...context.inventory.containers.values()] : listed;
  return {
    images: await knownImages(context).catch(() => []),
    containers,
    defaultsOf: async (image) => {
      try {
        return await fetchImageDefaults(await context.engine.connect(), image);
      } catch {
        return undefined;
      }
    },
    pull: (reference, platform) => pullNow(context, reference, platform),
    suggestPort: (...asked) => suggestPort(context, containers(), ...asked),
    canUnset: await canUnset(context),
    last: (image) => context.creates.last(image),
    ends: context.creates.ends(),
  };
}

async function canUnset(context: CommandContext): Promise<boolean> {
  try {
    const connection = await context.engine.connect();
    return capabilitiesOf(await connection.info()).unsetsVariables;
  } catch {
    return false;
  }
}

async function pullNow(
  context: CommandContext,
  reference: string,
  platform: string | undefined,
): Promise<boolean> {
  try {
    const image = platform === undefined ? { reference } : { reference, platform };
    await pullWithCredentials(context, image, true, new AbortController().signal);
    return true;
  } catch (error) {
    if (!isCancellation(error)) {
      showError(failureMessage(l10n.t('Could not pull the image'), error, l10n));
    }
    return false;
  }
}

/** A port that no container publishes and, where the engine is here, that nobody listens at. */
export async function suggestPort(
  context: CommandContext,
  containers: readonly Container[],
  ...[port, protocol, besides]: Parameters<SuggestPort>
): Promise<number | undefined> {
  const taken = new Set(
    containers.flatMap(({ ports }) => ports.flatMap(({ publicPort }) => publicPort ?? [])),
  );
  const isHere = await isLocal(context);
  return suggestHostPort(port, async (candidate) => {
    if (taken.has(candidate) || besides.has(candidate)) return false;
    return !isHere || protocol !== 'tcp' || isFreeLocalPort(candidate);
  });
}

async function isLocal(context: CommandContext): Promise<boolean> {
  try {
    return isLocalEngine((await context.engine.connect()).endpoint);
  } catch {
    return false;
  }
}
