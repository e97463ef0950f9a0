import * as l10n from '@vscode/l10n';
import { checkPlatform } from '../../engine/options/optionChecks.ts';
import type { RegistryAuth } from '../../engine/wire/registryAuth.ts';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { pullImage, pullTarget, type PullResult } from '../../engine/images/pullImage.ts';
import {
  formatReference,
  fullName,
  parseReference,
  type Reference,
} from '../../engine/options/reference.ts';
import { isCancellation } from '../../base/lifetime.ts';
import { DOCKER_HUB } from '../../registries/registryRef.ts';
import { isMissingInRegistry } from '../../registries/credentialSource.ts';
import type { Transfer } from '../../registries/transfers/transfer.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { PlainCommand, TargetCommand } from '../frame/command.ts';
import { errorActions } from '../ui/withErrorMessage.ts';
import { showPullForm, type PullTarget } from './showPullForm.ts';
import { failureMessage, MessageError } from '../ui/errorMessage.ts';
import { isPlainObject, type ArgumentSchema } from '../ui/checkArguments.ts';
import { suggestedImages } from '../frame/targets.ts';

/** Pulls an image by reference. */
export const pullCommand = (): PlainCommand<PullArguments, PullResult> => ({
  id: 'gantry.images.pull',
  schema: {
    reference: { kind: 'text', required: true },
    platform: { kind: 'text' },
    auth: authField,
  },
  failureTitle: FAILING(),
  run: (args, context, signal) => pullWithCredentials(context, args, false, signal),
  runInteractive: (context) => askAndPull(context),
});

/** The image to pull, with optional credentials. */
export interface PullArguments extends PullTarget {
  readonly auth?: RegistryAuth;
}

/** The schema of the field `auth`. */
export const authField: ArgumentSchema[string] = {
  kind: { check: isAuth, expected: '{ username, password, serveraddress }' },
};

function isAuth(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    ['username', 'password', 'serveraddress'].every((key) => typeof value[key] === 'string') &&
    Object.keys(value).length === 3
  );
}

/** Returns the beginning of an error message. */
const FAILING = () => l10n.t('Could not pull the image');

/** Asks what to pull. After a failure, the form opens again with the previous values. */
async function askAndPull(
  context: CommandContext,
  before?: PullTarget,
): Promise<PullResult | undefined> {
  const tags = (await suggestedImages(context)).flatMap((image) => image.tags);
  const asked = await showPullForm(context, tags, before);
  if (asked === undefined) return undefined;
  try {
    const pulled = await pullWithCredentials(context, asked, true, new AbortController().signal);
    context.reveal(pulled.imageId, formatReference(pullTarget(asked.reference)));
    return pulled;
  } catch (error) {
    if (isCancellation(error)) return undefined;
    const edit = { title: l10n.t('Edit...'), run: () => askAndPull(context, asked) };
    context.ui.error(failureMessage(FAILING(), error), ...errorActions(error, context), edit);
    return undefined;
  }
}

/** Pulls the tag of a row again. */
export const pullAgainCommand = (): TargetCommand<Pick<PullArguments, 'auth'>, PullResult> => ({
  id: 'gantry.images.pullAgain',
  on: 'image',
  schema: { auth: authField },
  progress: 'never',
  progressTitle: (name) => l10n.t('Pulling {0}', name),
  failureTitle: (name) => l10n.t('Could not pull {0}', name),
  run: async ({ args, target, isInteractive, signal }, context) => {
    const { id } = await target();
    return pullWithCredentials(
      context,
      { ...args, reference: referenceToPull(id) },
      isInteractive,
      signal,
    );
  },
});

/** Returns the reference to ask a registry for. @throws InputError for an ID, which registries do not know. */
export function referenceToPull(id: string): string {
  const isId = /^(?:sha256:)?[0-9a-f]{12,64}$/.test(id);
  if (!isId && parseReference(id).ok) return id;
  throw new InputError(l10n.t('This image has no tag. Tag it first.'));
}

/**
 * Pulls with the given credentials, or with those stored for the registry. Joins a pull of the same image
 * that is already in progress.
 *
 * @param isInteractive whether the user sees the progress and can be asked.
 */
export async function pullWithCredentials(
  context: CommandContext,
  args: PullArguments,
  isInteractive: boolean,
  signal: AbortSignal,
): Promise<PullResult> {
  const transfer = startPull(context, args, isInteractive);
  if (!isInteractive) return transfer.join(signal);
  const pulled = await context.window.pulls.show(transfer, signal);
  await context.window.recent.add(transfer.spec.reference);
  return pulled;
}

/**
 * Starts a pull, for example for {@link pullWithCredentials}. The caller must join it immediately.
 *
 * @param keepsFailure whether a failed pull stays in the view for the user.
 * @param connect how to reach the engine, unless the image is already being pulled.
 */
export function startPull(
  context: CommandContext,
  { reference: text, platform, auth: given }: PullArguments,
  keepsFailure: boolean,
  connect: Connect = (signal) => context.engine.connect(signal),
): Transfer<PullResult> {
  const target = pullTarget(text);
  if (platform !== undefined) checkPlatform(platform);
  const reference = formatReference(target);
  return context.window.transfers.pull({
    kind: 'pull',
    engine: context.unit.id,
    reference,
    fullName: fullName(target),
    platform,
    title: context.titleOf(reference),
    isPrivate: given !== undefined,
    keepsFailure,
    work: async (onStep, signal, isInteractive) => {
      const connection = await connect(signal);
      const access = { connection, ref: target, given, isInteractive, signal };
      const registries = await context.window.registries();
      const pulled = registries.withAuth(access, (auth) =>
        pullImage(connection, { reference, platform, auth }, onStep, signal),
      );
      return pulled.catch((error: unknown) => {
        throw isMissingInRegistry(error) ? missing(target, error) : error;
      });
    },
  });
}

type Connect = (signal: AbortSignal) => Promise<Connection>;

function missing(target: Reference, cause: unknown): MessageError {
  const { registry, repository, tag, digest } = target;
  const name = registry === DOCKER_HUB ? repository.replace(/^library\//, '') : repository;
  const words =
    digest === undefined
      ? l10n.t(
          '{1} not found in {0}. Check the name and the tag.',
          registry,
          `${name}:${tag ?? 'latest'}`,
        )
      : l10n.t(
          '{1} not found in {0}. Check the name and the digest.',
          registry,
          `${name}@${digest}`,
        );
  return new MessageError(words, { cause });
}
