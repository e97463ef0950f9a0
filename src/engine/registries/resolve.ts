import type { Connection } from '../http/connection.ts';
import type { ContainerDetails } from '../containers/containerDetails.ts';
import { inspectContainer, listContainers } from '../containers/containers.ts';
import { EngineError, failedWith } from '../errors.ts';
import { inspectImage, listImages, type ImageDetails } from '../images/images.ts';

/** A leading part of an id that fits more than one: `candidates` are what to call them. */
export class AmbiguousError extends EngineError {
  readonly text: string;
  readonly candidates: readonly string[];

  constructor(text: string, candidates: readonly string[]) {
    super('notFound', { engineMessage: `${text}: ${candidates.join(', ')}` });
    this.text = text;
    this.candidates = candidates;
  }
}

/** Whether this is a container's id at full length, which needs no look-up. */
export function isFullId(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/**
 * Finds a container by its full id, an unambiguous leading part of it, or its exact name.
 *
 * @throws AmbiguousError where a part fits several; EngineError `notFound` where it fits none.
 */
export async function resolveContainer(
  connection: Connection,
  text: string,
  signal?: AbortSignal,
): Promise<ContainerDetails> {
  // Whatever else would be another path to the engine, not another container.
  if (!/^[a-z\d][\w.-]*$/i.test(text)) throw nowhere(connection);
  try {
    return await inspectContainer(connection, text, signal);
  } catch (error) {
    // Docker answers 400 to a part that fits two, Podman 404: only the list tells which two.
    if (!failedWith(error, 'notFound', 'badRequest', 'failed') || isFullId(text)) throw error;
    const all = await listContainers(connection, { all: true }, signal);
    const fitting = all.filter((one) => one.id.startsWith(text));
    if (fitting.length > 1)
      throw new AmbiguousError(
        text,
        fitting.map((one) => one.name),
      );
    throw error;
  }
}

/**
 * Finds an image by its full id (with or without `sha256:`), an unambiguous leading part, or a reference.
 *
 * @throws AmbiguousError where a part fits several; EngineError `notFound` where it fits none.
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
    if (fitting.length > 1) {
      throw new AmbiguousError(
        text,
        fitting.map((one) => one.tags[0] ?? one.id.slice(7, 19)),
      );
    }
    // Podman does not know a part of an id behind `sha256:`.
    if (fitting[0] && fitting[0].id !== text)
      return inspectImage(connection, fitting[0].id, signal);
    throw error;
  }
}

function nowhere(connection: Connection): EngineError {
  return new EngineError('notFound', { endpoint: connection.endpoint.url });
}
