import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Connection } from './connection.ts';
import { createContainer } from './containers.ts';
import { removeContainer } from './containerVerbs.ts';
import { withSignal } from './limits.ts';
import type { Container } from './model.ts';

/** Says of a container that it is ours, never started, and gone in a moment; its value says whose. */
export const TEMPORARY_LABEL = 'io.gantry.temporary';

/** Whether a container is one of ours that nobody is to see. */
export function isTemporary({ labels }: Pick<Container, 'labels'>): boolean {
  return Object.hasOwn(labels, TEMPORARY_LABEL);
}

/** This window, as the label tells it: which machine, which process, and which run of that. */
export function newOwner(): string {
  return `${machineMark()}-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/** So long a container of a window elsewhere is left alone, whether that window lives or not. In milliseconds. */
const FOREIGN_MS = 60 * 60 * 1000;

/**
 * Whether a temporary container was left behind by a window that was killed.
 *
 * @param owner this window's own mark.
 * @param now milliseconds since 1970.
 * @param isAlive whether a process of this machine is there.
 */
export function isLeftBehind(
  container: Pick<Container, 'labels' | 'createdAt'>,
  owner: string,
  now: number,
  isAlive: (pid: number) => boolean = isProcessAlive,
): boolean {
  const theirs = container.labels[TEMPORARY_LABEL] ?? '';
  if (theirs === owner) return false;
  const [machine, pid] = theirs.split('-');
  const id = Number(pid);
  // With our own number, but another run of it: that process is gone, too.
  if (machine === machineMark() && Number.isSafeInteger(id) && id > 0)
    return id === process.pid || !isAlive(id);
  const createdAt = Date.parse(container.createdAt);
  return Number.isNaN(createdAt) || now - createdAt > FOREIGN_MS;
}

/**
 * Runs `run` with a container of an image that is never started, and removes it afterwards: so the files of an image
 * can be read, and nothing of it runs.
 *
 * @param image its id.
 * @param owner see {@link newOwner}.
 * @throws what `run` throws; EngineError; the signal's reason, at once: the container goes in the background.
 */
export async function withImageContainer<T>(
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
      .then(({ id }) => removeContainer(connection, id, { force: true, volumes: true }))
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

function bodyOf(image: string, owner: string): Readonly<Record<string, unknown>> {
  return {
    Image: image,
    // An image may say nothing to run, and then engines refuse to create. This is never run.
    Entrypoint: ['gantry'],
    Cmd: ['never'],
    Labels: { [TEMPORARY_LABEL]: owner },
    HostConfig: { NetworkMode: 'none' },
  };
}

/** Tells machines apart and says nothing else of them. */
function machineMark(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 12);
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
