import * as vscode from 'vscode';
import { checkPlatform } from '../engine/createSpec.ts';
import type { RegistryAuth } from '../engine/credentials.ts';
import { InputError } from '../engine/errors.ts';
import { pullImage, pullTarget, type PullResult } from '../engine/pull.ts';
import { formatReference, fullName, parseReference } from '../engine/reference.ts';
import type { TransferSpec } from '../transfers/transfer.ts';
import type { CommandContext } from './context.ts';
import { askReference } from './pullForm.ts';
import type { PlainCommand, TargetCommand } from './command.ts';
import { isPlainObject, type Shape } from './shape.ts';
import { knownImages } from './targets.ts';

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

/** Pulls an image by any reference a person types. */
export const pullCommand: PlainCommand<PullArguments, PullResult> = {
  id: 'gantry.images.pull',
  shape,
  failing: l10n.t('Could not pull the image'),
  help: ({ pulls }) => [
    {
      title: l10n.t('Show History'),
      run: () => {
        pulls.showHistory();
      },
    },
  ],
  run: (args, context, signal) => pullFor(context, args, false, signal),
  person: async (context) => {
    const tags = (await knownImages(context).catch(() => [])).flatMap((image) => image.tags);
    const asked = await askReference(context, tags);
    if (asked === undefined) return undefined;
    const pulled = await pullFor(context, asked, true, new AbortController().signal);
    context.reveal(pulled.imageId, formatReference(pullTarget(asked.reference, l10n)));
    return pulled;
  },
};

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
      return context.registries.withAuth(access, (auth) => {
        const asWhom = auth && { auth };
        const request = { reference, ...(platform !== undefined && { platform }), ...asWhom };
        return pullImage(connection, request, l10n, onStep, signal);
      });
    },
  };
}
