import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage, checkBuild } from '../../../../src/engine/builds/buildImage.ts';
import {
  LIST_WORKERS,
  SESSION_PATH,
  SOLVE,
  STATUS,
} from '../../../../src/engine/builds/controlMessages.ts';
import type { BuildProviders } from '../../../../src/engine/builds/model.ts';
import { InputError } from '../../../../src/engine/errors.ts';
import type { CallHandler } from '../../../../src/engine/builds/grpc/callStream.ts';
import { GrpcError } from '../../../../src/engine/builds/grpc/grpcError.ts';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import { startFakeBuilder, type FakeBuilder } from '../../support/fakeBuilder.ts';
import { json, type Answer } from '../../support/fakeEngine.ts';
import { failure, openLab, type Lab } from '../../support/lab.ts';

const ID = `sha256:${'a'.repeat(64)}`;
const NONE: BuildProviders = {
  credentials: () => Promise.resolve(undefined),
  secret: () => Promise.reject(new Error('none')),
};

describe('the way in which an image is built', () => {
  let lab: Lab;
  let folder: string;
  beforeEach(() => {
    lab = openLab();
    folder = mkdtempSync(join(tmpdir(), 'gantry-build-'));
    writeFileSync(join(folder, 'Dockerfile'), 'FROM scratch\n');
  });
  afterEach(async () => {
    await lab.close();
    rmSync(folder, { recursive: true });
  });

  const request = () => ({ context: folder, dockerfile: join(folder, 'Dockerfile'), tags: [] });
  const controls = (isClassic?: boolean) => ({
    onEvent: () => undefined,
    signal: new AbortController().signal,
    installation: 'here',
    ...(isClassic !== undefined && { isClassic }),
  });

  /** Starts an engine that answers `POST /grpc` and `POST /session` with these statuses, and builds by tar. */
  async function start(
    status: number,
    pings?: Answer,
    session = status,
    message = 'page not found',
  ) {
    const lab1 = await lab.fake((seen, response) => {
      if (seen.path === '/grpc') json(response, status, { message });
      else if (seen.path === '/session') json(response, session, { message: 'no session' });
      else response.end(`${JSON.stringify({ aux: { ID } })}\n`);
    });
    if (pings) lab1.engine.ping(pings);
    return lab1;
  }

  const podman: Answer = (_, response) => {
    response.writeHead(200, { 'api-version': '1.41', 'libpod-api-version': '5.8.6' }).end('OK');
  };

  function build(connection: Connection, isClassic?: boolean) {
    return buildImage(connection, request(), NONE, controls(isClassic));
  }

  for (const status of [403, 404, 501])
    it(`is a tar for BuildKit if Docker answers with status ${status} for gRPC`, async () => {
      const { engine, connection } = await start(status);
      assert.equal((await build(connection)).imageId, ID);
      assert.deepEqual(
        engine.seen.map(({ path, query }) => [path, query.get('version')]),
        [
          ['/grpc', null],
          ['/session', null],
          ['/build', '2'],
        ],
      );
    });

  it('is a tar for BuildKit if a proxy has removed the header for the upgrade', async () => {
    const message = 'no upgrade proto in request';
    const { engine, connection } = await start(500, undefined, 404, message);
    assert.equal((await build(connection)).imageId, ID);
    assert.deepEqual(
      engine.seen.map(({ path }) => path),
      ['/grpc', '/session', '/build'],
    );
  });

  it('is not another one if gRPC fails for another reason', async () => {
    const { engine, connection } = await start(500);
    await failure(build(connection), 'failed');
    assert.equal(engine.seen.length, 1);
  });

  it('is not a tar if the session fails for another reason', async () => {
    const { engine, connection } = await start(404, undefined, 500);
    const error = await failure(build(connection), 'failed');
    assert.deepEqual([error.operation, error.engineMessage], ['POST /session', 'no session']);
    assert.deepEqual(
      engine.seen.map(({ path }) => path),
      ['/grpc', '/session'],
    );
  });

  it('is a tar on Podman, which is not asked for gRPC', async () => {
    const { engine, connection } = await start(404, podman);
    await build(connection);
    assert.deepEqual(
      engine.seen.map(({ path }) => path),
      ['/build'],
    );
  });

  it('is the classic builder only if the user asked for it', async () => {
    const { engine, connection } = await start(101);
    await build(connection, true);
    assert.deepEqual(
      engine.seen.map(({ path, query }) => [path, query.get('version')]),
      [['/build', '1']],
    );
  });

  describe('by BuildKit', () => {
    let builder: FakeBuilder;
    let requests: Uint8Array[];
    let labels: ReadonlyMap<string, string>;
    beforeEach(async () => {
      requests = [];
      labels = new Map();
      const wait: CallHandler = async (call) => void (await once(call.signal, 'abort'));
      const services = new Map<string, CallHandler>([
        [SESSION_PATH, wait],
        [STATUS.path, () => Promise.reject(new GrpcError(5, 'no such job x'))],
        [
          SOLVE.path,
          async (call) => {
            for await (const one of call.messages) requests.push(one);
            await call.write(
              SOLVE.response.encode({ attributes: new Map([['containerimage.digest', ID]]) }),
            );
          },
        ],
        [
          LIST_WORKERS.path,
          (call) => call.write(LIST_WORKERS.response.encode({ workers: [{ labels }] })),
        ],
      ]);
      builder = await startFakeBuilder({ services, otherStatus: 403 });
    });
    afterEach(() => builder.stop());

    it('is not followed by a tar if only the image cannot be read', async () => {
      await failure(build(lab.connect(builder.url)), 'failed');
      assert.equal(requests.length, 1);
      assert.equal(builder.requests.filter((one) => one.includes('/build')).length, 0);
    });

    const withHost = { addHosts: ['up:host-gateway', 'a:1.2.3.4'] };

    it('has the address of the host in place of host-gateway', async () => {
      labels = new Map([['org.mobyproject.buildkit.worker.moby.host-gateway-ip', '172.17.0.1']]);
      const work = buildImage(
        lab.connect(builder.url),
        { ...request(), ...withHost },
        NONE,
        controls(),
      );
      await failure(work, 'failed');
      const { attributes } = SOLVE.request.decode(requests[0] ?? assert.fail());
      assert.equal(attributes.get('add-hosts'), 'up=172.17.0.1,a=1.2.3.4');
    });

    it('is refused with host-gateway if the engine does not report the address', async () => {
      const work = buildImage(
        lab.connect(builder.url),
        { ...request(), ...withHost },
        NONE,
        controls(),
      );
      await assert.rejects(work, InputError);
      assert.deepEqual(requests, []);
    });
  });

  it('is none for a check by an engine that has no checks', async () => {
    const { engine, connection } = await start(404);
    const work = checkBuild(connection, request(), NONE, controls());
    await assert.rejects(work, InputError);
    assert.deepEqual(engine.seen, []);
  });
});
