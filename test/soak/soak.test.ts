// Creates, changes, and removes containers for a while, with occasional disconnects. GANTRY_SOAK_MINUTES sets
// the duration; the default is one minute.
import assert from 'node:assert/strict';
import { createContainer } from '../../src/engine/containers/containers.ts';
import {
  pauseContainer,
  removeContainer,
  renameContainer,
  startContainer,
  stopContainer,
  unpauseContainer,
} from '../../src/engine/containers/containerLifecycle.ts';
import { removeImage, tagImage } from '../../src/engine/images/images.ts';
import { delay } from '../../src/base/time.ts';
import { FaultProxy } from '../bed/faultProxy.ts';
import { nothingMoreThan, openThings, Rig } from '../engine/faults/rig.ts';
import { Site } from '../engine/support.ts';
import { liveMemory } from '../unit/support/collectGarbage.ts';
import { PaintedTree } from './paintedTree.ts';

const MINUTE = 60_000;
const MINUTES = Number(process.env['GANTRY_SOAK_MINUTES'] ?? 1);
/** One disconnect per minute, six in a short run. */
const BREAK_EVERY = MINUTES > 1 ? MINUTE : 10_000;
/** The pause between two changes, in milliseconds, because the machine is shared. */
const PACE = 50;
const MOST_CONTAINERS = 12;
/** Heap growth that is not a leak, in bytes. Keeping one entry per change would take many times as much. */
const GROWTH = 4 * 1024 * 1024;

describe(`containers created and removed for ${MINUTES} min`, function () {
  this.timeout((MINUTES + 2) * MINUTE);

  it('leave no stale row, no memory, and nothing open', async () => {
    const site = new Site();
    const before = openThings();
    const proxy = await FaultProxy.start(site.facts.socket);
    const rig = new Rig(proxy.url);
    const tree = new PaintedTree(rig);
    const crowd = new Crowd(site);
    try {
      await rig.live();
      await soak(rig, proxy, crowd, MINUTES / 4);
      forget(rig, proxy);
      const warm = liveMemory();
      await soak(rig, proxy, crowd, (MINUTES * 3) / 4);
      await tree.isAsListed(site.facts.socket);
      forget(rig, proxy);
      const grown = liveMemory() - warm;
      const story = `${crowd.changes} changes, the heap grew by ${Math.round(grown / 1024)} KiB`;
      console.log(`      ${story}`);
      assert(grown < GROWTH, story);
    } finally {
      tree.dispose();
      rig.dispose();
      await proxy.stop();
      await crowd.leave();
      await nothingMoreThan(before);
      await site.leave();
    }
  });
});

/** Makes changes and disconnects for some minutes. Checks after each disconnect that the inventory is correct. */
async function soak(rig: Rig, proxy: FaultProxy, crowd: Crowd, minutes: number): Promise<void> {
  const end = performance.now() + minutes * MINUTE;
  const breaks = [breakAll, endEvents, reopen];
  for (let round = 0; performance.now() < end; round++) {
    const next = Math.min(end, performance.now() + BREAK_EVERY);
    while (performance.now() < next) {
      await crowd.change();
      await delay(PACE);
    }
    await rig.isRight();
    await breaks[round % breaks.length]!(proxy);
    // This change has no event until there is a stream again, whether or not the loss is reported.
    await crowd.change();
    await rig.isRight();
  }
}

function breakAll(proxy: FaultProxy): Promise<void> {
  proxy.cut();
  return Promise.resolve();
}

function endEvents(proxy: FaultProxy): Promise<void> {
  proxy.endEvents();
  return Promise.resolve();
}

async function reopen(proxy: FaultProxy): Promise<void> {
  await proxy.down();
  await proxy.up();
}

/** Clears what the test itself records, so that it does not count as growth. */
function forget(rig: Rig, proxy: FaultProxy): void {
  proxy.seen.length = 0;
  rig.phases.length = 0;
}

/** A group of containers that are changed in turn. */
class Crowd {
  readonly #site: Site;
  readonly #ids: string[] = [];
  readonly #repository: string;
  changes = 0;

  constructor(site: Site) {
    this.#site = site;
    this.#repository = site.repository();
  }

  /** Makes the next change. */
  async change(): Promise<void> {
    const { connection } = this.#site;
    const turn = this.changes++;
    const id = this.#ids[turn % this.#ids.length];
    if (id === undefined || this.#ids.length < MOST_CONTAINERS / 2) return this.#add(turn);
    switch (turn % 8) {
      case 0:
      case 1:
        return this.#add(turn);
      case 2:
        await stopContainer(connection, id, { timeoutSeconds: 0 });
        break;
      case 3:
        await startContainer(connection, id);
        break;
      case 4:
        await pauseContainer(connection, id).catch(() => undefined);
        await unpauseContainer(connection, id).catch(() => undefined);
        break;
      case 5:
        await renameContainer(connection, id, this.#site.name());
        break;
      case 6:
        await tagImage(connection, this.#site.facts.image, {
          repository: this.#repository,
          tag: 'soak',
        });
        await removeImage(connection, `${this.#repository}:soak`);
        break;
      default:
        await this.#remove(this.#ids.length > MOST_CONTAINERS ? 3 : 1);
    }
  }

  async leave(): Promise<void> {
    await this.#remove(this.#ids.length);
  }

  /** Adds a container that keeps running, or one that exits immediately. */
  async #add(turn: number): Promise<void> {
    const Cmd = turn % 3 === 0 ? ['true'] : ['sleep', '1000'];
    const body = { Image: this.#site.facts.image, Cmd, StopSignal: 'SIGKILL' };
    const name = this.#site.name();
    const { id } = await createContainer(this.#site.connection, { name, body });
    this.#ids.push(id);
    await startContainer(this.#site.connection, id);
  }

  async #remove(count: number): Promise<void> {
    for (const id of this.#ids.splice(0, count))
      await removeContainer(this.#site.connection, id, { force: true });
  }
}
