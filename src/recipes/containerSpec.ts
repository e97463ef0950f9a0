/** Converts a container to the argument that would create it again: only what differs from its image. */

import type { Connection } from '../engine/http/connection.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import { optionValue } from '../engine/options/optionValue.ts';
import { optionsInOrder, type CreateArguments } from '../engine/options/options.ts';
import { findImage } from '../engine/images/images.ts';
import { parseReference } from '../engine/options/reference.ts';
import { asImageId, asRecord, asText, asTexts } from '../engine/wire/wire.ts';
import { withoutFaults } from './argumentParts.ts';
import { engineDefaults, fetchEngineFacts, type EngineFacts } from './engineDefaults.ts';
import { mountArguments } from './mountArguments.ts';
import { unsupportedSettings } from './unsupportedSettings.ts';

type Wire = Readonly<Record<string, unknown>>;

/** The options that would create a container again. */
export interface ContainerSpec {
  /** Valid for `createSpec`. The name is the container's own: a second container needs another name, or none. */
  readonly args: CreateArguments;
  /** Settings that no option can express, by their names in the API: `Ulimits`, `Mounts /data`. */
  readonly unsupported: readonly string[];
  /** Settings of `unsupported` without which a copy is not started: it would not do what the container does. */
  readonly essential: readonly string[];
}

/**
 * Inspects a container and its image. If the image was removed, all settings of the container are returned.
 *
 * @throws EngineError `notFound` if the container does not exist.
 */
export async function readContainerSpec(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<ContainerSpec> {
  const { raw, imageId, id: fullId } = await inspectContainer(connection, id, signal);
  const image = imageId === '' ? undefined : await findImage(connection, imageId, signal);
  return containerSpec(raw, image?.raw, await fetchEngineFacts(connection, fullId, signal));
}

/** @param container the complete inspect response. @param image the inspect response of its image. */
export function containerSpec(
  container: unknown,
  image: unknown,
  { info, runtime }: EngineFacts = {},
): ContainerSpec {
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
  const host = asRecord(wire['HostConfig']);
  const whole =
    runtime === undefined ? wire : { ...wire, HostConfig: { ...host, Runtime: runtime } };
  const unsupported = [
    ...dropped,
    ...mounts.unsupported.map((target) => `Mounts ${target}`),
    ...unsupportedSettings(whole, ofImage, args, engineDefaults(wire, info)),
  ];
  return { args, unsupported, essential: unsupported.filter(isEssential) };
}

/** Fields, of a create or of the API, for ports, user, network, mounts, and runtime. */
const ESSENTIAL: ReadonlySet<string> = new Set([
  ...['ports', 'publishAll', 'user', 'UsernsMode', 'network', 'mounts', 'tmpfs'],
  ...['Mounts', 'VolumesFrom', 'VolumeDriver', 'Networks', 'NetworkDisabled', 'Links'],
  ...['Runtime', 'Isolation'],
]);

function isEssential(setting: string): boolean {
  return ESSENTIAL.has(setting.split(' ', 1)[0] ?? '');
}

/** The order in which people usually write the options. */
const ORDERED = optionsInOrder(
  'image name entrypoint cmd env unsetEnv ports publishAll network hostname dns extraHosts mounts tmpfs labels ' +
    'restart autoRemove user workingDir tty openStdin stopSignal stopTimeout healthcheck memory shmSize cpus ' +
    'pidsLimit init readOnly privileged capAdd capDrop securityOpt devices',
);

/** Returns the image as it was requested, or its ID if that is not a valid reference. */
function imageOf(wire: Wire): string {
  const name = asText(asRecord(wire['Config'])['Image']);
  const isId = /^(?:sha256:)?[0-9a-f]{64}$/.test(name);
  return isId || parseReference(name).ok ? name : asImageId(wire['Image']);
}

/** Returns command and entrypoint. Setting an entrypoint drops the command of the image, so both are returned then. */
function commandArguments(config: Wire, image: Wire): Partial<CreateArguments> {
  const cmd = wordsOf(config['Cmd']);
  const ofImage = wordsOf(image['Cmd']);
  const entrypoint = entrypointOf(config);
  const isSame = isEqual(entrypoint, entrypointOf(image));
  if (isSame && isEqual(cmd, ofImage)) return {};
  if (isSame && cmd.length > 0) return { cmd };
  return {
    entrypoint: entrypoint.length > 0 ? entrypoint : [''],
    cmd: cmd.length > 0 ? cmd : undefined,
  };
}

/** Returns the entrypoint. Engines write a cleared entrypoint as an empty list, or as one empty string. */
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
