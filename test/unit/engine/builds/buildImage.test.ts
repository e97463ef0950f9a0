import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage, checkBuild } from '../../../../src/engine/builds/buildImage.ts';
import type { BuildProviders } from '../../../../src/engine/builds/model.ts';
import { InputError } from '../../../../src/engine/errors.ts';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import { english } from '../../../../src/l10n.ts';
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
  const files = {
    served: { sharedKey: 'x', diffCopy: () => Promise.resolve() },
    entries: async function* () {
      // No files.
    },
  };
  const controls = (isClassic?: boolean) => ({
    onEvent: () => undefined,
    signal: new AbortController().signal,
    l10n: english,
    ...(isClassic !== undefined && { isClassic }),
  });

  /** Starts an engine that answers `POST /grpc` with this status, and builds by tar. */
  async function start(status: number, pings?: Answer) {
    const lab1 = await lab.fake((seen, response) => {
      if (seen.path === '/grpc') json(response, status, { message: 'page not found' });
      else response.end(`${JSON.stringify({ aux: { ID } })}\n`);
    });
    if (pings) lab1.engine.ping(pings);
    return lab1;
  }

  const podman: Answer = (_, response) => {
    response.writeHead(200, { 'api-version': '1.41', 'libpod-api-version': '5.8.6' }).end('OK');
  };

  function build(connection: Connection, isClassic?: boolean) {
    return buildImage(connection, request(), NONE, files, controls(isClassic));
  }

  for (const status of [403, 404, 501])
    it(`is a tar for BuildKit if Docker answers with status ${status} for gRPC`, async () => {
      const { engine, connection } = await start(status);
      assert.equal((await build(connection)).imageId, ID);
      assert.deepEqual(
        engine.seen.map(({ path, query }) => [path, query.get('version')]),
        [
          ['/grpc', null],
          ['/build', '2'],
        ],
      );
    });

  it('is not another one if gRPC fails for another reason', async () => {
    const { engine, connection } = await start(500);
    await failure(build(connection), 'failed');
    assert.equal(engine.seen.length, 1);
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

  it('is none for a check by an engine that has no checks', async () => {
    const { engine, connection } = await start(404);
    const work = checkBuild(connection, request(), NONE, files, controls());
    await assert.rejects(work, InputError);
    assert.deepEqual(engine.seen, []);
  });
});
