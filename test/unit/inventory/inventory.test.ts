import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/errors.ts';
import type { EngineInfo } from '../../../src/engine/model.ts';
import { Inventory, type InventoryChange } from '../../../src/inventory/inventory.ts';
import { container, idOf, image } from './support/nouns.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const MINUTE = 60_000;
const A = idOf('a');
const B = idOf('b');
const INFO: EngineInfo = { product: 'docker', engineApi: '1.41', api: '1.41' };

describe('inventory', () => {
  let inventory: Inventory;
  let changes: InventoryChange[];

  beforeEach(() => {
    inventory = new Inventory();
    changes = [];
    inventory.onDidChange((change) => changes.push(change));
  });

  const changedContainers = (): string[] => changes.flatMap((change) => [...change.containers]);

  /** Lists two containers and an image at `NOW` and clears the recorded changes. */
  const given = (fields = {}): void => {
    inventory.replaceAll([container('a', fields), container('b')], [image('f')], NOW);
    changes.length = 0;
  };

  it('is idle and empty at first', () => {
    assert.deepEqual(inventory.phase, { kind: 'idle' });
    assert.equal(inventory.containers.size + inventory.images.size, 0);
  });

  it('applies complete lists and the phase as one change', () => {
    inventory.replaceAll([container('a')], [image('f')], NOW, { kind: 'live', info: INFO });
    assert.deepEqual(changes, [
      {
        containers: new Set([A]),
        images: new Set([image('f').id]),
        usedImages: new Set([image('f').id]),
        volumes: new Set(),
        networks: new Set(),
        usedNetworks: new Set(),
        phase: true,
      },
    ]);
    assert.deepEqual(inventory.containers.get(A), container('a'));
    assert.deepEqual(inventory.images.get(image('f').id), image('f'));
    assert.deepEqual(inventory.phase, { kind: 'live', info: INFO });
  });

  it('removes what a complete list no longer has', () => {
    given();
    inventory.replaceAll([container('b')], [], NOW);
    assert.deepEqual([...inventory.containers.keys()], [B]);
    assert.equal(inventory.images.size, 0);
    assert.deepEqual(changedContainers(), [A]);
    assert.deepEqual(changes[0]?.images, new Set([image('f').id]));
  });

  it('removes requested containers that were not found, and no others', () => {
    given();
    inventory.replaceContainers([A, idOf('c')], [], NOW);
    assert.deepEqual([...inventory.containers.keys()], [B]);
    assert.deepEqual(changedContainers(), [A]);
  });

  it('adds a container again that reappears', () => {
    given();
    inventory.replaceContainers([A], [], NOW);
    inventory.replaceContainers([A], [container('a')], NOW);
    assert.deepEqual(changedContainers(), [A, A]);
    assert(inventory.containers.has(A));
  });

  it('does not fire when nothing changed', () => {
    given({ labels: { one: '1', two: '2' } });
    inventory.replaceContainers([A], [container('a', { labels: { two: '2', one: '1' } })], NOW);
    inventory.replaceImages([image('f')]);
    inventory.replaceAll(
      [container('a', { labels: { one: '1', two: '2' } }), container('b')],
      [image('f')],
      NOW,
    );
    assert.deepEqual(changes, []);
  });

  it('does not fire, and keeps the entry, when only time has passed', () => {
    given();
    const entry = inventory.containers.get(A);
    const next = [container('a', { status: 'Up 7 minutes' })];
    inventory.replaceContainers([A], next, NOW + 2 * MINUTE);
    assert.deepEqual(changes, []);
    assert.equal(inventory.containers.get(A), entry);
  });

  it('narrows the age when only time has passed', () => {
    given();
    const next = [container('a', { status: 'Up 5 minutes' })];
    inventory.replaceContainers([A], next, NOW + MINUTE / 2);
    assert.deepEqual(inventory.ages.get(A), {
      earliest: NOW + MINUTE / 2 - 6 * MINUTE,
      latest: NOW - 5 * MINUTE,
    });
  });

  it('fires when a later list makes the displayed age jump', () => {
    given({ status: 'Up 2 hours' });
    inventory.replaceContainers([A], [container('a', { status: 'Up 3 hours' })], NOW + 5 * MINUTE);
    assert.deepEqual(changedContainers(), [A]);
  });

  it('fires when another run has the same status text as the one before', () => {
    given({ status: 'Up 2 seconds' });
    inventory.replaceContainers([A], [container('a', { status: 'Up 2 seconds' })], NOW + 9000);
    assert.deepEqual(changedContainers(), [A]);
    assert.deepEqual(inventory.ages.get(A), { earliest: NOW + 6000, latest: NOW + 7000 });
  });

  it('keeps the age of a run when its health changes', () => {
    given({ status: 'Up 59 seconds (health: starting)', health: 'starting' });
    const healthy = container('a', { status: 'Up About a minute (healthy)', health: 'healthy' });
    inventory.replaceContainers([A], [healthy], NOW + 20_000);
    assert.deepEqual(changedContainers(), [A]);
    assert.equal(inventory.ages.get(A)?.latest, NOW - 59_000);
  });

  it('starts a new age when the state changes', () => {
    given();
    const exited = container('a', {
      state: 'exited',
      status: 'Exited (1) 2 seconds ago',
      exitCode: 1,
    });
    inventory.replaceContainers([A], [exited], NOW + MINUTE);
    assert.deepEqual(inventory.ages.get(A), {
      earliest: NOW + MINUTE - 3000,
      latest: NOW + MINUTE - 2000,
    });
    inventory.replaceContainers([A], [container('a', { state: 'dead', status: 'Dead' })], NOW);
    assert.equal(inventory.ages.get(A), undefined);
  });

  it('removes the age of a removed container', () => {
    given();
    inventory.replaceContainers([A], [], NOW);
    assert.equal(inventory.ages.has(A), false);
  });

  it('fires when an unknown status text changes', () => {
    given({ status: 'Improving' });
    inventory.replaceContainers([A], [container('a', { status: 'Withering' })], NOW);
    assert.deepEqual(changedContainers(), [A]);
  });

  it('counts containers that are unhealthy or restarting', () => {
    given();
    assert.equal(inventory.troubledCount, 0);
    inventory.replaceContainers([A], [container('a', { health: 'unhealthy' })], NOW);
    assert.equal(inventory.troubledCount, 1);
    inventory.replaceContainers([B], [container('b', { state: 'restarting' })], NOW);
    assert.equal(inventory.troubledCount, 2);
    inventory.replaceContainers([A], [container('a', { health: 'healthy' })], NOW);
    inventory.replaceContainers([B], [], NOW);
    assert.equal(inventory.troubledCount, 0);
  });

  it('forgets that a container was out of memory when it has exited in another way since', () => {
    const exited = (exitCode: number) => container('a', { state: 'exited', exitCode });
    inventory.replaceAll([exited(137)], [], NOW);
    inventory.recordOutOfMemory(A);
    inventory.replaceAll([exited(137)], [], NOW);
    assert.deepEqual([...inventory.outOfMemory], [A]);
    // The run between two lists was not seen, for example because the engine was lost.
    inventory.replaceAll([exited(0)], [], NOW);
    assert.deepEqual([...inventory.outOfMemory], []);
  });

  it('returns the containers that use an image', () => {
    given();
    const old = image('f').id;
    const other = image('e').id;
    assert.deepEqual(inventory.containersOf(old), new Set([A, B]));
    inventory.replaceContainers([A], [container('a', { imageId: other })], NOW);
    assert.deepEqual(
      [inventory.containersOf(old), inventory.containersOf(other)],
      [new Set([B]), new Set([A])],
    );
    assert.deepEqual(changes[0]?.usedImages, new Set([old, other]));
    inventory.replaceContainers([A], [], NOW);
    assert.equal(inventory.containersOf(other).size, 0);
    assert.deepEqual(changes[1]?.usedImages, new Set([other]));
  });

  it('reports an image as changed in use when its container is renamed, but not when the state changes', () => {
    given();
    inventory.replaceContainers([A], [container('a', { state: 'paused' })], NOW);
    inventory.replaceContainers([A], [container('a', { state: 'paused', name: 'z' })], NOW);
    assert.deepEqual(
      changes.map((change) => change.usedImages.size),
      [0, 1],
    );
  });

  it('fires only the images that changed', () => {
    inventory.replaceImages([image('e'), image('f')]);
    inventory.replaceImages([image('e'), image('f', { tags: ['f:2'] }), image('d')]);
    assert.deepEqual(changes[1]?.images, new Set([image('f').id, image('d').id]));
    assert.deepEqual(changes[1].containers, new Set());
  });

  it('has applied the whole change when it fires', () => {
    let seen = -1;
    inventory.onDidChange(() => (seen = inventory.containersOf(image('f').id).size));
    inventory.replaceAll([container('a'), container('b')], [], NOW);
    assert.equal(seen, 2);
  });

  it('fires once for the same failure, however often a try fails', () => {
    const lost = (reason: 'refused' | 'socketAbsent') =>
      ({
        kind: 'lost',
        error: new EngineError(reason, { engineMessage: 'gone' }),
        hadRows: true,
      }) as const;
    inventory.setPhase(lost('refused'));
    inventory.setPhase(lost('refused'));
    inventory.setPhase(lost('socketAbsent'));
    assert.equal(changes.length, 2);
    assert.equal(
      changes.every((change) => change.phase),
      true,
    );
  });

  it("fires while live only if the engine's info changes", () => {
    inventory.setPhase({ kind: 'live', info: INFO });
    inventory.setPhase({ kind: 'live', info: { ...INFO } });
    inventory.setPhase({ kind: 'live', info: { ...INFO, api: '1.40' } });
    assert.equal(changes.length, 2);
  });

  it('looks only at what changed, not at ten thousand other containers', () => {
    const looked = { count: 0 };
    const many = Array.from({ length: 10_000 }, (_, index) => {
      const one = container('a', { id: String(index).padStart(64, '0') });
      return Object.defineProperty({ ...one }, 'name', {
        enumerable: true,
        get: () => (looked.count++, one.name),
      });
    });
    inventory.replaceAll(many, [], NOW);
    looked.count = 0;
    const maps = [inventory.containers, inventory.ages];
    inventory.replaceContainers([A], [container('a')], NOW);
    assert.equal(looked.count, 0);
    assert.deepEqual(
      [inventory.containers, inventory.ages].map((map, index) => map === maps[index]),
      [true, true],
    );
    assert.equal(inventory.containers.size, 10_001);
  });
});
