import { randomBytes } from 'node:crypto';
import { orDisposed } from '../../base/lifetime.ts';
import type { Connection } from '../http/connection.ts';
import type { CreateRequest } from './createRequest.ts';
import type { ContainerDetails } from './containerDetails.ts';
import { inspectContainer } from './containers.ts';
import { removeContainer } from './containerLifecycle.ts';
import { withSignal } from '../http/withTimeLimit.ts';
import { isProcessAlive } from '../../base/program.ts';
import type { Container, Image } from '../model.ts';
import { asList, asRecord } from '../wire/wire.ts';
import {
  COMMAND,
  ENTRYPOINT,
  isOurs,
  OWNER,
  ownerOf,
  TEMPORARY_LABEL,
  TEMPORARY_TOOL_LABEL,
  temporaryImageOwner,
} from '../images/temporaryMarks.ts';

/**
 * Creates a container that is never started. Disposing of it removes it; after an abort, it is removed in any case.
 *
 * @param create called without the signal: after an aborted create it is unknown whether the container exists.
 * @param hasOwnVolumes whether its anonymous volumes are removed with it.
 * @throws EngineError; the signal's reason immediately on abort.
 */
export async function openTemporaryContainer(
  connection: Connection,
  create: () => Promise<{ readonly id: string }>,
  hasOwnVolumes: boolean,
  signal?: AbortSignal,
): Promise<TemporaryContainer> {
  signal?.throwIfAborted();
  const created = create();
  const remove = async (): Promise<void> => {
    const gone = created
      // Without force: a container that another client started is kept.
      .then(({ id }) => removeContainer(connection, id, { volumes: hasOwnVolumes }))
      // Leftovers are swept when a window starts.
      .catch(() => undefined);
    if (!signal?.aborted) await gone;
  };
  const held = { [Symbol.asyncDispose]: remove };
  const { id } = await orDisposed(withSignal(created, signal), held);
  return { id, ...held };
}

/** A container that is removed when it is disposed of. After an abort, that is not waited for. Never rejects. */
interface TemporaryContainer extends AsyncDisposable {
  readonly id: string;
}

/**
 * Returns the request that creates a temporary container.
 *
 * @param extra labels and options of the host configuration.
 */
export function temporaryContainer(
  image: string,
  owner: string,
  extra: { readonly labels?: object; readonly host?: object } = {},
): CreateRequest {
  return {
    name: `gantry-temporary-${randomBytes(6).toString('hex')}`,
    body: {
      Image: image,
      // Engines refuse to create a container of an image without a command. This one is never run.
      Entrypoint: [ENTRYPOINT],
      Cmd: [COMMAND],
      Labels: { [TEMPORARY_LABEL]: owner, ...extra.labels },
      HostConfig: { NetworkMode: 'none', ...extra.host },
    },
  };
}

/**
 * The label of a temporary container that shows the files of a volume; its value is the name of the volume. The
 * volume is never removed with the container, even if it is anonymous.
 */
export const TEMPORARY_VOLUME_LABEL = 'io.gantry.temporary.volume';

/** Whether an inspected container is one of Gantry's and was never started. */
function isUntouched({ labels, name, state, wasStarted, raw }: ContainerDetails): boolean {
  const { Path: path, Args: args } = asRecord(raw);
  const words = [path, ...asList(args)].join(' ');
  const isTool =
    Object.hasOwn(labels, TEMPORARY_TOOL_LABEL) && path === labels[TEMPORARY_TOOL_LABEL];
  return (
    isOurs(labels, name) &&
    state === 'created' &&
    !wasStarted &&
    (isTool || words === `${ENTRYPOINT} ${COMMAND}`)
  );
}

/** Time for which a container of a window in another namespace is kept, because that window may still be running. */
const FOREIGN_MS = 60 * 60 * 1000;

/**
 * Whether a temporary container is a leftover of a killed window.
 *
 * @param owner label value of this window.
 * @param now milliseconds since 1970.
 * @param isAlive whether a process with this ID runs on this machine.
 */
export function isLeftBehind(
  { labels, createdAt }: Pick<Container, 'labels' | 'createdAt'>,
  owner: string,
  now: number,
  isAlive: (pid: number) => boolean = isProcessAlive,
): boolean {
  const isEnded = hasEnded(ownerOf(labels), owner, isAlive);
  return isEnded ?? now - Date.parse(createdAt) > FOREIGN_MS;
}

/**
 * Whether the window with a mark has ended; undefined if it runs in another namespace, where that cannot be known.
 *
 * @param owner the mark of this window.
 */
export function hasEnded(
  theirs: string,
  owner: string,
  isAlive: (pid: number) => boolean = isProcessAlive,
): boolean | undefined {
  if (theirs === owner) return false;
  const [, origin, pid] = OWNER.exec(theirs) ?? [];
  if (origin === undefined || origin !== OWNER.exec(owner)?.[1]) return undefined;
  // Same process ID but another run: that process has ended, too.
  return Number(pid) === process.pid || !isAlive(Number(pid));
}

/** Whether a temporary image is a leftover of an earlier window; see {@link isLeftBehind}. */
export function isLeftImage(
  image: Pick<Image, 'tags' | 'createdAt'>,
  owner: string,
  now: number,
  isAlive?: (pid: number) => boolean,
): boolean {
  const theirs = temporaryImageOwner(image);
  const labels = { [TEMPORARY_LABEL]: theirs ?? owner };
  return isLeftBehind({ labels, createdAt: image.createdAt }, owner, now, isAlive);
}

/**
 * Removes a leftover temporary container if an inspect confirms that it is Gantry's and was never started.
 * Without force, so the engine refuses if the container was started in the meantime.
 */
export async function removeLeftBehind(connection: Connection, id: string): Promise<void> {
  const details = await inspectContainer(connection, id);
  if (!isUntouched(details)) return;
  const volumes = !Object.hasOwn(details.labels, TEMPORARY_VOLUME_LABEL);
  await removeContainer(connection, id, { volumes });
}
