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
import { english } from '../../../../src/l10n.ts';

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

describe('engine/pull: pullImage', () => {
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

  /** Answers the pull with `write`, the inspection that follows with `inspected`. */
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
    return pullImage(connection, whole, english, (step) => steps.push(step), signal);
  }

  /** What the pull fails with. */
  async function failure(request: Partial<PullRequest> = {}): Promise<EngineError> {
    const error = await pull(request).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof EngineError, String(error));
    return error;
  }

  it('asks for the image and resolves to its id and digest', async () => {
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

  it('tells every step as it comes', async () => {
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

  it('never asks for all tags', async () => {
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

  it('sends credentials and the platform', async () => {
    says(lines(DOCKER_RECORDS));
    const auth = { username: 'alice', password: '~~~', serveraddress: 'r.io' };
    await pull({ auth, platform: 'linux/amd64' });
    const sent = String(engine.seen[0]!.headers['x-registry-auth']);
    assert.deepEqual(JSON.parse(Buffer.from(sent, 'base64url').toString()), auth);
    assert.equal(sent.length % 4, 0);
    assert.equal(engine.seen[0]!.query.get('platform'), 'linux/amd64');
  });

  it('tells no step with the password in it, though somebody may repeat it', async () => {
    const pair = Buffer.from('alice:canary').toString('base64');
    says(lines([{ status: `Hello canary, or ${pair}` }, ...DOCKER_RECORDS]));
    await pull({ auth: { username: 'alice', password: 'canary', serveraddress: 'r.io' } });
    assert.equal(steps[0]?.status, 'Hello …, or …');
    assert.equal(steps.length, DOCKER_RECORDS.length + 1);
  });

  it('reads Podman: a bare id, no digest line, other line ends, records cut anywhere', async () => {
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

  it('takes the digest that was said where the image keeps none', async () => {
    says(lines(DOCKER_RECORDS), { ...INSPECTED, RepoDigests: null });
    assert.equal((await pull()).digest, DIGEST);
  });

  it('takes no other repository’s digest for its own', async () => {
    const inspected = {
      ...INSPECTED,
      RepoDigests: [`elsewhere.io/me/app@${OTHER_DIGEST}`, 'nonsense'],
    };
    says(lines(DOCKER_RECORDS.slice(0, 4)), inspected);
    assert.deepEqual(await pull(), { imageId: `sha256:${ID}` });
  });

  it('names no digest where the image has several and none was said', async () => {
    const RepoDigests = [`busybox@${DIGEST}`, `busybox@${OTHER_DIGEST}`];
    says(lines([]), { ...INSPECTED, RepoDigests });
    assert.equal((await pull({ reference: 'busybox' })).digest, undefined);
    const reference = `busybox@${OTHER_DIGEST}`;
    assert.equal((await pull({ reference })).digest, OTHER_DIGEST);
  });

  it('knows its digest under the full name Podman keeps it by', async () => {
    says(lines([]), { ...INSPECTED, RepoDigests: [`docker.io/library/busybox@${DIGEST}`] });
    assert.equal((await pull({ reference: 'busybox' })).digest, DIGEST);
  });

  it('fails with the words of an error inside the stream', async () => {
    const error = { errorDetail: { message: 'no space left\n' }, error: 'old words' };
    says(lines([...DOCKER_RECORDS.slice(0, 3), error]));
    const thrown = await failure();
    assert.equal(thrown.reason, 'failed');
    assert.equal(thrown.engineMessage, 'no space left');
    assert.equal(thrown.operation, 'POST /images/create');
    assert.equal(thrown.endpoint, engine.url);
    assert.equal(steps.length, 3);
    assert.equal(engine.seen.length, 1, 'nothing is asked after a failure');
  });

  it('fails for an error in either spelling, and keeps what its code says', async () => {
    says(lines([{ error: 'old words' }]));
    assert.equal((await failure()).engineMessage, 'old words');
    says(lines([{ errorDetail: {} }]));
    assert.equal((await failure()).reason, 'failed');
    says(lines([{ errorDetail: { code: 401, message: 'log in' } }]));
    assert.equal((await failure()).reason, 'unauthorized');
  });

  it('fails with the status of a refusal before the stream', async () => {
    says((response) => {
      json(response, 404, { message: 'manifest unknown' });
    });
    const thrown = await failure();
    assert.equal(thrown.reason, 'notFound');
    assert.equal(thrown.engineMessage, 'manifest unknown');
  });

  it('fails when the stream breaks off', async () => {
    says((response) => {
      response.writeHead(200);
      response.write('{"status":"Downloading","id":"a"}\n', () => response.destroy());
    });
    assert.equal((await failure()).reason, 'cut');
    assert.equal(engine.seen.length, 1);
  });

  it('fails when the last record is cut in half', async () => {
    says((response) => {
      response.writeHead(200);
      response.end('{"status":"Downloading","id":"a"}\n{"sta');
    });
    assert.equal((await failure()).reason, 'cut');
  });

  it('fails when what comes is no JSON', async () => {
    says((response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<html>\n<body>hello</body>\n');
    });
    const thrown = await failure();
    assert.equal(thrown.reason, 'badAnswer');
    assert.equal(thrown.operation, 'POST /images/create');
    assert.equal(thrown.endpoint, engine.url);
  });

  it('fails when nothing comes and the image is not there', async () => {
    engine.answer((request, response) => {
      if (request.path === '/images/create') response.writeHead(200).end();
      else json(response, 404, { message: 'No such image' });
    });
    assert.equal((await failure()).reason, 'notFound');
  });

  it('refuses an image of another platform, in the engine’s words where it has some', async () => {
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

  describe('of a platform beside another one that is there already', () => {
    /** @param found what the engine answers to the question for that platform. */
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

    it('asks for just that one, where the engine can be asked', async () => {
      announces('1.49', 200);
      const result = await pull({ platform: 'linux/aarch64/v8' });
      assert.deepEqual(result, { imageId: `sha256:${ID}`, digest: DIGEST });
      assert.equal(
        engine.seen.at(-1)?.query.get('platform'),
        '{"os":"linux","architecture":"arm64","variant":"v8"}',
      );
    });

    it('fails where the engine says that this one is not there', async () => {
      announces('1.52', 404);
      assert.match((await failure({ platform: 'linux/arm64' })).message, /only for linux\/amd64/);
      announces('1.52', 500);
      assert.equal((await failure({ platform: 'linux/arm64' })).message, 'no');
    });

    it('takes no other one for a failure, where a name may stand for several and none is told', async () => {
      announces('1.47', 500, containerd);
      assert.ok(await pull({ platform: 'linux/arm64' }));
      for (const status of [[['Backing Filesystem', 'extfs']], null, [null, ['driver-type']]]) {
        announces('1.47', 500, status);
        assert.equal((await failure({ platform: 'linux/arm64' })).reason, 'failed');
      }
    });

    for (const [what, platforms, isTaken] of [
      ['only for others', ['amd64', 'arm64'], false],
      ['for that one', ['amd64', 's390x'], true],
      ['without saying for which', [], true],
      ['for nobody who asks', undefined, true],
    ] as const) {
      it(`goes by the registry if the engine tells none, which has it ${what}`, async () => {
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

    it('asks nothing more where the engine’s own platform is the one', async () => {
      announces('1.52', 500);
      await pull({ platform: 'linux/amd64' });
      assert.equal(engine.seen.length, 2);
    });
  });

  it('refuses a bad reference or platform before any request', async () => {
    for (const reference of ['', ' x', 'a b', 'REPO/x', `x:${'t'.repeat(129)}`]) {
      await assert.rejects(pull({ reference }), InputError);
    }
    await assert.rejects(pull({ platform: 'linux arm' }), /"linux arm" is not a platform/);
    assert.equal(engine.seen.length, 0);
  });

  it('ends the request when cancelled, and says nothing but that', async () => {
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
      english,
      () => {
        controller.abort();
      },
      controller.signal,
    );
    await assert.rejects(pulling, { name: 'AbortError' });
    await closed;
    assert.equal(engine.seen.length, 1);
  });
});

describe('engine/transferRecords: readPullStep', () => {
  it('leaves out a total of nothing, and records that say nothing', () => {
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

  it('keeps a record whose details are odd', () => {
    const record = {
      status: 'Downloading',
      id: 'a',
      progressDetail: { current: '1', total: null },
    };
    assert.deepEqual(readPullStep(record), { id: 'a', status: 'Downloading' });
  });
});
