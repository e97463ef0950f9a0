import assert from 'node:assert/strict';
import {
  isTemporaryContainer,
  temporaryImageTag,
  temporaryOwner,
  TEMPORARY_LABEL,
} from '../../../src/engine/images/temporaryMarks.ts';
import { isLeftBehind } from '../../../src/engine/containers/openTemporaryContainer.ts';
import { isLeftStep } from '../../../src/engine/containers/stepContainer.ts';
import type { Container, Image } from '../../../src/engine/model.ts';
import { installationSecret, sweepLeftovers } from '../../../src/files/sweepLeftovers.ts';
import { Inventory } from '../../../src/inventory/inventory.ts';
import type { KnownEngines } from '../../../src/inventory/knownEngine.ts';
import { Emitter } from '../../../src/base/lifetime.ts';
import { json } from '../support/fakeEngine.ts';
import { openLab, when, type Lab } from '../support/lab.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const OLD = '2026-01-01T00:00:00Z';
const NAME = 'gantry-temporary-0123456789ab';
const ELSEWHERE = '0123456789ab-1-00000000';
const ID = 'a'.repeat(64);

function temporary(owner: string, changes: Partial<Container> = {}): Container {
  return {
    id: ID,
    name: NAME,
    names: [NAME],
    image: 'x',
    imageId: 'x',
    state: 'created',
    status: 'Created',
    createdAt: OLD,
    ports: [],
    labels: { [TEMPORARY_LABEL]: owner },
    mounts: [],
    networks: [],
    command: 'gantry never',
    ...changes,
  };
}

describe('files/sweepLeftovers: a temporary container', () => {
  const own = temporaryOwner('secret');
  const [origin = ''] = own.split('-');
  const other = `${origin}-${process.pid + 1}-00000000`;
  const ended = `${origin}-${process.pid}-00000000`;
  const isLeft = (container: Container, isAlive: boolean): boolean =>
    isLeftBehind(container, own, NOW, () => isAlive);

  it('is recognized by its label, name, state, and command together', () => {
    assert(isTemporaryContainer(temporary(own)));
    assert(
      isTemporaryContainer(temporary(own, { command: 'never' })),
      'a container as Podman lists it',
    );
    // First listed while it is removed.
    for (const state of ['removing', 'dead'] as const)
      assert(isTemporaryContainer(temporary(own, { state })), state);
    const foreign: readonly Partial<Container>[] = [
      { labels: {} },
      { labels: { [TEMPORARY_LABEL]: '1' } },
      { labels: { [TEMPORARY_LABEL]: '' } },
      { name: 'orders-db' },
      { name: `${NAME}0` },
      { state: 'running' },
      { state: 'exited' },
      { command: 'postgres' },
    ];
    for (const one of foreign)
      assert(!isTemporaryContainer(temporary(own, one)), JSON.stringify(one));
  });

  it('is kept if it belongs to this window or to another live one', () => {
    assert(!isLeft(temporary(own), false));
    assert(!isLeft(temporary(other), true));
  });

  it('is removed if its window was killed, or was an earlier process with the same PID', () => {
    assert(isLeft(temporary(other), false));
    assert(isLeft(temporary(ended), true));
  });

  it('of another installation is removed only after some time', () => {
    assert(isLeft(temporary(ELSEWHERE), true));
    assert(!isLeft(temporary(ELSEWHERE, { createdAt: '2026-01-01T23:59:00Z' }), false));
    assert(!isLeft(temporary(ELSEWHERE, { createdAt: '' }), false));
  });

  it('has an owner mark that differs between installations on hosts of the same name', () => {
    assert.notEqual(temporaryOwner('other').split('-')[0], origin);
    assert.equal(temporaryOwner('secret').split('-')[0], origin);
  });

  it('has an installation secret that is generated once and stored', () => {
    const kept = new Map<string, string>();
    const memory = {
      get: (key: string) => kept.get(key),
      update: (key: string, value: string) => Promise.resolve(void kept.set(key, value)),
    };
    const secret = installationSecret(memory);
    assert.match(secret, /^[0-9a-f-]{36}$/);
    assert.equal(installationSecret(memory), secret);
    assert.notEqual(installationSecret({ ...memory, get: () => undefined }), secret);
  });

  describe('on an engine', () => {
    let lab: Lab;
    beforeEach(() => (lab = openLab()));
    afterEach(() => lab.close());

    const info = { product: 'docker', engineApi: '1.41', api: '1.41' } as const;
    const untouched = {
      Id: ID,
      Name: `/${NAME}`,
      Path: 'gantry',
      Args: ['never'],
      Config: { Labels: { [TEMPORARY_LABEL]: ended } },
      State: { Status: 'created', Running: false, StartedAt: '0001-01-01T00:00:00Z' },
    };

    /**
     * Returns the requests sent to an engine that first lists these containers and returns `inspected` for
     * each.
     *
     * @param images what is listed later than the containers.
     */
    async function swept(
      listed: readonly Container[],
      inspected: object,
      isDone: (requests: readonly string[]) => boolean,
      images?: readonly Image[],
    ): Promise<{ readonly requests: readonly string[]; readonly inventory: Inventory }> {
      const requests: string[] = [];
      const { connection } = await lab.fake((request, response) => {
        requests.push(`${request.method} ${request.path}?${request.query.toString()}`);
        if (request.method === 'GET') json(response, 200, inspected);
        else response.writeHead(204).end();
      });
      const inventory = new Inventory();
      const changes = new Emitter<unknown>();
      const unit = { inventory, engine: { connect: () => Promise.resolve(connection) } };
      const engines = {
        all: [unit],
        onDidChangeInventory: changes.event,
      } as unknown as KnownEngines;
      sweepLeftovers(engines, () => own);
      changes.fire(undefined);
      const live = { kind: 'live', info } as const;
      inventory.replaceAll(listed, [], NOW, images ? { ...live, images: 'awaited' } : live);
      changes.fire(undefined);
      if (images) inventory.replaceImages(images, live);
      changes.fire(undefined);
      changes.fire(undefined);
      await when(() => isDone(requests));
      return { requests, inventory };
    }

    it('is hidden from the list, inspected, and then removed once without force', async () => {
      const mine = temporary(own, { id: 'b'.repeat(64) });
      const all = [temporary(ended), mine];
      const { requests, inventory } = await swept(all, untouched, (sent) => sent.length > 1);
      assert.deepEqual(requests, [`GET /containers/${ID}/json?`, `DELETE /containers/${ID}?v=1`]);
      assert.deepEqual([inventory.containers.size, inventory.temporaries.size], [0, 2]);
      inventory.replaceContainers([mine.id], [{ ...mine, state: 'removing' }], NOW);
      assert.deepEqual([inventory.containers.size, inventory.temporaries.size], [0, 2]);
      inventory.replaceContainers([mine.id], [], NOW);
      assert.deepEqual([inventory.containers.size, inventory.temporaries.size], [0, 1]);
    });

    it('leaves an image that is removed also if the images are listed later than the containers', async () => {
      const tag = temporaryImageTag(ended);
      const image = { id: 'sha256:f', tags: [tag], digests: [], createdAt: OLD, size: 0 };
      const inspected = {
        ...untouched,
        ...{ Id: `sha256:${ID}`, RepoTags: [tag] },
      };
      const { requests } = await swept([], inspected, (sent) => sent.length > 1, [image]);
      assert.deepEqual(
        requests.map((one) => decodeURIComponent(one.replace(/\?.*/, ''))),
        [`GET /images/${tag}/json`, `DELETE /images/${tag}`],
      );
    });

    it('is hidden from the list if it first appears while it is being removed', async () => {
      const { inventory } = await swept([], untouched, () => true);
      for (const state of ['removing', 'dead'] as const)
        inventory.replaceContainers([ID], [temporary(own, { state })], NOW);
      assert.deepEqual([inventory.containers.size, inventory.temporaries.size], [0, 1]);
    });

    it('is shown when a user starts it, until it is removed', async () => {
      const { inventory } = await swept([temporary(own)], untouched, () => true);
      for (const state of ['running', 'removing', 'dead'] as const) {
        inventory.replaceContainers([ID], [temporary(own, { state })], NOW);
        assert.deepEqual([inventory.containers.size, inventory.temporaries.size], [1, 0], state);
      }
    });

    for (const [what, change] of Object.entries({
      'was started': { State: { Status: 'exited', StartedAt: '2026-01-01T00:00:00Z' } },
      'was started but is still listed as created': {
        State: { Status: 'created', StartedAt: '2026-01-01T00:00:00Z' },
      },
      'got another name': { Name: '/orders-db' },
      'got another command': { Path: 'postgres', Args: [] },
      'lost its label': { Config: { Labels: {} } },
    })) {
      it(`is not removed if it ${what} in the meantime`, async () => {
        const next = temporary(ended, { id: 'c'.repeat(64) });
        const all = [temporary(ended), next];
        const inspected = { ...untouched, ...change };
        const { requests } = await swept(all, inspected, (sent) => sent.length > 1);
        assert.deepEqual(
          requests.filter((one) => one.startsWith('DELETE')),
          [],
        );
      });
    }

    describe('of a shell at a failed step', () => {
      const name = 'gantry-step-0123456789ab';
      const labels = { 'io.gantry.step': ended };
      const step = temporary(own, { name, labels, state: 'running', command: 'sh -c "read wait"' });
      const waiting = {
        ...untouched,
        ...{ Name: `/${name}`, Path: 'sh', Args: ['-c', 'read wait'], Config: { Labels: labels } },
        State: { Status: 'running', Running: true, StartedAt: OLD },
      };

      it('is removed with force if its window was killed', async () => {
        const { requests } = await swept([step], waiting, (sent) => sent.length > 1);
        assert.match(requests[1] ?? '', new RegExp(`^DELETE /containers/${ID}\\?.*force=`));
      });

      it('is kept if its window may be alive, or if it is another container', async () => {
        const kept: readonly Partial<Container>[] = [
          { labels: { 'io.gantry.step': own } },
          { labels: { 'io.gantry.step': ELSEWHERE } },
          { labels: {} },
          { name: 'orders-db' },
        ];
        for (const change of kept) {
          assert.ok(isLeftStep(step, own));
          assert.ok(!isLeftStep({ ...step, ...change }, own), JSON.stringify(change));
        }
        // It got another command: the next one is looked at without a removal.
        const other = { ...waiting, Path: 'postgres', Args: [] };
        const all = [step, { ...step, id: 'c'.repeat(64) }];
        const { requests } = await swept(all, other, (sent) => sent.length > 1);
        assert.ok(
          requests.every((one) => one.startsWith('GET')),
          requests.join(),
        );
      });
    });

    it('is shown and kept if it only has the label, set by an image or a Compose file', async () => {
      const db = temporary('1', { id: 'd'.repeat(64), name: 'orders-db', state: 'running' });
      const miner = temporary(ended, { id: 'e'.repeat(64), name: 'miner', command: 'mine' });
      const all = [db, miner, temporary(ended)];
      const { requests, inventory } = await swept(all, untouched, (sent) => sent.length > 1);
      assert.deepEqual([...inventory.containers.keys()], [db.id, miner.id]);
      assert(requests.every((one) => one.includes(ID)));
    });
  });
});
