import assert from 'node:assert/strict';
import { openConnection } from '../../src/engine/http/connection.ts';
import { listContainers } from '../../src/engine/containers/containers.ts';
import { listImages } from '../../src/engine/images/images.ts';
import type { Container } from '../../src/engine/model.ts';
import { Inventory } from '../../src/inventory/inventory.ts';
import { Watcher } from '../../src/inventory/watcher.ts';
import { DisposableStore } from '../../src/base/lifetime.ts';
import { wallClock } from '../../src/base/time.ts';
import { bed } from '../bed/env.ts';
import { askWell } from '../bed/http.ts';
import { until as waitUntil } from '../bed/until.ts';

interface Inspected {
  readonly RestartCount: number;
  readonly State: { readonly Running: boolean; readonly Restarting?: boolean };
}

/** A container of these tests that is operated by another client. */
class OtherClient {
  readonly #socket: string;
  id = '';

  constructor(socket: string) {
    this.#socket = socket;
  }

  async create(
    name: string,
    cmd: readonly string[] = ['sleep', '1000'],
    host: object = {},
  ): Promise<string> {
    const HostConfig = { NetworkMode: 'host', ...host };
    const body = { Image: bed().image, Cmd: cmd, StopSignal: 'SIGKILL', HostConfig };
    const path = `/containers/create?name=${name}`;
    const text = await askWell(this.#socket, 'POST', path, { body });
    this.id = (JSON.parse(text) as { Id: string }).Id;
    return this.id;
  }

  post(path: string): Promise<string> {
    return askWell(this.#socket, 'POST', path, { body: {} });
  }

  verb(verb: string): Promise<string> {
    return this.post(`/containers/${this.id}/${verb}`);
  }

  async inspect(): Promise<Inspected> {
    const path = `/containers/${this.id}/json`;
    return JSON.parse(await askWell(this.#socket, 'GET', path)) as Inspected;
  }

  drop(path: string): Promise<string> {
    return askWell(this.#socket, 'DELETE', path);
  }
}

/** Podman 4.3 cannot inspect a container whose process has just ended: it reads the file of that process. */
function unlessJustEnded(error: unknown): undefined {
  if (!/read \/proc\/\d+\/cgroup: no such process/.test(String(error))) throw error;
}

describe('watcher on a real engine', () => {
  const name = `gantry-watch-${process.pid}`;
  const store = new DisposableStore();
  const inventory = store.add(new Inventory());
  let client: OtherClient;

  const connect = () => {
    const { socket: path } = bed();
    return store.add(
      openConnection({
        url: `unix://${path}`,
        transport: { kind: 'socket', path },
        source: 'setting',
      }),
    );
  };

  /** Resolves when the inventory fulfills the condition; only mocha's timeout limits the wait. */
  const until = async (isSo: () => boolean): Promise<void> => {
    if (isSo()) return;
    await new Promise<void>((resolve) => {
      const subscription = inventory.onDidChange(() => {
        if (!isSo()) return;
        subscription.dispose();
        resolve();
      });
    });
  };

  const row = (): Container | undefined => inventory.containers.get(client.id);
  const hasTag = (reference: string): boolean =>
    [...inventory.images.values()].some((image) =>
      image.tags.some((tag) => tag === reference || tag.endsWith(`/${reference}`)),
    );

  before(async () => {
    client = new OtherClient(bed().socket);
    const connection = connect();
    const watcher = store.add(
      new Watcher({
        inventory,
        connect: () => Promise.resolve(connection),
        clock: wallClock,
      }),
    );
    watcher.start();
    await until(() => inventory.phase.kind === 'live');
  });

  after(async () => {
    await client.drop(`/containers/${client.id}?force=1`).catch(() => undefined);
    store.dispose();
  });

  it('shows what another client creates, starts, pauses, renames, stops and removes', async () => {
    await client.create(name);
    await until(() => row()?.state === 'created');
    await client.verb('start');
    await until(() => row()?.state === 'running');
    await client.verb('pause');
    await until(() => row()?.state === 'paused');
    await client.verb('unpause');
    await until(() => row()?.state === 'running');
    await client.verb(`rename?name=${name}-b`);
    await until(() => row()?.name === `${name}-b`);
    await client.verb('stop');
    await until(() => row()?.state === 'exited');
    await client.verb('start');
    await until(() => row()?.state === 'running');
    await client.drop(`/containers/${client.id}?force=1`);
    await until(() => row() === undefined);
  });

  it('shows a container that exits on its own', async () => {
    await client.create(name, ['sh', '-c', 'exit 3']);
    await client.verb('start');
    await until(() => row()?.state === 'exited' && row()?.exitCode === 3);
    await client.drop(`/containers/${client.id}`);
    await until(() => row() === undefined);
  });

  for (const verb of ['kill', 'stop?t=0']) {
    it(`shows the end of a container in a restart loop after ${verb}`, async function () {
      this.timeout(60_000);
      const restarts = { RestartPolicy: { Name: 'always' } };
      // Docker's delay between two runs grows, and it reports no kill during the delay. Podman has no delay;
      // there the run after the second crash lasts until it is killed.
      const isDocker = bed().kind === 'docker';
      const crashes = isDocker ? 3 : 2;
      const stays = `echo crash >> /crashes; [ $(wc -l < /crashes) -gt ${crashes} ] && exec sleep 1000`;
      const script = isDocker ? 'exit 1' : `${stays}; exit 1`;
      await client.create(name, ['sh', '-c', script], restarts);
      await client.verb('start');
      await waitUntil(async () => {
        const now = await client.inspect().catch(unlessJustEnded);
        const { Restarting, Running } = now?.State ?? {};
        const isBetween = (isDocker ? Restarting : Running) === true;
        return Number(now?.RestartCount) >= crashes && isBetween;
      }, 'the container has crashed several times');
      await client.verb(verb);
      await until(() => row()?.state === 'exited');
      const { State } = await client.inspect();
      assert.deepEqual([State.Running, State.Restarting === true], [false, false]);
      assert.equal(row()?.state, 'exited');
      await client.drop(`/containers/${client.id}?force=1`);
      await until(() => row() === undefined);
    });
  }

  it('shows commits, tags, untags and removals of images', async () => {
    await client.create(name);
    await client.post(`/commit?container=${client.id}&repo=${name}&tag=1`);
    await until(() => hasTag(`${name}:1`));
    await client.post(`/images/${name}:1/tag?repo=${name}&tag=2`);
    await until(() => hasTag(`${name}:2`));
    await client.drop(`/images/${name}:2`);
    await until(() => !hasTag(`${name}:2`));
    await client.drop(`/images/${name}:1`);
    await until(() => !hasTag(`${name}:1`));
    await client.drop(`/containers/${client.id}?force=1`);
    await until(() => row() === undefined);
  });

  it('finally equals a fresh list', async () => {
    await client.create(name);
    await client.verb('start');
    await client.post(`/commit?container=${client.id}&repo=${name}&tag=3`);
    await client.verb('stop');
    await until(() => row()?.state === 'exited' && hasTag(`${name}:3`));
    const connection = connect();
    const untimed = (list: Iterable<Container>): readonly Container[] =>
      [...list].map((one) => ({ ...one, status: '' })).sort((a, b) => a.id.localeCompare(b.id));
    const images = await listImages(connection, {});
    const mine = (one: Container): boolean => one.names.some((text) => text.startsWith(name));
    const fresh = await listContainers(connection, { all: true });
    assert.deepEqual(
      untimed([...inventory.containers.values()].filter(mine)),
      untimed(fresh.filter(mine)),
    );
    const tagged = (tag: string) => (one: { readonly tags: readonly string[] }) =>
      one.tags.some((text) => text.endsWith(tag));
    assert.deepEqual(
      [...inventory.images.values()].find(tagged(`${name}:3`)),
      images.find(tagged(`${name}:3`)),
    );
    await client.drop(`/images/${name}:3`);
    await client.drop(`/containers/${client.id}?force=1`);
    await until(() => row() === undefined && !hasTag(`${name}:3`));
  });
});
