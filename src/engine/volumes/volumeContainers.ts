import { Readable } from 'node:stream';
import { orDisposed } from '../../base/lifetime.ts';
import type { ArchiveRoot } from '../archive/archive.ts';
import { createContainer } from '../containers/containers.ts';
import { EngineError, failedWith } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import type { Upload } from '../http/engineRequest.ts';
import { ARCHIVE_TYPE, importImage } from '../images/imageArchive.ts';
import { findImage } from '../images/images.ts';
import { TEMPORARY_LABEL, temporaryImageTag } from '../images/temporaryMarks.ts';
import {
  openTemporaryContainer,
  TEMPORARY_VOLUME_LABEL,
  temporaryContainer,
} from '../containers/openTemporaryContainer.ts';
import type { Volume } from '../model.ts';
import { checkMounted } from './checkMounted.ts';
import { inspectSame } from './removeVolume.ts';
import { inspectVolume } from './volumes.ts';

/**
 * Gives access to the files of volumes. Engines have no API for them, but one for the files of a container that was
 * never started. Its image is made of an empty tar, so nothing is pulled, and nothing is copied into an empty
 * volume. Each window has an image of its own, which later windows remove.
 */
export class VolumeContainers {
  readonly #owner: string;
  /** The imports that are running. */
  readonly #imports = new WeakMap<Connection, Promise<void>>();

  /** @param owner see `temporaryOwner`. */
  constructor(owner: string) {
    this.#owner = owner;
  }

  /**
   * Creates a container folder that has the files of a volume.
   *
   * @param found the volume, if it was looked up right before.
   * @throws EngineError `notFound` if the volume does not exist; VolumeUnmountedError; VolumeChangedError; the signal's
   *   reason.
   */
  async open(
    connection: Connection,
    volume: string,
    signal?: AbortSignal,
    found?: Volume,
  ): Promise<MountedVolume> {
    const missing = { endpoint: connection.endpoint.url, engineMessage: volume };
    // In the path of a request, these would lead to something else.
    if (/^(?:[./]|$)/.test(volume)) throw new EngineError('notFound', missing);
    // Creating the container would create a missing volume.
    const known = found ?? (await inspectVolume(connection, volume, signal));
    if (known.name !== volume) throw new EngineError('notFound', missing);
    const check = () => checkMounted(connection, known, signal);
    await check();
    const create = () => this.#create(connection, volume);
    const container = await openTemporaryContainer(connection, create, false, signal);
    // If the volume was removed before the container was created, the engine created an empty one.
    await orDisposed(inspectSame(connection, known, signal), container);
    return { ...container, root: { container: container.id, folder: FOLDER }, check };
  }

  async #create(connection: Connection, volume: string): Promise<{ readonly id: string }> {
    const request = temporaryContainer(temporaryImageTag(this.#owner), this.#owner, {
      labels: { [TEMPORARY_VOLUME_LABEL]: volume },
      host: mountOf(volume, FOLDER),
    });
    try {
      return await createContainer(connection, request);
    } catch (error) {
      if (!failedWith(error, 'notFound')) throw error;
      await this.#prepare(connection);
      return createContainer(connection, request);
    }
  }

  /** Creates the image once for all that wait for it: another one would leave the first without a tag. */
  #prepare(connection: Connection): Promise<void> {
    const running = this.#imports.get(connection);
    if (running) return running;
    const started = this.#import(connection).finally(() => this.#imports.delete(connection));
    this.#imports.set(connection, started);
    return started;
  }

  async #import(connection: Connection): Promise<void> {
    if (await findImage(connection, temporaryImageTag(this.#owner))) return;
    const [repository = '', tag = ''] = temporaryImageTag(this.#owner).split(':');
    // For a user without a group, Podman starts three more processes for each archive that it sends.
    const changes = [`LABEL ${TEMPORARY_LABEL}=${this.#owner}`, 'USER 0:0'];
    await importImage(connection, { repository, tag, changes }, EMPTY_TAR);
  }
}

/** The files of a volume, until it is disposed of. */
export interface MountedVolume extends AsyncDisposable {
  readonly root: ArchiveRoot;
  /**
   * Checks after the work that the volume was mounted all the time: the last container could have stopped.
   *
   * @throws VolumeUnmountedError; EngineError.
   */
  readonly check: () => Promise<void>;
}

/** Returns the mount of a volume. A bind of a name that a plugin allows, and engines do not, could be a folder of the host. */
export function mountOf(volume: string, folder: string): object {
  return /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(volume)
    ? { Binds: [`${volume}:${folder}`] }
    : { Mounts: [{ Type: 'volume', Source: volume, Target: folder }] };
}

/** Where the volume is in the container. */
const FOLDER = '/volume';

const EMPTY_TAR: Upload = {
  type: ARCHIVE_TYPE,
  size: 1024,
  open: () => Readable.from([new Uint8Array(1024)]),
};
