import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Connection } from '../http/connection.ts';
import type { ContainerDetails } from '../containers/containerDetails.ts';
import { createContainer, inspectContainer } from '../containers/containers.ts';
import { removeContainer } from '../containers/containerLifecycle.ts';
import { withSignal } from '../http/withTimeLimit.ts';
import type { Container } from '../model.ts';
import { asList, asRecord } from '../wire.ts';

/**
 * Runs `run` with a container of an image that is never started, and removes it afterwards: so the files of an image
 * can be read, and nothing of it runs.
 *
 * @param image its id.
 * @param owner see {@link temporaryOwner}.
 * @throws what `run` throws; EngineError; the signal's reason, at once: the container goes in the background.
 */
export async function withTemporaryContainer<T>(
  connection: Connection,
  image: string,
  owner: string,
  run: (container: string) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted();
  const name = `gantry-temporary-${randomBytes(6).toString('hex')}`;
  // Not with the signal: of a create that was cut off nobody knows whether there is a container.
  const created = createContainer(connection, { name, body: bodyOf(image, owner) });
  const removed = (): Promise<unknown> =>
    created
      // Without force: if somebody started it, it is theirs.
      .then(({ id }) => removeContainer(connection, id, { volumes: true }))
      // The next start of a window sweeps what stays.
      .catch(() => undefined);
  try {
    const { id } = await withSignal(created, signal);
    return await run(id);
  } finally {
    const gone = removed();
    if (!signal?.aborted) await gone;
  }
}

/** The value says whose it is. Images and compose files can set this label, too: it alone proves nothing. */
export const TEMPORARY_LABEL = 'io.gantry.temporary';

const NAME = /^gantry-temporary-[0-9a-f]{12}$/;
const OWNER = /^([0-9a-f]{12})-(\d{1,10})-[0-9a-f]{8}$/;
const ENTRYPOINT = 'gantry';
const COMMAND = 'never';
/** How engines list that command: Docker in full, Podman without the entrypoint. */
const LISTED: readonly string[] = [`${ENTRYPOINT} ${COMMAND}`, COMMAND];

/** Whether a container is one of ours, never started: the only kind that is hidden, and swept. */
export function isTemporaryContainer({
  labels,
  name,
  state,
  command,
}: Pick<Container, 'labels' | 'name' | 'state' | 'command'>): boolean {
  return isOurs(labels, name) && state === 'created' && LISTED.includes(command);
}

/** The same by an inspect, which also tells whether it ever ran. */
function isUntouched({ labels, name, state, wasStarted, raw }: ContainerDetails): boolean {
  const { Path: path, Args: args } = asRecord(raw);
  const words = [path, ...asList(args)].join(' ');
  return isOurs(labels, name) && state === 'created' && !wasStarted && words === LISTED[0];
}

function isOurs(labels: Readonly<Record<string, string>>, name: string): boolean {
  return Object.hasOwn(labels, TEMPORARY_LABEL) && OWNER.test(ownerOf(labels)) && NAME.test(name);
}

function ownerOf(labels: Readonly<Record<string, string>>): string {
  return labels[TEMPORARY_LABEL] ?? '';
}

/**
 * This window, as the label tells it: where its process id counts, that id, and which run of it.
 *
 * @param secret random and kept: it says nothing about the machine, and no other installation has it.
 */
export function temporaryOwner(secret: string): string {
  const place = createHash('sha256').update([secret, ...processNamespace()].join('\0'));
  return `${place.digest('hex').slice(0, 12)}-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/** For this long a container of a window elsewhere is left alone, whether that window lives or not. */
const FOREIGN_MS = 60 * 60 * 1000;

/**
 * Whether a temporary container was left behind by a window that was killed.
 *
 * @param owner this window's own mark.
 * @param now milliseconds since 1970.
 * @param isAlive whether a process of this machine is there.
 */
export function isLeftBehind(
  { labels, createdAt }: Pick<Container, 'labels' | 'createdAt'>,
  owner: string,
  now: number,
  isAlive: (pid: number) => boolean = isProcessAlive,
): boolean {
  const theirs = ownerOf(labels);
  if (theirs === owner) return false;
  const [, place, pid] = OWNER.exec(theirs) ?? [];
  // With our own process id, but another run of it: that process is gone, too.
  if (place === OWNER.exec(owner)?.[1]) return Number(pid) === process.pid || !isAlive(Number(pid));
  return now - Date.parse(createdAt) > FOREIGN_MS;
}

/**
 * Removes a temporary container that was left behind, if it still is what the list said and was never started.
 * Without force: an engine refuses to remove one that was started in the meantime.
 */
export async function removeLeftBehind(connection: Connection, id: string): Promise<void> {
  if (!isUntouched(await inspectContainer(connection, id))) return;
  await removeContainer(connection, id, { volumes: true });
}

function bodyOf(image: string, owner: string): Readonly<Record<string, unknown>> {
  return {
    Image: image,
    // An image may say nothing to run, and then engines refuse to create. This is never run.
    Entrypoint: [ENTRYPOINT],
    Cmd: [COMMAND],
    Labels: { [TEMPORARY_LABEL]: owner },
    HostConfig: { NetworkMode: 'none' },
  };
}

/**
 * Where a process id means the same process. The secret is not enough: the editor keeps one for all machines that it
 * works on, and a host name may be shared with a clone, a container or WSL.
 */
function processNamespace(): readonly string[] {
  const boot = orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const namespace = orEmpty(() => readlinkSync('/proc/self/ns/pid'));
  return [hostname(), process.platform, boot, namespace];
}

/** Only Linux has these. */
function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's is alive, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
