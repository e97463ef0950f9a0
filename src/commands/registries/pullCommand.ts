import * as vscode from 'vscode';
import { checkPlatform } from '../../engine/options/optionChecks.ts';
import type { RegistryAuth } from '../../engine/registries/registryAuth.ts';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { pullImage, pullTarget, type PullResult } from '../../engine/images/pullImage.ts';
import {
  formatReference,
  fullName,
  parseReference,
  type Reference,
} from '../../engine/options/reference.ts';
import { isCancellation } from '../../lifetime.ts';
import { DOCKER_HUB } from '../../registries/registryRef.ts';
import { isMissingInRegistry } from '../../registries/explainRefusal.ts';
import type { Transfer, TransferSpec } from '../../transfers/transfer.ts';
import type { CommandContext } from '../context.ts';
import type { PlainCommand, TargetCommand } from '../command.ts';
import { errorActions, showError } from '../notifications.ts';
import { showPullForm, type PullTarget } from './showPullForm.ts';
import { failureMessage, MessageError } from '../errorMessages.ts';
import { isPlainObject, type ArgumentSchema } from '../arguments.ts';
import { knownImages } from '../targets.ts';

const { l10n } = vscode;

/** What to pull, and as whom. */
export interface PullArguments {
  readonly reference: string;
  readonly platform?: string | undefined;
  readonly auth?: RegistryAuth;
}

/** The field `auth` of an argument. */
export const authField: ArgumentSchema[string] = {
  kind: { check: isAuth, expected: '{ username, password, serveraddress }' },
};

const shape: ArgumentSchema = {
  reference: { kind: 'text', required: true },
  platform: { kind: 'text' },
  auth: authField,
};

function isAuth(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    ['username', 'password', 'serveraddress'].every((key) => typeof value[key] === 'string') &&
    Object.keys(value).length === 3
  );
}

/** The beginning of an error. */
const FAILING = l10n.t('Could not pull the image');

/** Pulls an image by any reference a person types. */
export const pullCommand: PlainCommand<PullArguments, PullResult> = {
  id: 'gantry.images.pull',
  schema: shape,
  failureTitle: FAILING,
  run: (args, context, signal) => pullWithCredentials(context, args, false, signal),
  runInteractive: (context) => askAndPull(context),
};

/** What was typed is never lost: after a failure the box opens with it again. */
async function askAndPull(
  context: CommandContext,
  before?: PullTarget,
): Promise<PullResult | undefined> {
  const tags = (await knownImages(context).catch(() => [])).flatMap((image) => image.tags);
  const asked = await showPullForm(context, tags, before);
  if (asked === undefined) return undefined;
  try {
    const pulled = await pullWithCredentials(context, asked, true, new AbortController().signal);
    context.reveal(pulled.imageId, formatReference(pullTarget(asked.reference, l10n)));
    return pulled;
  } catch (error) {
    if (isCancellation(error)) return undefined;
    const edit = { title: l10n.t('Edit…'), run: () => askAndPull(context, asked) };
    showError(failureMessage(FAILING, error, l10n), ...errorActions(error, context), edit);
    return undefined;
  }
}

/** Pulls what a row's name stands for now. */
export const pullAgainCommand: TargetCommand<Pick<PullArguments, 'auth'>, PullResult> = {
  id: 'gantry.images.pullAgain',
  kind: 'image',
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
};

/** What a registry can be asked for. @throws InputError for an id, which no registry knows. */
export function referenceToPull(id: string): string {
  const isId = /^(?:sha256:)?[0-9a-f]{12,64}$/.test(id);
  if (!isId && parseReference(id).ok) return id;
  throw new InputError(l10n.t('An image without a name is in no registry. Name it first.'));
}

/**
 * Pulls with the credentials given, else with those that are found for this registry. Joins a pull of the same image
 * that runs already.
 *
 * @param isInteractive whether somebody is there to see the progress and to be asked.
 */
export async function pullWithCredentials(
  context: CommandContext,
  args: PullArguments,
  isInteractive: boolean,
  signal: AbortSignal,
): Promise<PullResult> {
  const transfer = startPull(context, args, isInteractive);
  if (!isInteractive) return transfer.join(signal);
  const pulled = await context.pulls.show(transfer, signal);
  await context.recent.add(transfer.spec.reference);
  return pulled;
}

/**
 * Starts what {@link pullWithCredentials} waits for. It is to be joined at once.
 *
 * @param connect how the engine is reached, unless the image is being pulled already.
 */
export function startPull(
  context: CommandContext,
  args: PullArguments,
  isInteractive: boolean,
  connect: Connect = (signal) => context.engine.connect(signal),
): Transfer<PullResult> {
  return context.transfers.pull(pullSpec(context, args, isInteractive, connect));
}

type Connect = (signal: AbortSignal) => Promise<Connection>;

function pullSpec(
  context: CommandContext,
  { reference: text, platform, auth: given }: PullArguments,
  keepsFailure: boolean,
  connect: Connect,
): TransferSpec<PullResult> {
  const target = pullTarget(text, l10n);
  if (platform !== undefined) checkPlatform(platform, l10n);
  const reference = formatReference(target);
  return {
    ...{ kind: 'pull', engine: context.unit.id, reference, fullName: fullName(target), platform },
    title: context.titleOf(reference),
    isPrivate: given !== undefined,
    keepsFailure,
    work: async (onStep, signal, isInteractive) => {
      const connection = await connect(signal);
      const access = { connection, ref: target, given, isInteractive, signal };
      const pulled = context.registries.withAuth(access, (auth) => {
        const asWhom = auth && { auth };
        const request = { reference, ...(platform !== undefined && { platform }), ...asWhom };
        return pullImage(connection, request, l10n, onStep, signal);
      });
      return pulled.catch((error: unknown) => {
        throw isMissingInRegistry(error) ? missing(target, error) : error;
      });
    },
  };
}

function missing(target: Reference, cause: unknown): MessageError {
  const { registry, repository, tag, digest } = target;
  const name = registry === DOCKER_HUB ? repository.replace(/^library\//, '') : repository;
  const words =
    digest === undefined
      ? l10n.t(
          '{0} has no {1}. Check the name and the tag.',
          registry,
          `${name}:${tag ?? 'latest'}`,
        )
      : l10n.t('{0} has no {1}. Check the name and the digest.', registry, `${name}@${digest}`);
  return new MessageError(words, { cause });
}
