import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { Connection } from '../engine/connection.ts';
import { findCredentials, type RegistryAuth } from '../engine/credentials.ts';
import { InputError } from '../engine/errors.ts';
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
 * Pulls with the credentials given, else with those the person's config.json has for this registry.
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
  const auth = await allowedAuth(context, connection, args.auth, reference.registry, isPerson);
  const request: PullRequest = { ...withoutAuth(args), ...(auth && { auth }) };
  const pulled = await context.pulls.run(connection, request, {
    isPerson,
    signal,
    titleOf: context.titleOf,
  });
  if (isPerson) await context.recent.add(formatReference(reference));
  return pulled;
}

/** Credentials to another machine go in the clear only where the person has agreed to that. */
async function allowedAuth(
  context: CommandContext,
  connection: Connection,
  given: RegistryAuth | undefined,
  registry: string,
  isPerson: boolean,
): Promise<RegistryAuth | undefined> {
  const { endpoint } = connection;
  const auth = given ?? (await storedAuth(registry));
  if (!auth || context.consent.isGiven(endpoint)) return auth;
  if (isPerson && (await context.consent.ask(endpoint))) return auth;
  if (!given) return undefined;
  throw new InputError(
    l10n.t(
      'The credentials were not sent: the connection to {0} is not encrypted. Pull once from the view to allow it.',
      endpoint.url,
    ),
  );
}

async function storedAuth(registry: string): Promise<RegistryAuth | undefined> {
  const found = await findCredentials(registry, {
    env: process.env,
    home: homedir(),
    readFile: (path) => readFile(path, 'utf8'),
  });
  return found.auth;
}

function withoutAuth({ reference, platform }: PullArguments): PullRequest {
  return platform === undefined ? { reference } : { reference, platform };
}
