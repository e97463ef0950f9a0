/** Creates a container and starts it: what is the same for a person and for an argument. */

import * as vscode from 'vscode';
import type { Connection } from '../engine/connection.ts';
import { waitForRemoval } from '../engine/containerWait.ts';
import { createContainer, inspectContainer } from '../engine/containers.ts';
import { startContainer } from '../engine/containerVerbs.ts';
import { createSpec, type CreateArguments } from '../engine/createSpec.ts';
import { failedWith } from '../engine/errors.ts';
import { hasImage } from '../engine/images.ts';
import { isCancellation } from '../lifetime.ts';
import type { CommandContext } from './context.ts';
import type { PullArguments } from './pullCommand.ts';
import { describeError, SentenceError } from './sentences.ts';

const { l10n } = vscode;

/** A container that was created, and what the engine had to say about it. */
export interface Created {
  readonly id: string;
  readonly warnings: readonly string[];
}

/** The container is there, but would not start. */
export class StartFailure extends SentenceError {
  override readonly name = 'StartFailure';
  readonly id: string;

  constructor(id: string, cause: unknown) {
    const why = describeError(cause, l10n);
    super(l10n.t('Created {0}, but could not start it: {1}', id.slice(0, 12), why), { cause });
    this.id = id;
  }
}

/**
 * Creates; where the image is missing, gets it by `pull` and creates once more; then starts where asked to.
 *
 * @param pull gets the image, or rejects.
 * @param more of the request's body, beyond what an argument says.
 * @throws InputError before any request; StartFailure where the container is there and stays.
 */
export async function create(
  args: CreateArguments,
  context: CommandContext,
  signal: AbortSignal,
  pull: () => Promise<unknown>,
  more: object = {},
): Promise<Created> {
  const spec = createSpec(args, l10n);
  const request = { ...spec, body: { ...spec.body, ...more } };
  const connection = await context.engine.connect(signal);
  const created = await createContainer(connection, request, signal).catch(
    async (error: unknown) => {
      if (!(await isImageMissing(connection, args, error, signal))) throw error;
      await pull();
      return createContainer(connection, request, signal);
    },
  );
  if (args.start === true) await start(connection, created.id, args, context, signal);
  return created;
}

/** What to pull for a container. */
export function imageOf(args: CreateArguments): PullArguments {
  const { image: reference, platform } = args;
  return platform === undefined ? { reference } : { reference, platform };
}

/** A 404 may be about a network, too; and with a platform about an image that is there in another one. */
async function isImageMissing(
  connection: Connection,
  args: CreateArguments,
  error: unknown,
  signal: AbortSignal,
): Promise<boolean> {
  if (!failedWith(error, 'notFound')) return false;
  return args.platform !== undefined || !(await hasImage(connection, args.image, signal));
}

async function start(
  connection: Connection,
  id: string,
  args: CreateArguments,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  try {
    // A container that removes itself takes its exit status along: the wait must stand before it starts.
    if (args.autoRemove === true) {
      const { name } = await inspectContainer(connection, id, signal);
      const { exit } = await waitForRemoval(connection, id);
      context.exits.keep(id, name, exit);
    }
    await startContainer(connection, id, signal);
  } catch (error) {
    if (isCancellation(error)) {
      // It stays, so it is shown.
      context.reveal(id);
      throw error;
    }
    throw new StartFailure(id, error);
  }
}
