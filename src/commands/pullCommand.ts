import * as vscode from 'vscode';
import type { RegistryAuth } from '../engine/credentials.ts';
import { pullTarget, type PullRequest, type PullResult } from '../engine/pull.ts';
import { formatReference } from '../engine/reference.ts';
import type { CommandContext } from './context.ts';
import { askReference } from './pullForm.ts';
import type { PlainCommand } from './command.ts';
import { isPlainObject, type Shape } from './shape.ts';
import { knownImages } from './targets.ts';

const { l10n } = vscode;

/** What to pull, and as whom. */
export interface PullArguments {
  readonly reference: string;
  readonly platform?: string;
  readonly auth?: RegistryAuth;
}

const shape: Shape = {
  reference: { kind: 'text', required: true },
  platform: { kind: 'text' },
  auth: { kind: { check: isAuth, expected: '{ username, password, serveraddress }' } },
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
        pulls.show();
      },
    },
  ],
  run: (args, context, signal) => pullFor(context, args, false, signal),
  person: async (context) => {
    const tags = (await knownImages(context).catch(() => [])).flatMap((image) => image.tags);
    const reference = await askReference(context.recent.all(), tags);
    if (reference === undefined) return undefined;
    const pulled = await pullFor(context, { reference }, true, new AbortController().signal);
    context.reveal(pulled.imageId, formatReference(pullTarget(reference, l10n)));
    return pulled;
  },
};

/**
 * Pulls with the credentials given, else with those that are found for this registry.
 *
 * @param isPerson whether somebody is there to see the progress and to be asked.
 */
export async function pullFor(
  context: CommandContext,
  args: PullArguments,
  isPerson: boolean,
  signal: AbortSignal,
): Promise<PullResult> {
  const reference = pullTarget(args.reference, l10n);
  const connection = await context.engine.connect(signal);
  const work = { connection, place: reference, given: args.auth, isPerson, signal };
  const pulled = await context.registries.withAuth(work, (auth) => {
    const request: PullRequest = { ...withoutAuth(args), ...(auth && { auth }) };
    return context.pulls.run(connection, request, { isPerson, signal, titleOf: context.titleOf });
  });
  if (isPerson) await context.recent.add(formatReference(reference));
  return pulled;
}

function withoutAuth({ reference, platform }: PullArguments): PullRequest {
  return platform === undefined ? { reference } : { reference, platform };
}
