import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';

import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import { EngineError, InputError } from '../../../../src/engine/errors.ts';
import type { PullStep } from '../../../../src/engine/model.ts';
import {
  pullImage,
  type PullRequest,
  type PullResult,
} from '../../../../src/engine/images/pullImage.ts';
import { readPullStep } from '../../../../src/engine/registries/followTransfer.ts';
import { json, startFakeEngine, type FakeEngine } from '../../support/fakeEngine.ts';

const ID = '0123456789abcdef'.repeat(4);
const DIGEST = `sha256:${'ab'.repeat(32)}`;
const OTHER_DIGEST = `sha256:${'cd'.repeat(32)}`;

const DOCKER_RECORDS = [
  { status: 'Pulling from me/app', id: '1' },
  { status: 'Pulling fs layer', progressDetail: {}, id: 'aaaaaaaaaaaa' },
  {
    status: 'Downloading',
    progressDetail: { current: 1, total: 10 },
    progress: '[>]',
    id: 'aaaaaaaaaaaa',
  },
  { status: 'Pull complete', progressDetail: {}, id: 'aaaaaaaaaaaa' },
  { status: `Digest: ${DIGEST}` },
  { status: 'Status: Downloaded newer image for r.io/me/app:1' },
];

const INSPECTED = {
  Id: `sha256:${ID}`,
  RepoTags: ['r.io/me/app:1'],
  RepoDigests: [`elsewhere.io/me/app@${OTHER_DIGEST}`, `r.io/me/app@${DIGEST}`],
  Os: 'linux',
  Architecture: 'amd64',
};

describe('engine/pullImage', () => {
  let engine: FakeEngine;
  let connection: Connection;
  let steps: PullStep[];

  beforeEach(async () => {
    engine = await startFakeEngine();
    connection = openConnection({
      url: engine.url,
      transport: { kind: 'socket', path: engine.socket },
      source: 'setting',
    });
    steps = [];
  });

  afterEach(async () => {
    connection.dispose();
    await engine.stop();
  });

  /** Answers the pull with `write`, and the inspect that follows with `inspected`. */
  function says(write: (response: ServerResponse) => void, inspected: unknown = INSPECTED): void {
    engine.answer((request, response) => {
      if (request.path === '/images/create') write(response);
      else json(response, 200, inspected);
    });
  }

  function lines(
    records: readonly unknown[],
    separator = '\r\n',
  ): (response: ServerResponse) => void {
    return (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(records.map((record) => JSON.stringify(record) + separator).join(''));
    };
  }

  function pull(request: Partial<PullRequest> = {}, signal?: AbortSignal): Promise<PullResult> {
    const whole = { reference: 'r.io/me/app:1', ...request };
    return pullImage(connection, whole, (step) => steps.push(step), signal);
  }

  /** Returns the error of a failing pull. */
  async function failure(request: Partial<PullRequest> = {}): Promise<EngineError> {
    const error = await pull(request).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof EngineError, String(error));
    return error;
  }

  it('pulls an image and resolves to its ID and digest', async () => {
    says(lines(DOCKER_RECORDS));
    assert.deepEqual(await pull(), { imageId: `sha256:${ID}`, digest: DIGEST });
    const [create, inspect] = engine.seen;
    assert.equal(`${create!.method} ${create!.path}`, 'POST /images/create');
    assert.deepEqual(
      [...create!.query],
      [
        ['fromImage', 'r.io/me/app'],
        ['tag', '1'],
      ],
    );
    assert.equal(create!.headers['x-registry-auth'], undefined);
    assert.equal(decodeURIComponent(inspect!.path), '/images/r.io/me/app:1/json');
  });

  it('reports every step as it arrives', async () => {
    says(lines(DOCKER_RECORDS));
    await pull();
    assert.equal(steps.length, DOCKER_RECORDS.length);
    assert.deepEqual(steps[0], { id: '1', status: 'Pulling from me/app' });
    assert.deepEqual(steps[2], {
      id: 'aaaaaaaaaaaa',
      status: 'Downloading',
      current: 1,
      total: 10,
    });
    assert.deepEqual(steps[4], { status: `Digest: ${DIGEST}` });
  });

  it('never pulls all tags', async () => {
    says(lines(DOCKER_RECORDS));
    await pull({ reference: 'busybox' });
    await pull({ reference: `busybox:1@${DIGEST}` });
    await pull({ reference: `busybox@${DIGEST}` });
    const asked = engine.seen.filter((one) => one.path === '/images/create');
    assert.deepEqual(
      asked.map((one) => one.query.get('tag')),
      ['latest', DIGEST, DIGEST],
    );
    assert.deepEqual(
      asked.map((one) => one.query.get('fromImage')),
      ['busybox', 'busybox', 'busybox'],
    );
    assert.equal(decodeURIComponent(engine.seen[3]!.path), `/images/busybox@${DIGEST}/json`);
  });

  it('sends the credentials and the platform', async () => {
    says(lines(DOCKER_RECORDS));
    const auth = { username: 'alice', password: '~~~', serveraddress: 'r.io' };
    await pull({ auth, platform: 'linux/amd64' });
    const sent = String(engine.seen[0]!.headers['x-registry-auth']);
    assert.deepEqual(JSON.parse(Buffer.from(sent, 'base64url').toString()), auth);
    assert.equal(sent.length % 4, 0);
    assert.equal(engine.seen[0]!.query.get('platform'), 'linux/amd64');
  });

  it('hides the password in steps that contain it', async () => {
    const pair = Buffer.from('alice:canary').toString('base64');
    says(lines([{ status: `Hello canary, or ${pair}` }, ...DOCKER_RECORDS]));
    await pull({ auth: { username: 'alice', password: 'canary', serveraddress: 'r.io' } });
    assert.equal(steps[0]?.status, 'Hello …, or …');
    assert.equal(steps.length, DOCKER_RECORDS.length + 1);
  });

  it("reads Podman's records: bare ID, no digest status, other line ends, records split anywhere", async () => {
    const text = [
      '{"status":"Pulling fs layer","progressDetail":{},"id":"é"}',
      '',
      '{"status":"Download complete","id":"é"}',
    ].join('\n');
    says(
      (response) => {
        response.writeHead(200);
        const bytes = Buffer.from(text);
        let at = 0;
        const next = (): void => {
          if (at >= bytes.length) response.end();
          else response.write(bytes.subarray(at, (at += 7)), next);
        };
        next();
      },
      { ...INSPECTED, Id: ID },
    );
    assert.deepEqual(await pull(), { imageId: `sha256:${ID}`, digest: DIGEST });
    assert.deepEqual(steps, [
      { id: 'é', status: 'Pulling fs layer' },
      { id: 'é', status: 'Download complete' },
    ]);
  });

  it('uses the digest of the status if the image has none', async () => {
    says(lines(DOCKER_RECORDS), { ...INSPECTED, RepoDigests: null });
    assert.equal((await pull()).digest, DIGEST);
  });

  it('ignores the digest of another repository', async () => {
    const inspected = {
      ...INSPECTED,
      RepoDigests: [`elsewhere.io/me/app@${OTHER_DIGEST}`, 'nonsense'],
    };
    says(lines(DOCKER_RECORDS.slice(0, 4)), inspected);
    assert.deepEqual(await pull(), { imageId: `sha256:${ID}` });
  });

  it('returns no digest if the image has several and no status names one', async () => {
    const RepoDigests = [`busybox@${DIGEST}`, `busybox@${OTHER_DIGEST}`];
    says(lines([]), { ...INSPECTED, RepoDigests });
    assert.equal((await pull({ reference: 'busybox' })).digest, undefined);
    const reference = `busybox@${OTHER_DIGEST}`;
    assert.equal((await pull({ reference })).digest, OTHER_DIGEST);
  });

  it("finds the digest under Podman's full image name", async () => {
    says(lines([]), { ...INSPECTED, RepoDigests: [`docker.io/library/busybox@${DIGEST}`] });
    assert.equal((await pull({ reference: 'busybox' })).digest, DIGEST);
  });

  it('fails with the message of an error inside the stream', async () => {
    const error = { errorDetail: { message: 'no space left\n' }, error: 'old words' };
    says(lines([...DOCKER_RECORDS.slice(0, 3), error]));
    const thrown = await failure();
    assert.equal(thrown.reason, 'failed');
    assert.equal(thrown.engineMessage, 'no space left');
    assert.equal(thrown.operation, 'POST /images/create');
    assert.equal(thrown.endpoint, engine.url);
    assert.equal(steps.length, 3);
    assert.equal(engine.seen.length, 1, 'no request may follow a failure');
  });

  it('reads both forms of an error, and the reason of its code', async () => {
    says(lines([{ error: 'old words' }]));
    assert.equal((await failure()).engineMessage, 'old words');
    says(lines([{ errorDetail: {} }]));
    assert.equal((await failure()).reason, 'failed');
    says(lines([{ errorDetail: { code: 401, message: 'log in' } }]));
    assert.equal((await failure()).reason, 'unauthorized');
  });

  it('fails with the status of an error response before the stream', async () => {
    says((response) => json(response, 404, { message: 'manifest unknown' }));
    const thrown = await failure();
    assert.equal(thrown.reason, 'notFound');
    assert.equal(thrown.engineMessage, 'manifest unknown');
  });

  it('fails if the connection breaks during the stream', async () => {
    says((response) => {
      response.writeHead(200);
      response.write('{"status":"Downloading","id":"a"}\n', () => response.destroy());
    });
    assert.equal((await failure()).reason, 'cut');
    assert.equal(engine.seen.length, 1);
  });

  it('fails if the last record is incomplete', async () => {
    says((response) => {
      response.writeHead(200);
      response.end('{"status":"Downloading","id":"a"}\n{"sta');
    });
    assert.equal((await failure()).reason, 'cut');
  });

  it('fails if the response is not JSON', async () => {
    says((response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<html>\n<body>hello</body>\n');
    });
    const thrown = await failure();
    assert.equal(thrown.reason, 'badAnswer');
    assert.equal(thrown.operation, 'POST /images/create');
    assert.equal(thrown.endpoint, engine.url);
  });

  it('fails if the stream is empty and the image does not exist', async () => {
    engine.answer((request, response) => {
      if (request.path === '/images/create') response.writeHead(200).end();
      else json(response, 404, { message: 'No such image' });
    });
    assert.equal((await failure()).reason, 'notFound');
  });

  it("rejects an image of another platform, with the engine's message if there is one", async () => {
    says(lines(DOCKER_RECORDS));
    const thrown = await failure({ platform: 'linux/arm64' });
    assert.equal(thrown.reason, 'failed');
    assert.equal(
      thrown.message,
      '"r.io/me/app:1" is not available for linux/arm64, only for linux/amd64.',
    );
    const warning = 'WARNING: image with reference x does not match the specified platform';
    says(lines([...DOCKER_RECORDS, { status: warning }]));
    assert.equal((await failure({ platform: 'linux/arm64' })).message, warning);
  });

  describe('of a platform when the image exists for another one', () => {
    /** @param found status of the response to an inspect for the requested platform. */
    function announces(api: string, found: number, driverStatus: unknown = []): void {
      engine.ping((_, response) => {
        response.writeHead(200, { 'api-version': api, server: 'Docker/28.5.2 (linux)' }).end('OK');
      });
      engine.answer((request, response) => {
        if (request.path === '/images/create') lines(DOCKER_RECORDS)(response);
        else if (request.path === '/info') json(response, 200, { DriverStatus: driverStatus });
        else if (request.query.has('platform')) json(response, found, { message: 'no', Id: ID });
        else json(response, 200, INSPECTED);
      });
    }

    const containerd = [['driver-type', 'io.containerd.snapshotter.v1']];

    it('inspects the image for the requested platform if the engine supports it', async () => {
      announces('1.49', 200);
      const result = await pull({ platform: 'linux/aarch64/v8' });
      assert.deepEqual(result, { imageId: `sha256:${ID}`, digest: DIGEST });
      assert.equal(
        engine.seen.at(-1)?.query.get('platform'),
        '{"os":"linux","architecture":"arm64","variant":"v8"}',
      );
    });

    it('fails if the engine does not have the requested platform', async () => {
      announces('1.52', 404);
      assert.match((await failure({ platform: 'linux/arm64' })).message, /only for linux\/amd64/);
      announces('1.52', 500);
      assert.equal((await failure({ platform: 'linux/arm64' })).message, 'no');
    });

    it("accepts another platform if the engine's image store keeps several per name", async () => {
      announces('1.47', 500, containerd);
      assert.ok(await pull({ platform: 'linux/arm64' }));
      for (const status of [[['Backing Filesystem', 'extfs']], null, [null, ['driver-type']]]) {
        announces('1.47', 500, status);
        assert.equal((await failure({ platform: 'linux/arm64' })).reason, 'failed');
      }
    });

    for (const [what, platforms, isTaken] of [
      ['rejects an image for other platforms', ['amd64', 'arm64'], false],
      ['accepts an image for the requested platform', ['amd64', 's390x'], true],
      ['accepts an image without a platform', [], true],
      ['accepts the image if access is denied', undefined, true],
    ] as const) {
      it(`asks the registry if the engine reports no platform, and ${what}`, async () => {
        announces('1.51', 404);
        const auth = { username: 'me', password: 'x', serveraddress: 'r.io' };
        engine.answer((request, response) => {
          if (request.path === '/images/create') lines(DOCKER_RECORDS)(response);
          else if (!request.path.startsWith('/distribution/'))
            json(response, 200, { ...INSPECTED, Os: '', Architecture: '' });
          else if (!platforms) json(response, 403, { message: 'denied' });
          else {
            const Platforms = platforms.map((architecture) => ({ os: 'linux', architecture }));
            json(response, 200, { Descriptor: { digest: DIGEST }, Platforms });
          }
        });
        const pulling = pull({ platform: 'linux/s390x', auth });
        if (isTaken) assert.equal((await pulling).digest, DIGEST);
        else await assert.rejects(pulling, /only for linux\/amd64, linux\/arm64\.$/);
        assert.ok(engine.seen.at(-1)?.headers['x-registry-auth'] !== undefined);
      });
    }

    it('sends no more requests if the pulled platform is the requested one', async () => {
      announces('1.52', 500);
      await pull({ platform: 'linux/amd64' });
      assert.equal(engine.seen.length, 2);
    });
  });

  it('rejects an invalid reference or platform before any request', async () => {
    for (const reference of ['', ' x', 'a b', 'me/X', `x:${'t'.repeat(129)}`]) {
      await assert.rejects(pull({ reference }), InputError);
    }
    await assert.rejects(pull({ platform: 'linux arm' }), /"linux arm" is not a platform/);
    assert.equal(engine.seen.length, 0);
  });

  it('ends the request and rejects with an AbortError when cancelled', async () => {
    const closed = new Promise<void>((resolve) => {
      says((response) => {
        response.writeHead(200);
        response.write('{"status":"Downloading","id":"a"}\n');
        response.on('close', resolve);
      });
    });
    const controller = new AbortController();
    const pulling = pullImage(
      connection,
      { reference: 'x' },
      () => controller.abort(),
      controller.signal,
    );
    await assert.rejects(pulling, { name: 'AbortError' });
    await closed;
    assert.equal(engine.seen.length, 1);
  });
});

describe('engine/followTransfer: readPullStep', () => {
  it('omits a total of zero, and ignores records without a status', () => {
    const detail = { current: 0, total: 0 };
    assert.deepEqual(readPullStep({ status: 'Downloading', progressDetail: detail, id: 'a' }), {
      id: 'a',
      status: 'Downloading',
      current: 0,
    });
    for (const record of [null, 1, 'x', [], {}, { status: '' }, { status: 7 }, { id: 'a' }]) {
      assert.equal(readPullStep(record), undefined);
    }
  });

  it('keeps a record with invalid progress details', () => {
    const record = {
      status: 'Downloading',
      id: 'a',
      progressDetail: { current: '1', total: null },
    };
    assert.deepEqual(readPullStep(record), { id: 'a', status: 'Downloading' });
  });
});
