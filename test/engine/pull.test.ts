import assert from 'node:assert/strict';

import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { EngineError, failedWith } from '../../src/engine/errors.ts';
import {
  inspectImage,
  listImages,
  removeImage,
  tagImage,
  hasContainerdStore,
} from '../../src/engine/images/images.ts';
import { removeConfirmed } from '../../src/engine/system/removeUnusedImage.ts';
import type { PullStep } from '../../src/engine/model.ts';
import { pullImage, type PullRequest, type PullResult } from '../../src/engine/images/pullImage.ts';
import { delay } from '../../src/base/time.ts';
import { unreachableRegistry } from '../../src/engines/failures/unreachableRegistry.ts';
import { LayerProgress } from '../../src/registries/transfers/layerProgress.ts';
import {
  ONE_DOWNLOAD_ATTEMPT,
  REGISTRY_PORTS,
  startEngineOf,
  type BedEngine,
} from '../bed/engines.ts';
import { bed } from '../bed/env.ts';
import { until } from '../bed/until.ts';
import { startBreakingRelay, startRegistry, startSlowRelay, SLOW } from '../bed/registry.ts';

const WRONG_PASSWORD = 'not-the-password';

/** Far less than what remains of 12 MB, each of which the interface receives twice, some seconds after the start. */
const REST_BYTES = 8_000_000;

describe('pull on a real engine', function () {
  this.timeout(60_000);

  let connection: Connection;
  let steps: PullStep[];

  const pull = (request: PullRequest, signal?: AbortSignal): Promise<PullResult> =>
    pullImage(connection, request, (step) => steps.push(step), signal);

  /** Resolves to the error of a failed pull. */
  const failure = async (request: PullRequest): Promise<EngineError> => {
    const error: unknown = await pull(request).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof EngineError, String(error));
    return error;
  };

  const tags = async (): Promise<readonly string[]> =>
    (await listImages(connection, {})).flatMap((image) => image.tags);

  const withPassword = (password: string): PullRequest => {
    const { lockedRegistry, username } = bed();
    const auth = { username, password, serveraddress: lockedRegistry };
    return { reference: `${lockedRegistry}/gantry/tiny:1`, auth };
  };

  /** Removes the pulled images, so that every test downloads them. */
  const forget = async (): Promise<void> => {
    const { registry, lockedRegistry, slowRegistry } = bed();
    const ours = [registry, lockedRegistry, slowRegistry].map((host) => `${host}/gantry/`);
    for (const image of await listImages(connection, {})) {
      const names = [...image.tags, ...image.digests];
      for (const name of names.filter((one) => ours.some((host) => one.startsWith(host)))) {
        // Removing the last tag removes the digests too.
        await removeImage(connection, name, { force: true }).catch((error: unknown) => {
          if (!failedWith(error, 'notFound', 'conflict', 'failed')) throw error;
        });
      }
    }
  };

  before(() => {
    connection = connectTo(bed().socket);
  });

  beforeEach(async () => {
    steps = [];
    await forget();
  });

  after(async () => {
    await forget();
    connection.dispose();
  });

  it('is explained if the registry cannot be reached', async () => {
    const refused = await failure({ reference: '127.0.0.1:1/gantry/tiny:1' });
    assert.equal(
      unreachableRegistry(refused, '127.0.0.1:1'),
      'The engine cannot reach 127.0.0.1:1 (connection refused). Check that the registry is running.',
      refused.message,
    );
    // The bed may have no network at all.
    const unknown = await failure({ reference: 'registry.invalid/gantry/tiny:1' });
    const sentences = unreachableRegistry(unknown, 'registry.invalid') ?? '';
    assert.match(sentences, /registry\.invalid \((?:no network|host not found)\)/, unknown.message);
  });

  it('pulls only latest if no tag is given', async () => {
    const reference = `${bed().registry}/gantry/tiny`;
    const { imageId, digest } = await pull({ reference });
    assert.match(imageId, /^sha256:[0-9a-f]{64}$/);
    assert.match(digest ?? '', /^sha256:[0-9a-f]{64}$/);
    const image = (await listImages(connection, {})).find((one) => one.id === imageId);
    assert.deepEqual(image?.tags, [`${reference}:latest`]);
    assert.ok(!(await tags()).includes(`${reference}:1`));
  });

  it('pulls by digest, and the same image again', async () => {
    const repository = `${bed().registry}/gantry/tiny`;
    const first = await pull({ reference: `${repository}:1` });
    assert.ok(first.digest !== undefined);
    assert.deepEqual(await pull({ reference: `${repository}:1` }), first);
    assert.deepEqual(await pull({ reference: `${repository}@${first.digest}` }), first);
  });

  it('lists a pulled digest not as a tag, and removes the tags one by one', async () => {
    const repository = `${bed().registry}/gantry/tiny`;
    const { imageId, digest } = await pull({ reference: `${repository}:1` });
    await pull({ reference: `${repository}@${digest}` });
    await tagImage(connection, imageId, { repository, tag: '2' });
    const own = await inspectImage(connection, imageId);
    const listed = (await listImages(connection, {})).find(({ id }) => id === imageId);
    for (const image of [own, listed])
      assert.deepEqual(image?.tags.toSorted(), [`${repository}:1`, `${repository}:2`]);
    assert.ok(listed?.digests.includes(`${repository}@${digest}`));
    const agreed = { id: imageId, tags: own.tags, keepsImage: true, users: [] };
    const remove = (tag: string) =>
      removeConfirmed(connection, `${repository}:${tag}`, agreed, {}).catch(String);
    assert.deepEqual(await remove('1'), { outcome: 'untagged' });
    assert.equal(await remove('2'), 'ImageChangedError: lastTag');
    assert.deepEqual((await inspectImage(connection, imageId)).tags, [`${repository}:2`]);
  });

  it('reports every layer, with a short history', async () => {
    await pull({ reference: `${bed().registry}/gantry/layers:1` });
    const tally = new LayerProgress();
    const lines = steps.flatMap((step) => tally.add(step) ?? []);
    const { layersAll, layersDone } = tally.state;
    assert.ok(layersAll >= 8, `${layersAll} layers`);
    assert.equal(layersDone, layersAll);
    assert.ok(tally.layers.every(({ phase }) => /^(done|moved|alreadyThere)$/.test(phase)));
    assert.ok(lines.length >= 8 && lines.length <= 4 * layersAll + 4, lines.join('\n'));
  });

  it('pulls with the correct password', async () => {
    const { imageId } = await pull(withPassword(bed().password));
    assert.ok((await tags()).includes(`${bed().lockedRegistry}/gantry/tiny:1`));
    assert.equal((await pull({ reference: `${bed().registry}/gantry/tiny:1` })).imageId, imageId);
  });

  const locked = /unauthorized|authentication required|no basic auth/i;

  it('fails without a password, and reports why', async () => {
    const { reference } = withPassword('');
    assert.match((await failure({ reference })).message, locked);
    assert.ok(!(await tags()).includes(reference));
  });

  it('fails with a wrong password, and does not reveal it', async () => {
    const error = await failure(withPassword(WRONG_PASSWORD));
    assert.match(error.message, locked);
    assert.ok(
      !JSON.stringify([error.message, error.engineMessage, steps]).includes(WRONG_PASSWORD),
    );
  });

  it('fails for a missing tag and a missing repository', async () => {
    const { registry } = bed();
    for (const name of ['gantry/tiny:nobodys', 'gantry/nobodys:1']) {
      const error = await failure({ reference: `${registry}/${name}` });
      assert.match(error.message, /manifest unknown|not found|name unknown/i);
    }
  });

  it('fails for a registry that cannot be reached', async () => {
    const error = await failure({ reference: '127.0.0.1:9/gantry/tiny:1' });
    assert.match(error.message, /refused/);
  });

  it('rejects an image of another platform than the requested one', async () => {
    const reference = `${bed().registry}/gantry/tiny:1`;
    const error = await failure({ reference, platform: 'linux/s390x' });
    assert.match(error.message, /s390x/);
    await forget();
    assert.ok(await pull({ reference, platform: 'linux/amd64' }));
  });

  it('counts bytes during the download, and stops immediately when canceled', async () => {
    // An image of its own, because the containerd image store keeps the layers of images that other tests
    // pulled.
    const reference = `${bed().slowRegistry}/gantry/slow:1`;
    const controller = new AbortController();
    const tally = new LayerProgress();
    const seen = new Set<number>();
    // The containerd image store reports progress in steps of 1 MiB, so a small image has few values.
    const enough = (await hasContainerdStore(connection)) ? 2 : 6;
    let cancelledAt = 0;
    const pulling = pullImage(
      connection,
      { reference },
      (step) => {
        tally.add(step);
        seen.add(tally.state.bytesDone);
        if (seen.size < enough) return;
        cancelledAt = performance.now();
        controller.abort();
      },
      controller.signal,
    );
    await assert.rejects(pulling, { name: 'AbortError' });
    const took = performance.now() - cancelledAt;
    const { bytesDone, bytesAll, fraction } = tally.state;
    assert.ok(bytesDone > 0 && bytesDone < bytesAll, `${bytesDone} of ${bytesAll}`);
    const rest = ((bytesAll - bytesDone) / SLOW) * 1000;
    assert.ok(took < rest / 2, `${took} ms after it was canceled, of ${rest} ms`);
    assert.ok(fraction > 0 && fraction < 1, String(fraction));
    assert.ok(!(await tags()).includes(reference));
  });
});

describe('a pull that is interrupted, on its own engine', function () {
  this.timeout(120_000);

  const { open, slow } = REGISTRY_PORTS;
  let own: BedEngine;
  let connection: Connection;

  before(async () => {
    own = await startEngineOf(bed().kind, ONE_DOWNLOAD_ATTEMPT);
    await startRegistry(own, { port: open });
    connection = connectTo(own.socket);
  });

  after(async () => {
    connection.dispose();
    await own.stop();
  });

  /** Resolves to the bytes received so far on the engine's loopback interface, where its registries are. */
  const received = async (): Promise<number> => {
    const { stdout } = await own.exec(['cat', '/proc/net/dev']);
    return Number(/^\s*lo:\s*(\d+)/m.exec(stdout)?.[1]);
  };
  const receivedIn = async (milliseconds: number): Promise<number> => {
    const before = await received();
    await delay(milliseconds);
    return (await received()) - before;
  };

  it('downloads nothing more after it is canceled', async () => {
    const controller = new AbortController();
    const isMoving = new AbortController();
    const registry = await startSlowRelay(own, { port: slow, to: open });
    const request = { reference: `${registry}/gantry/layers:1` };
    const onStep = (step: PullStep): void => {
      if (step.status === 'Downloading') isMoving.abort();
    };
    const pulling = pullImage(connection, request, onStep, controller.signal);
    const ended = assert.rejects(pulling, { name: 'AbortError' });
    await assert.rejects(delay(30_000, isMoving.signal), { name: 'AbortError' });
    const moved = await receivedIn(1000);
    assert.ok(moved > 200_000, `only ${moved} bytes while it pulls: this test would prove nothing`);
    const before = await received();
    controller.abort();
    await ended;
    // The engines take about a second to stop their layer downloads.
    await until(async () => (await receivedIn(500)) < 25_000, 'the download has stopped');
    const after = (await received()) - before;
    assert.ok(after < REST_BYTES, `${after} bytes after it was cancelled`);
  });

  it('reports that the registry went away during a layer, and succeeds on the next attempt', async () => {
    const relay = await startBreakingRelay(own, open);
    const reference = `${relay.host}/gantry/slow:1`;
    const pulling = pullImage(connection, { reference }, () => undefined);
    const failed = assert.rejects(pulling, (error) => {
      assert.ok(error instanceof EngineError);
      assert.match(error.engineMessage ?? '', /EOF|reset|refused|closed/i);
      return true;
    });
    await until(relay.isInLayers, 'a layer is being sent');
    await relay.end();
    await failed;
    const again = await startBreakingRelay(own, open, 1e9);
    const { imageId } = await pullImage(connection, { reference }, () => undefined);
    assert.ok((await listImages(connection, {})).some((image) => image.id === imageId));
    await again.end();
  });
});

function connectTo(path: string): Connection {
  const transport = { kind: 'socket', path } as const;
  return openConnection({ url: `unix://${path}`, transport, source: 'setting' });
}
