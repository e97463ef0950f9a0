import * as vscode from 'vscode';
import { checkPlatform } from '../../engine/options/createSpec.ts';
import type { RegistryAuth } from '../../engine/registries/credentials.ts';
import { InputError } from '../../engine/errors.ts';
import { pullImage, pullTarget, type PullResult } from '../../engine/images/pull.ts';
import {
  formatReference,
  fullName,
  parseReference,
  type Reference,
} from '../../engine/options/reference.ts';
import { isCancellation } from '../../lifetime.ts';
import { DOCKER_HUB } from '../../registries/place.ts';
import { isMissing } from '../../registries/refusal.ts';
import type { TransferSpec } from '../../transfers/transfer.ts';
import type { CommandContext } from '../context.ts';
import type { PlainCommand, TargetCommand } from '../command.ts';
import { helpFor, showError } from '../person.ts';
import { askReference, type WantedImage } from './pullForm.ts';
import { describeFailure, SentenceError } from '../sentences.ts';
import { isPlainObject, type Shape } from '../shape.ts';
import { knownImages } from '../targets.ts';

const { l10n } = vscode;

/** What to pull, and as whom. */
export interface PullArguments {
  readonly reference: string;
  readonly platform?: string;
  readonly auth?: RegistryAuth;
}

/** The field `auth` of an argument. */
export const authField: Shape[string] = {
  kind: { check: isAuth, expected: '{ username, password, serveraddress }' },
};

const shape: Shape = {
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
  shape,
  failing: FAILING,
  run: (args, context, signal) => pullFor(context, args, false, signal),
  person: (context) => askAndPull(context),
};

/** What was typed is never lost: after a failure the box opens with it again. */
async function askAndPull(
  context: CommandContext,
  before?: WantedImage,
): Promise<PullResult | undefined> {
  const tags = (await knownImages(context).catch(() => [])).flatMap((image) => image.tags);
  const asked = await askReference(context, tags, before);
  if (asked === undefined) return undefined;
  try {
    const pulled = await pullFor(context, asked, true, new AbortController().signal);
    context.reveal(pulled.imageId, formatReference(pullTarget(asked.reference, l10n)));
    return pulled;
  } catch (error) {
    if (isCancellation(error)) return undefined;
    const edit = { title: l10n.t('Edit…'), run: () => askAndPull(context, asked) };
    showError(describeFailure(FAILING, error, l10n), ...helpFor(error), edit);
    return undefined;
  }
}

/** Pulls what a row's name stands for now. */
export const pullAgainCommand: TargetCommand<Pick<PullArguments, 'auth'>, PullResult> = {
  id: 'gantry.images.pullAgain',
  kind: 'image',
  shape: { auth: authField },
  progress: 'never',
  doing: (name) => l10n.t('Pulling {0}', name),
  failing: (name) => l10n.t('Could not pull {0}', name),
  run: async ({ args, target, isPerson, signal }, context) => {
    const { id } = await target();
    return pullFor(context, { ...args, reference: nameToAskFor(id) }, isPerson, signal);
  },
};

/** What a registry can be asked for. @throws InputError for an id, which no registry knows. */
export function nameToAskFor(id: string): string {
  const isId = /^(?:sha256:)?[0-9a-f]{12,64}$/.test(id);
  if (!isId && parseReference(id).ok) return id;
  throw new InputError(l10n.t('An image without a name is in no registry. Name it first.'));
}

/**
 * Pulls with the credentials given, else with those that are found for this registry. Joins a pull of the same image
 * that runs already.
 *
 * @param isPerson whether somebody is there to see the progress and to be asked.
 */
export async function pullFor(
  context: CommandContext,
  args: PullArguments,
  isPerson: boolean,
  signal: AbortSignal,
): Promise<PullResult> {
  const spec = pullSpec(context, args, isPerson);
  const transfer = context.transfers.pull(spec);
  const pulled = isPerson
    ? await context.pulls.show(transfer, signal)
    : await transfer.join(signal);
  if (isPerson) await context.recent.add(spec.reference);
  return pulled;
}

function pullSpec(
  context: CommandContext,
  { reference: text, platform, auth: given }: PullArguments,
  keepsFailure: boolean,
): TransferSpec<PullResult> {
  const target = pullTarget(text, l10n);
  if (platform !== undefined) checkPlatform(platform, l10n);
  const reference = formatReference(target);
  return {
    ...{ kind: 'pull', engine: context.unit.id, reference, fullName: fullName(target), platform },
    title: context.titleOf(reference),
    isPrivate: given !== undefined,
    keepsFailure,
    work: async (onStep, signal, isPerson) => {
      const connection = await context.engine.connect(signal);
      const access = { connection, place: target, given, isPerson, signal };
      const pulled = context.registries.withAuth(access, (auth) => {
        const asWhom = auth && { auth };
        const request = { reference, ...(platform !== undefined && { platform }), ...asWhom };
        return pullImage(connection, request, l10n, onStep, signal);
      });
      return pulled.catch((error: unknown) => {
        throw isMissing(error) ? missing(target, error) : error;
      });
    },
  };
}

function missing(target: Reference, cause: unknown): SentenceError {
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
  return new SentenceError(words, { cause });
}
