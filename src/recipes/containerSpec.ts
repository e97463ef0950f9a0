/** A container as the argument that would create it again: what differs from its image, and nothing else. */

import type { Connection } from '../engine/http/connection.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import type { CreateArguments } from '../engine/options/createSpec.ts';
import { failedWith } from '../engine/errors.ts';
import { inspectImage, type ImageDetails } from '../engine/images/images.ts';
import { parseReference } from '../engine/options/reference.ts';
import { asImageId, asRecord, asText } from '../engine/wire.ts';
import { withoutFaults } from './fieldFault.ts';
import {
  lifecycleArguments,
  limitArguments,
  networkArguments,
  privilegeArguments,
} from './hostArguments.ts';
import { unsupportedSettings } from './unsupportedSettings.ts';
import { mountArguments } from './mountArguments.ts';
import {
  environmentArguments,
  healthArguments,
  labelArguments,
  processArguments,
  commandArguments,
} from './processArguments.ts';

/** What would create a container again. */
export interface ContainerSpec {
  /** Passes `createSpec`. Its name is the container's own: for a second one another is needed, or none. */
  readonly args: CreateArguments;
  /** What the container has and no argument can say, by the API's names: `Ulimits`, `Mounts /data`. */
  readonly unsupported: readonly string[];
  /** Its image's id, whatever the name stands for by now; empty where the engine does not tell. */
  readonly imageId: string;
}

/**
 * Asks an engine for a container and its image. An image that is gone is compared with as if it said nothing.
 *
 * @throws EngineError `notFound` where the container is gone.
 */
export async function readContainerSpec(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<ContainerSpec> {
  const { raw, imageId } = await inspectContainer(connection, id, signal);
  const image = imageId === '' ? undefined : await imageOrNone(connection, imageId, signal);
  return containerSpec(raw, image?.raw);
}

async function imageOrNone(
  connection: Connection,
  id: string,
  signal: AbortSignal | undefined,
): Promise<ImageDetails | undefined> {
  try {
    return await inspectImage(connection, id, signal);
  } catch (error) {
    if (failedWith(error, 'notFound')) return undefined;
    throw error;
  }
}

/** @param container the engine's whole answer about it. @param image that about its image. */
export function containerSpec(container: unknown, image: unknown): ContainerSpec {
  const wire = asRecord(container);
  const [config, host] = [asRecord(wire['Config']), asRecord(wire['HostConfig'])];
  const ofImage = asRecord(asRecord(image)['Config']);
  const mounts = mountArguments(wire, ofImage);
  const all: CreateArguments = {
    image: imageOf(wire),
    ...namePart(wire),
    ...commandArguments(config, ofImage),
    ...environmentArguments(config, ofImage),
    ...networkArguments(wire),
    ...mounts.args,
    ...labelArguments(config, ofImage),
    ...lifecycleArguments(host),
    ...processArguments(config, ofImage),
    ...healthArguments(config, ofImage),
    ...limitArguments(host),
    ...privilegeArguments(host),
  };
  const { args, dropped } = withoutFaults(all);
  return {
    args,
    unsupported: [
      ...dropped,
      ...mounts.unsupported.map((target) => `Mounts ${target}`),
      ...unsupportedSettings(wire, ofImage, args),
    ],
    imageId: asImageId(wire['Image']),
  };
}

/** As it was asked for; by the id where that was no reference. */
function imageOf(wire: Readonly<Record<string, unknown>>): string {
  const name = asText(asRecord(wire['Config'])['Image']);
  const isId = /^(?:sha256:)?[0-9a-f]{64}$/.test(name);
  return isId || parseReference(name).ok ? name : asImageId(wire['Image']);
}

function namePart(wire: Readonly<Record<string, unknown>>): Pick<CreateArguments, 'name'> {
  const name = asText(wire['Name']).replace(/^\//, '');
  return name === '' ? {} : { name };
}
