import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import { commitContainer, createContainer } from '../../../../src/engine/containers/containers.ts';
import {
  removeContainer,
  startContainer,
  stopContainer,
} from '../../../../src/engine/containers/containerLifecycle.ts';
import { parseEndpoint } from '../../../../src/engine/http/endpoint.ts';
import { pullImage } from '../../../../src/engine/images/pullImage.ts';
import { monotonicClock } from '../../../../src/base/time.ts';
import { Inventory } from '../../../../src/inventory/inventory.ts';
import { Watcher } from '../../../../src/inventory/watcher.ts';
import { RecordedEngine } from '../../support/recordedEngines.ts';
import { RECORDINGS } from '../../support/recordings.ts';

for (const recording of Object.values(RECORDINGS)) {
  describe(`recorded responses: a watcher of ${recording.name}`, () => {
    let played: RecordedEngine;
    let connection: Connection;
    let inventory: Inventory;
    let watcher: Watcher;

    beforeEach(async () => {
      played = await RecordedEngine.start(recording);
      connection = openConnection(parseEndpoint(played.engine.url, 'setting'));
      inventory = new Inventory();
      watcher = new Watcher({
        inventory,
        clock: monotonicClock,
        connect: () => Promise.resolve(connection),
      });
    });

    afterEach(async () => {
      watcher.dispose();
      connection.dispose();
      await played.stop();
    });

    /** Resolves when the inventory meets the condition. */
    async function until(isSo: () => boolean): Promise<void> {
      while (!isSo()) {
        await new Promise<void>((resolve) => {
          const subscription = inventory.onDidChange(() => {
            subscription.dispose();
            resolve();
          });
        });
      }
    }

    async function live(): Promise<void> {
      watcher.start();
      await until(() => inventory.phase.kind === 'live');
    }

    function tags(): readonly string[] {
      return [...inventory.images.values()].flatMap((image) => image.tags);
    }

    it('loads the existing containers and images', async () => {
      const { id } = played.add('web', 'running');
      await live();
      assert.equal(inventory.containers.get(id)?.state, 'running');
      assert.equal(inventory.images.size, 1);
    });

    it('follows a container from creation to removal', async () => {
      await live();
      await pullImage(connection, { reference: 'app' }, () => undefined);
      await until(() => tags().some((tag) => tag.endsWith('app:latest')));
      const { id } = await createContainer(connection, {
        name: 'a',
        body: { Image: 'app:latest' },
      });
      const state = (): string | undefined => inventory.containers.get(id)?.state;
      await until(() => state() === 'created');
      await startContainer(connection, id);
      await until(() => state() === 'running');
      await stopContainer(connection, id, { timeoutSeconds: 1 });
      await until(() => state() === 'exited');
      assert.equal(inventory.containers.get(id)?.exitCode, 137);
      await removeContainer(connection, id);
      await until(() => state() === undefined);
    });

    it('shows an image that was committed from a container', async () => {
      const { id } = played.add('web', 'exited');
      await live();
      await commitContainer(connection, { id, repository: 'mine', pause: true });
      await until(() => tags().some((tag) => tag.endsWith('mine:latest')));
    });
  });
}
