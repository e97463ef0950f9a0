import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import {
  commitContainer,
  createContainer,
  inspectContainer,
  listContainers,
} from '../../../../src/engine/containers/containers.ts';
import {
  removeContainer,
  startContainer,
  stopContainer,
} from '../../../../src/engine/containers/containerLifecycle.ts';
import {
  waitForContainer,
  waitForRemoval,
} from '../../../../src/engine/containers/waitForContainer.ts';
import { parseEndpoint } from '../../../../src/engine/http/endpoint.ts';
import { OVERDUE } from '../../support/fakeClock.ts';
import { listImages } from '../../../../src/engine/images/images.ts';
import { LogReader } from '../../../../src/engine/logs/logReader.ts';
import type { LogLine, PullStep } from '../../../../src/engine/model.ts';
import { pullImage } from '../../../../src/engine/images/pullImage.ts';
import { compareApi, OUR_API } from '../../../../src/engine/capabilities/version.ts';
import { failure } from '../../support/lab.ts';
import { RecordedEngine, REMOTE_TAG } from '../../support/recordedEngines.ts';
import { RECORDED_DIGEST } from '../../support/recordedShapes.ts';
import { RECORDINGS, type Recording } from '../../support/recordings.ts';

/** The oldest supported API version. */
const LEAST = '1.41';
const APP_ID = `sha256:${'b'.repeat(64)}`;

/** Each recorded engine, and some with an older pinned API version. */
const MET: readonly (readonly [what: string, recording: Recording, pinned?: string])[] = [
  ...Object.values(RECORDINGS).map((one) => [one.name, one] as const),
  ['Docker 28.5 with API 1.41', RECORDINGS.docker28, LEAST],
  ['the newest Docker with API 1.43', RECORDINGS.dockerNewest, '1.43'],
  ['Podman 5.8 with API 1.41', RECORDINGS.podman5, LEAST],
  ['Podman 5.8 reported as 4.3', { ...RECORDINGS.podman5, version: '4.3.1' }],
];

for (const [what, recording, pinned] of MET) {
  const spoken = pinned ?? (compareApi(recording.newest, OUR_API) < 0 ? recording.newest : OUR_API);
  const isDocker = recording.product === 'docker';

  describe(`recorded responses: ${what}`, () => {
    let played: RecordedEngine;
    let connection: Connection;

    beforeEach(async () => {
      played = await RecordedEngine.start(recording);
      const endpoint = parseEndpoint(played.engine.url, 'setting');
      connection = openConnection(
        pinned === undefined ? endpoint : { ...endpoint, pinnedApi: pinned },
      );
    });

    afterEach(async () => {
      connection.dispose();
      await played.stop();
    });

    async function pull(reference = 'app'): Promise<Awaited<ReturnType<typeof pullImage>>> {
      return pullImage(connection, { reference }, () => undefined);
    }

    async function create(name = 'web'): Promise<string> {
      await pull();
      return (await createContainer(connection, { name, body: { Image: 'app:latest' } })).id;
    }

    it('negotiates an API version that both support', async () => {
      const { product, version, newest } = recording;
      const expected = { product, version, engineApi: newest, api: spoken };
      assert.deepEqual(await connection.info(), expected);
      await listContainers(connection, {});
      await listImages(connection, {});
      assert.deepEqual(new Set(played.engine.seen.map((one) => one.version)), new Set([spoken]));
      assert.equal(played.engine.pings(), 1);
    });

    it('lists containers', async () => {
      const up = played.add('up', 'running');
      const down = Object.assign(played.add('down', 'exited'), { exitCode: 3 });
      const all = await listContainers(connection, { all: true });
      assert.deepEqual(
        all.map(({ name, state, exitCode, health, imageId }) => [
          name,
          state,
          exitCode,
          health,
          imageId,
        ]),
        [
          ['up', 'running', undefined, undefined, APP_ID],
          ['down', 'exited', 3, undefined, APP_ID],
        ],
      );
      const { ports, labels } = all[0]!;
      assert.deepEqual([ports, labels], [[], {}]);
      assert.deepEqual(
        (await listContainers(connection, {})).map(({ id }) => id),
        [up.id],
      );
      const some = await listContainers(connection, { all: true, ids: [down.id] });
      assert.deepEqual(
        some.map(({ name }) => name),
        ['down'],
      );
    });

    it('lists images, and omits unknown values', async () => {
      await create();
      const [untagged, app] = await listImages(connection, {});
      const nothing = { tags: [], digests: [], createdAt: '' };
      const { tags, digests, createdAt } = untagged!;
      assert.deepEqual({ tags, digests, createdAt }, nothing);
      assert.equal(untagged!.parentId, undefined);
      assert.equal(app?.id, APP_ID);
      assert.deepEqual(app.tags, [isDocker ? 'app:latest' : REMOTE_TAG]);
      assert.equal(app.createdAt, '2026-08-01T10:00:00.000Z');
      const isCounted = !isDocker || compareApi(spoken, '1.51') >= 0;
      assert.equal(app.containers, isCounted ? 1 : undefined);
    });

    it('pulls an image, and returns its ID and digest', async () => {
      const steps: PullStep[] = [];
      const result = await pullImage(connection, { reference: 'app' }, (one) => steps.push(one));
      assert.deepEqual(result, { imageId: APP_ID, digest: RECORDED_DIGEST });
      assert(steps.some(({ id }) => id === 'abcdef012345'));
      const request = played.engine.seen.find(({ path }) => path === '/images/create');
      assert.equal(request?.query.get('tag'), 'latest');
    });

    it("fails with the registry's message to pull an image that it does not have", async () => {
      await assert.rejects(pull('nowhere'), { message: 'manifest unknown: manifest unknown' });
    });

    it('creates, starts and stops a container, each only once', async () => {
      const id = await create();
      const created = await inspectContainer(connection, id);
      assert.deepEqual(
        [created.state, created.wasStarted, created.name],
        ['created', false, 'web'],
      );
      assert.deepEqual(created.labels, {});
      assert.equal((await startContainer(connection, id)).outcome, 'started');
      assert.equal((await startContainer(connection, id)).outcome, 'alreadyStarted');
      const { isRunning, startedAt } = await inspectContainer(connection, id);
      assert.deepEqual([isRunning, startedAt], [true, '2026-08-01T10:00:00.000000001Z']);
      assert.equal((await stopContainer(connection, id)).outcome, 'stopped');
      assert.equal((await stopContainer(connection, id)).outcome, 'alreadyStopped');
      assert.equal((await inspectContainer(connection, id)).exitCode, 137);
      assert.equal((await removeContainer(connection, id)).outcome, 'removed');
      assert.equal((await removeContainer(connection, id)).outcome, 'alreadyGone');
    });

    it("reports the engine's message and the reason of a failure", async () => {
      await failure(createContainer(connection, { body: { Image: 'none:1' } }), 'notFound');
      await create('taken');
      await assert.rejects(create('taken'), { message: /name "\/taken" is already in use$/ });
      const { id } = played.add('up', 'running');
      await assert.rejects(removeContainer(connection, id), {
        message: 'cannot remove: it is running',
      });
      await failure(inspectContainer(connection, 'nobody'), 'notFound');
      await failure(connection.send({ method: 'GET', path: '/nonsense' }), 'notFound');
    });

    it('reports the exit code to every waiter', async () => {
      const id = await create();
      const next = await waitForContainer(connection, id, 'next-exit');
      const removal = await waitForRemoval(connection, id);
      await startContainer(connection, id);
      const end = await waitForContainer(connection, id, 'not-running');
      played.exit(id, 7);
      assert.deepEqual([await next.exit, await end.exit], [{ exitCode: 7 }, { exitCode: 7 }]);
      const late = await waitForContainer(connection, id, 'not-running');
      assert.deepEqual(await late.exit, { exitCode: 7 });
      await removeContainer(connection, id);
      assert.deepEqual(await removal.exit, { exitCode: 7 });
    });

    it('reads a log completely and without duplicates, while the container runs and after', async () => {
      const { id } = played.add('up', 'running');
      const reader = new LogReader(id, { tail: 'all', hasTty: false }, OVERDUE);
      const { signal } = new AbortController();
      const lines: LogLine[] = [];
      for await (const batch of await reader.open(connection, { follow: true }, signal)) {
        lines.push(...batch);
        if (lines.length === 2) played.exit(id, 0);
      }
      for await (const batch of await reader.open(connection, { follow: false }, signal)) {
        lines.push(...batch);
      }
      assert.deepEqual(
        [...lines, ...reader.flush()].map(({ source, text }) => [source, text]),
        [
          ['stdout', 'out ü'],
          ['stderr', 'err'],
        ],
      );
    });

    it('commits a container to an image', async () => {
      const id = await create();
      const { imageId } = await commitContainer(connection, {
        id,
        repository: 'mine',
        pause: true,
      });
      assert.match(imageId, /^sha256:[0-9a-f]{64}$/);
      const all = await listImages(connection, {});
      const mine = all.find((one) => one.id === imageId);
      assert.deepEqual(mine?.tags, [isDocker ? 'mine:latest' : 'localhost/mine:latest']);
    });
  });
}
