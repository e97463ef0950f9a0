/** A container as the argument that would create it again: what differs from its image, and nothing else. */

import type { Connection } from '../engine/http/connection.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import type { ContainerOption } from '../engine/options/containerOption.ts';
import { optionsInOrder, type CreateArguments } from '../engine/options/options.ts';
import { failedWith } from '../engine/errors.ts';
import { inspectImage, type ImageDetails } from '../engine/images/images.ts';
import { parseReference } from '../engine/options/reference.ts';
import { asImageId, asRecord, asText, asTexts } from '../engine/wire.ts';
import { withoutFaults } from './fieldFault.ts';
import { mountArguments } from './mountArguments.ts';
import { unsupportedSettings } from './unsupportedSettings.ts';

type Wire = Readonly<Record<string, unknown>>;

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
  const ofImage = asRecord(asRecord(image)['Config']);
  const mounts = mountArguments(wire, ofImage);
  const reference = imageOf(wire);
  const special: Wire = {
    image: reference,
    name: asText(wire['Name']).replace(/^\//, '') || undefined,
    ...commandArguments(asRecord(wire['Config']), ofImage),
    ...mounts.args,
  };
  const all = ORDERED.flatMap(([name, row]): [string, unknown][] => {
    const value = special[name] ?? optionValue(row, wire, asRecord(image));
    return value === undefined ? [] : [[name, value]];
  });
  const { args, dropped } = withoutFaults({ image: reference, ...Object.fromEntries(all) });
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

/** In the order in which people write them. */
const ORDERED = optionsInOrder(
  'image name entrypoint cmd env unsetEnv ports publishAll network hostname dns extraHosts mounts tmpfs labels ' +
    'restart autoRemove user workingDir tty openStdin stopSignal stopTimeout healthcheck memory shmSize cpus ' +
    'pidsLimit init readOnly privileged capAdd capDrop securityOpt devices',
);

function optionValue({ at, fromWire }: ContainerOption, container: Wire, image: Wire): unknown {
  const [part = '', field = ''] = at?.split('.') ?? [];
  const [own, ofImage] = [container, image].map((wire) => asRecord(wire[part])[field]);
  return fromWire(own, ofImage, container);
}

/** As it was asked for; by the id where that was no reference. */
function imageOf(wire: Wire): string {
  const name = asText(asRecord(wire['Config'])['Image']);
  const isId = /^(?:sha256:)?[0-9a-f]{64}$/.test(name);
  return isId || parseReference(name).ok ? name : asImageId(wire['Image']);
}

/** Command and entrypoint. Setting the second drops the image's first, so then both are said. */
function commandArguments(config: Wire, image: Wire): Partial<CreateArguments> {
  const [cmd, ofImage] = [wordsOf(config['Cmd']), wordsOf(image['Cmd'])];
  const entrypoint = entrypointOf(config);
  const isSame = isEqual(entrypoint, entrypointOf(image));
  if (isSame && (isEqual(cmd, ofImage) || cmd.length > 0)) {
    return isEqual(cmd, ofImage) ? {} : { cmd };
  }
  return {
    entrypoint: entrypoint.length > 0 ? entrypoint : [''],
    ...(cmd.length > 0 && { cmd }),
  };
}

/** One that was taken away stands as no word, or as an empty one. */
function entrypointOf(config: Wire): readonly string[] {
  const words = wordsOf(config['Entrypoint']);
  return words.length === 1 && words[0] === '' ? [] : words;
}

function wordsOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : asTexts(value);
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}
