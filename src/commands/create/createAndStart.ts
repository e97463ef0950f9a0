/** Creates and starts containers, for the user and for arguments. */

import * as l10n from '@vscode/l10n';
import type { Connection } from '../../engine/http/connection.ts';
import { createContainer, inspectContainer } from '../../engine/containers/containers.ts';
import { startContainer } from '../../engine/containers/containerLifecycle.ts';
import type { CreateRequest } from '../../engine/containers/createRequest.ts';
import { createSpec } from '../../engine/containers/createSpec.ts';
import type { CreateArguments } from '../../engine/options/options.ts';
import { EngineError, failedWith } from '../../engine/errors.ts';
import { waitAcrossReconnects } from '../../engine/containers/reconnectingWait.ts';
import { findImage } from '../../engine/images/images.ts';
import { sameEngineOnly } from '../../engine/http/sameEngineOnly.ts';
import { isCancellation } from '../../base/lifetime.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { pullWithCredentials, type PullArguments } from '../registries/pullCommand.ts';
import { withProxies } from './proxies.ts';
import { errorMessage, MessageError } from '../ui/errorMessage.ts';
import { formatName } from '../ui/formatNames.ts';
import { findPortConflicts, type PortConflict } from './portConflicts.ts';

/**
 * Creates a container and starts it if requested. If the image is missing, pulls it and creates the container
 * then.
 *
 * @param isInteractive whether the user sees the pull and can be asked.
 * @throws InputError before any request; StartFailure if the container was created but could not be started.
 */
export async function createAndStart(
  args: CreateArguments,
  context: CommandContext,
  isInteractive: boolean,
  signal: AbortSignal,
): Promise<CreatedContainer> {
  const request = createSpec(args);
  const connection = await context.engine.connect(signal);
  const whole = await withProxies(context, connection, request, isInteractive);
  const created = await createOrPull(connection, args, whole.request, signal, () =>
    pullWithCredentials(context, imageToPull(args), isInteractive, signal),
  );
  if (args.start === true) await start(connection, created.id, args, context, signal);
  return { ...created, warnings: [...whole.warnings, ...created.warnings] };
}

/** A created container, with the warnings of the engine. */
export interface CreatedContainer {
  readonly id: string;
  readonly warnings: readonly string[];
}

/** The error if a container was created but could not be started. */
export class StartFailure extends MessageError {
  override readonly name = 'StartFailure';
  readonly id: string;

  /** The options of the container, if one of its ports is in use. */
  readonly args: CreateArguments | undefined;

  /** @param held the ports of the container that other containers use. */
  constructor(
    { id, args, held }: { id: string; args: CreateArguments; held: readonly PortConflict[] },
    cause: unknown,
  ) {
    const name = formatName(args.name ?? id.slice(0, 12));
    const [first] = held;
    super(
      first
        ? l10n.t(
            'Created {0}, but port {1} is used by {2}.',
            name,
            String(first.hostPort),
            formatName(first.holder.name),
          )
        : l10n.t('Created {0}, but could not start it: {1}', name, errorMessage(cause)),
      { cause },
    );
    this.id = id;
    this.args = first && args;
  }
}

/**
 * Creates a container on the engine of this connection. Does not start it.
 *
 * @param request the request for `args`.
 * @param pull pulls the image if it is missing, or rejects.
 */
export async function createOrPull(
  connection: Connection,
  args: CreateArguments,
  request: CreateRequest,
  signal: AbortSignal,
  pull: () => Promise<unknown>,
): Promise<CreatedContainer> {
  return createContainer(connection, request, signal).catch(async (error: unknown) => {
    // A 404 may also be about a network, or, with a platform, about an image that exists for another platform.
    const isImageMissing =
      failedWith(error, 'notFound') &&
      (args.platform !== undefined || !(await findImage(connection, args.image, signal)));
    if (!isImageMissing) throw error;
    await pull();
    return createContainer(connection, request, signal);
  });
}

/** Returns what to pull for a container. */
export function imageToPull({ image: reference, platform }: CreateArguments): PullArguments {
  return { reference, platform };
}

async function start(
  connection: Connection,
  id: string,
  args: CreateArguments,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  try {
    // A container with `autoRemove` takes its exit code with it, so the wait must be registered before the start.
    if (args.autoRemove === true) {
      const { name } = await inspectContainer(connection, id, signal);
      const connect = sameEngineOnly(connection, (later) => context.engine.connect(later));
      const lasting = { connect, id, condition: 'removed', signal: context.exits.signal } as const;
      const { exit } = await waitAcrossReconnects(lasting);
      context.exits.keep(id, name, exit);
    }
    await startContainer(connection, id, signal);
  } catch (error) {
    context.unit.requests.recheck(id);
    if (isCancellation(error)) {
      // The container was created, so show it.
      context.reveal(id);
      throw error;
    }
    const { inventory } = context;
    const others = [...inventory.containers.values()].filter((one) => one.id !== id);
    // The engine names the port, but not the container that uses it.
    const held = isPortInUse(error) ? findPortConflicts(args.ports ?? [], others) : [];
    throw new StartFailure({ id, args, held }, error);
  }
}

/** Pattern of how engines report that a port is in use. */
const PORT_IN_USE = /port is already allocated|address already in use/i;

function isPortInUse(error: unknown): boolean {
  return error instanceof EngineError && PORT_IN_USE.test(error.engineMessage ?? '');
}
