import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import {
  inspectInRegistry,
  searchImages,
} from '../../../../src/engine/registries/registryImage.ts';
import { EngineError, InputError } from '../../../../src/engine/errors.ts';
import type { PullStep } from '../../../../src/engine/model.ts';
import {
  pushImage,
  pushTarget,
  type PushRequest,
  type PushResult,
} from '../../../../src/engine/images/pushImage.ts';
import { json, startFakeEngine, type FakeEngine } from '../../support/fakeEngine.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;

describe('engine/pushImage', () => {
  let engine: FakeEngine;
  let connection: Connection;
  let steps: PullStep[];

  beforeEach(async () => {
    engine = await startFakeEngine();
    const transport = { kind: 'socket', path: engine.socket } as const;
    connection = openConnection({ url: engine.url, transport, source: 'setting' });
    steps = [];
  });

  afterEach(async () => {
    connection.dispose();
    await engine.stop();
  });

  const says = (...records: readonly unknown[]): void => {
    engine.answer((_, response) => {
      response.end(records.map((record) => `${JSON.stringify(record)}\r\n`).join(''));
    });
  };
  const push = (request: PushRequest): Promise<PushResult> =>
    pushImage(connection, request, (step) => steps.push(step));

  it('pushes one tag, and always sends the auth header', async () => {
    says({ status: 'Pushed', id: 'a' });
    assert.deepEqual(await push({ reference: 'r.io:5000/me/app' }), {});
    const auth = { username: 'me', password: 'x', serveraddress: 'r.io:5000' };
    await push({ reference: 'r.io:5000/me/app:2', auth });
    const [first, second] = engine.seen;
    assert.equal(first?.path, '/images/r.io%3A5000/me/app/push');
    assert.equal(first.query.get('tag'), 'latest');
    assert.equal(first.headers['x-registry-auth'], 'e30=');
    assert.equal(second?.query.get('tag'), '2');
    const sent = Buffer.from(String(second.headers['x-registry-auth']), 'base64url').toString();
    assert.deepEqual(JSON.parse(sent), auth);
    assert.deepEqual(steps[0], { status: 'Pushed', id: 'a' });
  });

  it('hides the password in steps that contain it', async () => {
    says({ status: 'Hello canary' });
    const auth = { username: 'me', password: 'canary', serveraddress: 'r.io' };
    await push({ reference: 'r.io/a:1', auth });
    assert.deepEqual(steps, [{ status: 'Hello …' }]);
  });

  it("reads the digest from Docker's record and from the status", async () => {
    says({ progressDetail: {}, aux: { Tag: '1', Digest: DIGEST, Size: 1 } });
    assert.deepEqual(await push({ reference: 'r.io/a:1' }), { digest: DIGEST });
    says({ status: `1: digest: ${DIGEST} size: 1576` });
    assert.deepEqual(await push({ reference: 'r.io/a:1' }), { digest: DIGEST });
    says({ status: `digest: ${DIGEST}`, id: 'layer' }, { aux: { Digest: 'sha256:no' } });
    assert.deepEqual(await push({ reference: 'r.io/a:1' }), {});
  });

  it("fails with the engine's message for a failure inside the stream", async () => {
    says({ errorDetail: { message: 'denied' } });
    await assert.rejects(push({ reference: 'r.io/a:1' }), (error) => {
      assert.ok(error instanceof EngineError);
      assert.deepEqual([error.reason, error.engineMessage], ['failed', 'denied']);
      assert.equal(error.operation, 'POST /images/r.io/a/push');
      return true;
    });
  });

  it("rejects names without a registry of the user's, and digests", () => {
    for (const text of ['busybox', 'docker.io/library/x:1', 'localhost/x:1', `r.io/x@${DIGEST}`]) {
      assert.throws(() => pushTarget(text), InputError, text);
    }
    for (const text of ['me/app', 'docker.io/me/app:1', 'localhost:5000/x:1', 'r.io/x']) {
      assert.ok(pushTarget(text).tag, text);
    }
  });

  it('reads the digest and platforms in a registry, and rejects an invalid response', async () => {
    engine.answer((_, response) => {
      json(response, 200, {
        Descriptor: { digest: DIGEST },
        Platforms: [
          { os: 'linux', architecture: 'amd64' },
          { os: 'linux', architecture: 'arm', variant: 'v7' },
          { os: 'unknown', architecture: 'unknown' },
          { os: 'linux', architecture: 'amd64' },
          7,
        ],
      });
    });
    const found = await inspectInRegistry(connection, 'r.io/a:1');
    assert.deepEqual(found, { digest: DIGEST, platforms: ['linux/amd64', 'linux/arm/v7'] });
    assert.equal(engine.seen[0]?.path, '/distribution/r.io/a%3A1/json');
    engine.answer((_, response) => json(response, 200, { Descriptor: { digest: 'x' } }));
    await assert.rejects(inspectInRegistry(connection, 'r.io/a:1'), { reason: 'badAnswer' });
  });

  it('reads search results of Docker and Podman', async () => {
    const docker = { name: 'a', description: 'b', star_count: 3, is_official: true };
    const podman = { Index: 'r', Name: 'a', Description: 'b', Stars: 3, Official: '[OK]' };
    const wanted = { name: 'a', description: 'b', stars: 3, isOfficial: true };
    engine.answer((_, response) => json(response, 200, [docker, podman, null, { name: 'c' }]));
    const odd = { name: 'c', description: '', stars: 0, isOfficial: false };
    assert.deepEqual(await searchImages(connection, 'a'), [wanted, wanted, odd]);
  });
});
