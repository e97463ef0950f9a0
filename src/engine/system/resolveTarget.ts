import type { Connection } from '../http/connection.ts';
import type { ContainerDetails } from '../containers/containerDetails.ts';
import { inspectContainer, listContainers } from '../containers/containers.ts';
import { EngineError, failedWith } from '../errors.ts';
import { inspectImage, listImages, type ImageDetails } from '../images/images.ts';
import type { Network } from '../model.ts';
import { listNetworks } from '../networks/networks.ts';
import { isFullId } from '../wire/wire.ts';

/** A prefix of an ID that matches several objects: `candidates` are their names. */
export class AmbiguousError extends EngineError {
  readonly text: string;
  readonly candidates: readonly string[];

  constructor(text: string, candidates: readonly string[]) {
    super('notFound', { engineMessage: `${text}: ${candidates.join(', ')}` });
    this.text = text;
    this.candidates = candidates;
  }
}

/**
 * Finds a container by its full ID, an unambiguous prefix of it, or its exact name.
 *
 * @throws AmbiguousError if a prefix matches several; EngineError `notFound` if nothing matches.
 */
export async function resolveContainer(
  connection: Connection,
  text: string,
  signal?: AbortSignal,
): Promise<ContainerDetails> {
  // Any other text would change the path of the request instead of naming a container.
  if (!/^[a-z\d][\w.-]*$/i.test(text)) throw nowhere(connection);
  try {
    return await inspectContainer(connection, text, signal);
  } catch (error) {
    // For an ambiguous prefix Docker responds with 400, Podman with 404. Only the list shows which containers
    // match.
    if (!failedWith(error, 'notFound', 'badRequest', 'failed') || isFullId(text)) throw error;
    const all = await listContainers(connection, { all: true }, signal);
    const fitting = all.filter((one) => one.id.startsWith(text));
    const names = fitting.map((one) => one.name);
    throw names.length > 1 ? new AmbiguousError(text, names) : error;
  }
}

/**
 * Finds an image by its full ID (with or without `sha256:`), an unambiguous prefix, or a reference.
 *
 * @throws AmbiguousError if a prefix matches several; EngineError `notFound` if nothing matches.
 */
export async function resolveImage(
  connection: Connection,
  text: string,
  signal?: AbortSignal,
): Promise<ImageDetails> {
  if (text.split('/').some((part) => /^\.{0,2}$/.test(part))) throw nowhere(connection);
  try {
    return await inspectImage(connection, text, signal);
  } catch (error) {
    if (!failedWith(error, 'notFound', 'badRequest', 'conflict', 'failed')) throw error;
    const part = text.replace(/^sha256:/, '');
    if (!/^[0-9a-f]+$/.test(part)) throw error;
    const all = await listImages(connection, { all: true }, signal);
    const fitting = all.filter((one) => one.id.startsWith(`sha256:${part}`));
    const names = fitting.map((one) => one.tags[0] ?? one.id.slice(7, 19));
    if (names.length > 1) throw new AmbiguousError(text, names);
    // Podman does not accept a prefix of an ID after `sha256:`.
    if (fitting[0] && fitting[0].id !== text)
      return inspectImage(connection, fitting[0].id, signal);
    throw error;
  }
}

/**
 * Finds a network by its ID, an unambiguous prefix of it, or its name, which two networks can share.
 *
 * @throws AmbiguousError if several match; EngineError `notFound` if nothing matches.
 */
export async function resolveNetwork(
  connection: Connection,
  text: string,
  signal?: AbortSignal,
): Promise<Network> {
  const all = await listNetworks(connection, {}, signal);
  const named = all.filter(({ id, name }) => id === text || name === text);
  const fitting = named.length > 0 ? named : all.filter(({ id }) => id.startsWith(text));
  const [found, ...more] = fitting;
  if (!found) throw nowhere(connection);
  if (more.length === 0) return found;
  throw new AmbiguousError(
    text,
    fitting.map(({ id, name }) => `${name} (${id.slice(0, 12)})`),
  );
}

function nowhere(connection: Connection): EngineError {
  return new EngineError('notFound', { endpoint: connection.endpoint.url });
}
