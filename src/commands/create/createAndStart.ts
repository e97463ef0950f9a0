/** Creates a container and starts it: what is the same for a person and for an argument. */

import * as vscode from 'vscode';
import type { Connection } from '../../engine/http/connection.ts';
import { createContainer, inspectContainer } from '../../engine/containers/containers.ts';
import { startContainer } from '../../engine/containers/containerLifecycle.ts';
import type { CreateRequest } from '../../engine/options/createRequest.ts';
import { createSpec } from '../../engine/options/createSpec.ts';
import type { CreateArguments } from '../../engine/options/options.ts';
import { failedWith } from '../../engine/errors.ts';
import { waitAcrossReconnects } from '../../engine/containers/reconnectingWait.ts';
import { hasImage } from '../../engine/images/images.ts';
import { sameEngineOnly } from '../../engine/sameEngineOnly.ts';
import { isCancellation } from '../../lifetime.ts';
import type { CommandContext } from '../context.ts';
import type { PullArguments } from '../registries/pullCommand.ts';
import { errorMessage, MessageError } from '../errorMessages.ts';

const { l10n } = vscode;

/**
 * Creates; where the image is missing, gets it by `pull` and creates once more; then starts where asked to.
 *
 * @param pull gets the image, or rejects.
 * @throws InputError before any request; StartFailure where the container is there and stays.
 */
export async function createAndStart(
  args: CreateArguments,
  context: CommandContext,
  signal: AbortSignal,
  pull: () => Promise<unknown>,
): Promise<CreatedContainer> {
  const request = createSpec(args, l10n);
  const connection = await context.engine.connect(signal);
  const created = await createOrPull(connection, args, request, signal, pull);
  if (args.start === true) await start(connection, created.id, args, context, signal);
  return created;
}

/** A container that was created, and what the engine had to say about it. */
export interface CreatedContainer {
  readonly id: string;
  readonly warnings: readonly string[];
}

/** The container is there, but would not start. */
export class StartFailure extends MessageError {
  override readonly name = 'StartFailure';
  readonly id: string;

  constructor(id: string, cause: unknown) {
    const why = errorMessage(cause, l10n);
    super(l10n.t('Created {0}, but could not start it: {1}', id.slice(0, 12), why), { cause });
    this.id = id;
  }
}

/**
 * The same on the engine of this connection, and starts nothing.
 *
 * @param more of the request's body, beyond what an argument says.
 */
export async function createOnConnection(
  connection: Connection,
  args: CreateArguments,
  signal: AbortSignal,
  pull: () => Promise<unknown>,
  more: object = {},
): Promise<CreatedContainer> {
  const spec = createSpec(args, l10n);
  const request = { ...spec, body: { ...spec.body, ...more } };
  return createOrPull(connection, args, request, signal, pull);
}

async function createOrPull(
  connection: Connection,
  args: CreateArguments,
  request: CreateRequest,
  signal: AbortSignal,
  pull: () => Promise<unknown>,
): Promise<CreatedContainer> {
  return createContainer(connection, request, signal).catch(async (error: unknown) => {
    if (!(await isImageMissing(connection, args, error, signal))) throw error;
    await pull();
    return createContainer(connection, request, signal);
  });
}

/** What to pull for a container. */
export function imageToPull({ image: reference, platform }: CreateArguments): PullArguments {
  return { reference, platform };
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
      const connect = sameEngineOnly(connection, (later) => context.engine.connect(later));
      const lasting = { connect, id, condition: 'removed', signal: context.exits.signal } as const;
      const { exit } = await waitAcrossReconnects(lasting);
      context.exits.keep(id, name, exit);
    }
    await startContainer(connection, id, signal);
  } catch (error) {
    context.unit.recheck(id);
    if (isCancellation(error)) {
      // It stays, so it is shown.
      context.reveal(id);
      throw error;
    }
    throw new StartFailure(id, error);
  }
}
