import {
  listUsedImages,
  removeUnusedImage,
  type KeptImage,
} from '../engine/system/removeUnusedImage.ts';
import { listContainers } from '../engine/containers/containers.ts';
import { isLost } from '../engine/errors.ts';
import { isTemporaryContainer } from '../engine/images/temporaryMarks.ts';
import { isUp, type Container } from '../engine/model.ts';
import { isCancellation } from '../base/lifetime.ts';
import {
  containerResource,
  imageResource,
  networkResource,
  networkUsers,
  volumeResource,
  volumeUsers,
  type DownPlan,
  type Resource,
} from './downPlan.ts';
import { findProject, type Project, type Service } from './project.ts';
import { projectOf } from './projectLabels.ts';

import { deleteNetwork, listUse } from '../engine/networks/networkOperations.ts';
import { removeVolume } from '../engine/volumes/removeVolume.ts';
import { VolumeChangedError } from '../engine/volumes/volumeErrors.ts';
import { connectionOf, isUnanswered } from './interruptions.ts';
import { runOnProject, type FailedWhy, type ProjectRunOptions } from './runOnProject.ts';

/**
 * Removes what belongs to projects: stops its containers, dependents first, and removes them, then networks,
 * volumes and images. Looks again before each kind and each network: only what was agreed on is removed, and
 * nothing that another container uses. Never rejects.
 *
 * @param agreed what to remove, as the user saw it.
 */
export async function runDown(
  projects: readonly string[],
  agreed: Omit<DownPlan, 'kept'>,
  world: DownOptions,
): Promise<DownRun> {
  return new Down(projects, agreed, world).run();
}

export interface DownOptions extends ProjectRunOptions {
  /** Whether the containers were listed right before, so that they are not listed again. */
  readonly isFresh?: boolean;
}

/** Outcome of a removal: now or before. */
export type RemovalOutcome = 'removed' | 'alreadyGone';

/** Outcome for each resource. After an abort, some are in neither list. */
export interface DownRun {
  readonly done: readonly DownDone[];
  readonly failed: readonly DownFailed[];
  readonly isCanceled: boolean;
  readonly total: number;
}

interface DownDone extends Resource {
  readonly outcome: RemovalOutcome;
}

interface DownFailed extends Resource {
  readonly why: DownFailure;
}

export type DownFailure =
  | FailedWhy
  | { readonly kind: 'used'; readonly users: readonly string[] }
  | { readonly kind: 'image'; readonly kept: KeptImage };

class Down {
  readonly #projects: readonly string[];
  readonly #agreed: Omit<DownPlan, 'kept'>;
  readonly #world: DownOptions;
  readonly #done: DownDone[] = [];
  readonly #failed: DownFailed[] = [];
  /** Resources agreed on and not handled yet, by kind and ID. */
  readonly #left: Map<string, Resource>;
  readonly #total: number;

  constructor(projects: readonly string[], agreed: Omit<DownPlan, 'kept'>, world: DownOptions) {
    this.#projects = projects;
    this.#agreed = agreed;
    this.#world = world;
    const all = [
      ...agreed.containers.map(containerResource),
      ...agreed.networks.map(networkResource),
      ...agreed.volumes.map(volumeResource),
      ...agreed.images.map(imageResource),
    ];
    this.#left = new Map(all.map((one) => [keyOf(one), one]));
    this.#total = this.#left.size;
  }

  async run(): Promise<DownRun> {
    const { signal } = this.#world;
    try {
      await this.#removeContainers();
      signal.throwIfAborted();
      await this.#removeNetworks();
      await this.#removeVolumes();
      await this.#removeImages();
    } catch (error) {
      // What is left fails for the same reason, unless the user canceled.
      if (!(signal.aborted && isCancellation(error)))
        for (const one of this.#left.values()) this.#fail(one, { kind: 'error', error });
    }
    const done = this.#done;
    const failed = this.#failed;
    return { done, failed, isCanceled: signal.aborted, total: this.#total };
  }

  /** One-off containers are stopped first: they may use the services. */
  async #removeContainers(): Promise<void> {
    const { connection, signal, isFresh = false } = this.#world;
    const agreed = new Set(this.#agreed.containers.map(({ id }) => id));
    const all = isFresh
      ? this.#agreed.containers
      : await listContainers(connection, { all: true }, signal);
    const isMember = (one: Container): boolean => this.#projects.includes(projectOf(one) ?? '');
    const present = all.filter((one) => agreed.has(one.id) && isMember(one));
    const ids = new Set(present.map(({ id }) => id));
    for (const { id, name } of this.#agreed.containers)
      if (!ids.has(id)) this.#finish({ kind: 'container', id, name }, 'alreadyGone');
    for (const name of this.#projects) {
      const project = findProject(present, name);
      if (project) await this.#removeProject(project);
    }
  }

  async #removeProject(project: Project): Promise<void> {
    const { signal } = this.#world;
    const oneOffs = { ...project, services: project.oneOffs.map(asService) };
    for (const part of [oneOffs, project]) {
      await this.#stop(part);
      signal.throwIfAborted();
      await this.#remove(part);
      signal.throwIfAborted();
    }
  }

  async #stop(part: Project): Promise<void> {
    const running = withContainers(part, (one) => isUp(one) || one.state === 'unknown');
    const { failed } = await runOnProject('stop', running, this.#world);
    for (const { container, why } of failed) this.#fail(containerResource(container), why);
  }

  /** Without force: a container that was started again in the meantime stays. */
  async #remove(part: Project): Promise<void> {
    const left = withContainers(part, (one) => this.#left.has(keyOf(containerResource(one))));
    const { done, failed } = await runOnProject('remove', left, this.#world);
    for (const { container, outcome } of done)
      this.#finish(containerResource(container), outcome === 'removed' ? 'removed' : 'alreadyGone');
    for (const { container, why } of failed) this.#fail(containerResource(container), why);
  }

  async #removeNetworks(): Promise<void> {
    const { signal } = this.#world;
    for (const one of this.#agreed.networks) {
      await this.#removeOne(networkResource(one), async () => {
        const connection = await connectionOf(this.#world, signal);
        const now = await listUse(connection, signal);
        const users = networkUsers(one, now);
        if (users.length > 0) return { users };
        const found = now.networks.find(({ id }) => id === one.id);
        return found ? deleteNetwork(connection, found, signal) : ALREADY_GONE;
      });
    }
  }

  async #removeVolumes(): Promise<void> {
    const { volumes } = this.#agreed;
    if (volumes.length === 0) return;
    const { signal } = this.#world;
    const connection = await connectionOf(this.#world, signal);
    const all = await listContainers(connection, { all: true }, signal);
    const containers = all.filter((one) => !isTemporaryContainer(one));
    for (const one of volumes) {
      await this.#removeOne(volumeResource(one), async () => {
        const users = volumeUsers(one, containers);
        if (users.length > 0) return { users };
        return removeVolume(connection, one.name, one, signal).catch((error: unknown) => {
          // Another volume has its name now.
          if (error instanceof VolumeChangedError) return ALREADY_GONE;
          throw error;
        });
      });
    }
  }

  async #removeOne(one: Resource, remove: () => Promise<Removal>): Promise<void> {
    try {
      // After a lost answer it is looked at again before it is removed.
      const end = await remove().catch((error: unknown) => {
        if (!isUnanswered(error) || this.#world.signal.aborted) throw error;
        return remove();
      });
      if ('users' in end) this.#fail(one, { kind: 'used', users: end.users });
      else this.#finish(one, end.outcome);
    } catch (error) {
      // Nothing is known about the others if the engine is lost or the user canceled.
      if (isLost(error) || isCancellation(error)) throw error;
      this.#fail(one, { kind: 'error', error });
    }
  }

  async #removeImages(): Promise<void> {
    const { images } = this.#agreed;
    if (images.length === 0) return;
    const { signal } = this.#world;
    const connection = await connectionOf(this.#world, signal);
    const used = await listUsedImages(connection, signal);
    for (const image of images) {
      signal.throwIfAborted();
      const kept = await removeUnusedImage(connection, image, used, signal);
      if (kept) this.#fail(imageResource(image), { kind: 'image', kept });
      else this.#finish(imageResource(image), 'removed');
    }
  }

  #finish(one: Resource, outcome: RemovalOutcome): void {
    this.#left.delete(keyOf(one));
    this.#done.push({ ...one, outcome });
  }

  #fail(one: Resource, why: DownFailure): void {
    this.#left.delete(keyOf(one));
    this.#failed.push({ ...one, why });
  }
}

/** Outcome for one, or the containers that use it. */
type Removal = { readonly outcome: RemovalOutcome } | { readonly users: readonly string[] };

const ALREADY_GONE = { outcome: 'alreadyGone' } as const;

function keyOf({ kind, id }: Resource): string {
  return `${kind}/${id}`;
}

function asService(container: Container): Service {
  return { name: container.id, containers: [container], dependencies: [] };
}

function withContainers(project: Project, isWanted: (one: Container) => boolean): Project {
  const services = project.services.map((one) => ({
    ...one,
    containers: one.containers.filter(isWanted),
  }));
  return { ...project, services };
}
