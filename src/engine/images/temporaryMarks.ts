/** By what Gantry recognizes its temporary containers and images. */

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Container, Image } from '../model.ts';

/**
 * The label's value identifies the owner. Images and Compose files can set this label, too, so the label alone
 * proves nothing.
 */
export const TEMPORARY_LABEL = 'io.gantry.temporary';

/** The label of a temporary container that runs a program on the files of a volume; its value is the program. */
export const TEMPORARY_TOOL_LABEL = 'io.gantry.temporary.tool';

/** The label of the container of a shell at a failed step of a build; its value identifies the window. */
export const STEP_LABEL = 'io.gantry.step';

const NAME = /^gantry-temporary-[0-9a-f]{12}$/;
/** A mark of a window: where it runs, its process ID, and a random ID. */
export const OWNER = /^([0-9a-f]{12})-(\d{1,10})-[0-9a-f]{8}$/;
const IMAGE = 'localhost/gantry-temporary';
/** The command of temporary containers, which is never run. */
export const ENTRYPOINT = 'gantry';
export const COMMAND = 'never';
/** Forms in which engines list that command: Docker in full, Podman without the entrypoint. */
const LISTED: readonly string[] = [`${ENTRYPOINT} ${COMMAND}`, COMMAND];

/**
 * Whether a container is one of Gantry's temporary containers, never started or being removed. Only these are
 * hidden and swept. A container can first show up in a list while it is being removed; Docker lists it as dead then.
 */
export function isTemporaryContainer({
  labels,
  name,
  state,
  command,
}: Pick<Container, 'labels' | 'name' | 'state' | 'command'>): boolean {
  const isUnused = state === 'created' || state === 'removing' || state === 'dead';
  const isKnown = LISTED.includes(command) || Object.hasOwn(labels, TEMPORARY_TOOL_LABEL);
  return isOurs(labels, name) && isUnused && isKnown;
}

/** Whether a container has the label and a name of Gantry's temporary containers. */
export function isOurs(labels: Readonly<Record<string, string>>, name: string): boolean {
  return Object.hasOwn(labels, TEMPORARY_LABEL) && OWNER.test(ownerOf(labels)) && NAME.test(name);
}

/** Returns the mark of the window that created a container; an empty string if it has none. */
export function ownerOf(labels: Readonly<Record<string, string>>): string {
  return labels[TEMPORARY_LABEL] ?? '';
}

/**
 * Returns the label value of this window: a hash of the process ID namespace, the process ID, and a random ID of
 * this run.
 *
 * @param secret random and persistent, so that the hash reveals nothing about the machine and differs between
 * installations.
 */
export function temporaryOwner(secret: string): string {
  const origin = createHash('sha256').update([secret, ...processNamespace()].join('\0'));
  return `${origin.digest('hex').slice(0, 12)}-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/**
 * Returns a hash of where the ID of this process is unique: the machine since its start, or a container. Without the
 * host name, which can change while a process runs.
 */
export function processOrigin(): string {
  const [, ...others] = processNamespace();
  return createHash('sha256').update(others.join('\0')).digest('hex').slice(0, 12);
}

/** Returns the tag of the empty image that a window creates for its temporary containers of volumes. */
export function temporaryImageTag(owner: string): string {
  return `${IMAGE}:${owner}`;
}

/** Returns the owner of a temporary image; undefined if it is any other image. */
export function temporaryImageOwner({ tags }: Pick<Image, 'tags'>): string | undefined {
  const [tag = '', ...more] = tags;
  const owner = tag.startsWith(`${IMAGE}:`) ? tag.slice(IMAGE.length + 1) : '';
  return more.length === 0 && OWNER.test(owner) ? owner : undefined;
}

/**
 * Identifies the namespace in which a process ID is unique. The secret alone is not enough: VS Code shares it
 * across all remote machines, and a host name can be the same in a clone, a container or WSL.
 */
function processNamespace(): readonly string[] {
  const boot = orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const namespace = orEmpty(() => readlinkSync('/proc/self/ns/pid'));
  return [hostname(), process.platform, boot, namespace];
}

/** Returns an empty string if the file cannot be read. These files exist only on Linux. */
function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
