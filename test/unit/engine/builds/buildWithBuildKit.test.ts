import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listBuilds, replayBuild } from '../../../../src/engine/builds/buildHistory.ts';
import {
  buildWithBuildKit,
  checkWithBuildKit,
} from '../../../../src/engine/builds/buildWithBuildKit.ts';
import { startRequest } from '../../../../src/engine/builds/dockerfile/readDockerfile.ts';
import { openBuilder } from '../../../../src/engine/builds/grpc/builderConnection.ts';
import {
  LISTEN_BUILD_HISTORY,
  SESSION_PATH,
  SOLVE,
  STATUS,
  STATUS_RESPONSE,
  UPDATE_BUILD_HISTORY,
} from '../../../../src/engine/builds/controlMessages.ts';
import type {
  BuildContext,
  BuildEvent,
  BuildProviders,
  BuildRequest,
  BuildResult,
  BuildWarning,
} from '../../../../src/engine/builds/model.ts';
import { failedWith } from '../../../../src/engine/errors.ts';
import type { CallHandler, CallStream } from '../../../../src/engine/builds/grpc/callStream.ts';
import type { GrpcClient } from '../../../../src/engine/builds/grpc/grpcClient.ts';
import { GrpcError } from '../../../../src/engine/builds/grpc/grpcError.ts';
import { bytes, message, text, textMap } from '../../../../src/engine/builds/grpc/protobuf.ts';
import {
  startFakeBuilder,
  sessionClient,
  type FakeBuilder,
  type FakeBuilderOptions,
} from '../../support/fakeBuilder.ts';
import { failure, openLab, when, type Lab } from '../../support/lab.ts';

const PASSWORD = 'p4ss-w0rd-of-the-registry';
const SECRET = 'the-s3cret-of-the-build';
const ID = `sha256:${'a'.repeat(64)}`;

const NAME = message<{ readonly id: string }>({ id: text(1) });
const SECRET_DATA = message<{ readonly data: Uint8Array }>({ data: bytes(1) });
const LOGIN = message<{ readonly username: string; readonly secret: string }>({
  username: text(1),
  secret: text(2),
});
const RESULT = message<{
  readonly attributes: ReadonlyMap<string, string>;
  readonly added: string;
}>({
  attributes: textMap(1),
  added: text(99),
});
const GET_SECRET = {
  path: '/moby.buildkit.secrets.v1.Secrets/GetSecret',
  request: NAME,
  response: SECRET_DATA,
};
const CREDENTIALS = { path: '/moby.filesync.v1.Auth/Credentials', request: NAME, response: LOGIN };
const CHECK_AGENT = { path: '/moby.sshforward.v1.SSH/CheckAgent', request: NAME, response: NAME };

const WORKING: BuildContext = { sharedKey: 'key', diffCopy: () => Promise.resolve() };

describe('a build over gRPC', () => {
  let lab: Lab;
  let folder: string;
  let builder: FakeBuilder | undefined;
  let events: BuildEvent[];
  beforeEach(() => {
    lab = openLab();
    folder = mkdtempSync(join(tmpdir(), 'gantry-build-'));
    events = [];
  });
  afterEach(async () => {
    await lab.close();
    await builder?.stop();
    rmSync(folder, { recursive: true });
  });

  /** What the engine does with a build once the session is open. */
  type Act = (client: GrpcClient) => Promise<void>;

  /** Starts an engine that answers a build after `act`. */
  async function start(
    act: Act,
    more: Partial<FakeBuilderOptions> = {},
    others: ReadonlyMap<string, CallHandler> = new Map(),
  ) {
    const session = Promise.withResolvers<GrpcClient>();
    const services = new Map<string, CallHandler>([
      [
        SESSION_PATH,
        async (call) => {
          session.resolve(sessionClient(call));
          await once(call.signal, 'abort');
        },
      ],
      [STATUS.path, () => Promise.reject(new GrpcError(5, 'no such job x'))],
      [
        SOLVE.path,
        async (call) => {
          await drain(call);
          await act(await session.promise);
          const attributes = new Map([['containerimage.digest', ID]]);
          await call.write(RESULT.encode({ attributes, added: 'in a newer version' }));
        },
      ],
      ...others,
    ]);
    builder = await startFakeBuilder({ services, ...more });
    return lab.connect(builder.url);
  }

  async function build(
    connection: Awaited<ReturnType<typeof start>>,
    wishes: Partial<BuildRequest> = {},
    more: Partial<BuildProviders> = {},
    signal = new AbortController().signal,
    context = WORKING,
  ): Promise<BuildResult> {
    const dockerfile = join(folder, 'Dockerfile');
    writeFileSync(dockerfile, 'FROM named.example:5000/base\n');
    const request = { context: folder, dockerfile, tags: [], ...wishes };
    const providers: BuildProviders = {
      credentials: () => Promise.resolve({ username: 'me', password: PASSWORD }),
      secret: () => Promise.resolve(Buffer.from(SECRET)),
      ...more,
    };
    const controls = { onEvent: (event: BuildEvent) => void events.push(event), signal };
    return buildWithBuildKit(connection, await startRequest(request), providers, context, controls);
  }

  const refusals = () =>
    events.flatMap((event) => (event.kind === 'refusal' ? [event.refusal] : []));

  it('gives credentials for a registry that the Dockerfile names, and no others', async () => {
    const said: unknown[] = [];
    const connection = await start(async (client) => {
      for (const id of ['named.example:5000', 'other.example', 'registry-1.docker.io'])
        said.push({ ...(await client.call(CREDENTIALS, { id })) });
    });
    assert.deepEqual(await build(connection), { imageId: ID });
    assert.deepEqual(said, [
      { username: 'me', secret: PASSWORD },
      { username: '', secret: '' },
      { username: '', secret: '' },
    ]);
    assert.deepEqual(refusals(), [
      { kind: 'credentials', name: 'other.example' },
      { kind: 'credentials', name: 'docker.io' },
    ]);
  });

  it('gives declared secrets, and no others', async () => {
    let value = '';
    const errors: unknown[] = [];
    const connection = await start(async (client) => {
      value = Buffer.from((await client.call(GET_SECRET, { id: 'mine' })).data).toString();
      for (const id of ['other', '', '../mine', 'GIT_AUTH_TOKEN'])
        await client.call(GET_SECRET, { id }).catch((error: unknown) => errors.push(error));
      await client.call(CHECK_AGENT, { id: '' }).catch((error: unknown) => errors.push(error));
    });
    await build(connection, { secrets: ['mine'] }, { sshAgent: '/nowhere' });
    assert.equal(value, SECRET);
    assert.deepEqual(
      errors.map((error) => error instanceof GrpcError && error.code),
      [5, 5, 5, 5, 5],
    );
    assert.deepEqual(refusals(), [
      { kind: 'secret', name: 'other' },
      { kind: 'secret', name: '' },
      { kind: 'secret', name: '../mine' },
      { kind: 'ssh', name: 'default' },
    ]);
  });

  it('reports each refused question once, and not without end', async () => {
    const connection = await start(async (client) => {
      const ask = (id: string) => client.call(GET_SECRET, { id }).catch(() => undefined);
      for (let count = 0; count < 3; count++) await ask('other');
      for (let count = 0; count < 120; count++) await ask(`id-${count}`);
    });
    await build(connection);
    assert.equal(refusals().length, 100);
    assert.deepEqual(
      refusals()
        .slice(0, 2)
        .map(({ name }) => name),
      ['other', 'id-0'],
    );
  });

  it('follows its progress again from the start if only that was lost, and reports nothing twice', async () => {
    const isDone = Promise.withResolvers<undefined>();
    const step = { digest: ID, name: '[1/1] RUN x', started: { seconds: 1, nanos: 0 } };
    const log = (text: string) => ({ vertex: ID, stream: 1, data: Buffer.from(text) });
    let streams = 0;
    const status: CallHandler = async (call) => {
      await drain(call);
      const first = { vertexes: [step], logs: [log('one\n')] };
      await call.write(STATUS_RESPONSE.encode(first));
      if (++streams === 1) throw new GrpcError(14, 'lost');
      await call.write(STATUS_RESPONSE.encode({ logs: [log('two\n')] }));
      isDone.resolve(undefined);
    };
    const connection = await start(
      async () => {
        await isDone.promise;
      },
      {},
      new Map([[STATUS.path, status]]),
    );
    await build(connection);
    const text = events.flatMap((one) =>
      one.kind === 'output' ? [Buffer.from(one.output.data).toString()] : [],
    );
    assert.deepEqual([streams, text], [2, ['one\n', 'two\n']]);
  });

  async function check(
    connection: Awaited<ReturnType<typeof start>>,
    signal = new AbortController().signal,
  ): Promise<readonly BuildWarning[]> {
    const request = { context: folder, dockerfile: join(folder, 'Dockerfile'), tags: [] };
    const providers: BuildProviders = {
      credentials: () => Promise.resolve(undefined),
      secret: () => Promise.reject(new Error('not needed')),
    };
    return checkWithBuildKit(connection, await startRequest(request), providers, WORKING, signal);
  }

  it('leaves no build in the history after a check, and lists none of other clients', async () => {
    const checked = Promise.withResolvers<string>();
    const removed: unknown[] = [];
    const status: CallHandler = async (call) => {
      for await (const one of call.messages) checked.resolve(STATUS.request.decode(one).ref);
    };
    const update: CallHandler = async (call) => {
      for await (const one of call.messages)
        removed.push({ ...UPDATE_BUILD_HISTORY.request.decode(one) });
      await call.write(UPDATE_BUILD_HISTORY.response.encode({}));
    };
    const history: CallHandler = async (call) => {
      await drain(call);
      for (const attributes of [
        new Map([['requestid', 'frontend.outline']]),
        new Map<string, string>(),
      ])
        await call.write(
          LISTEN_BUILD_HISTORY.response.encode({
            record: { ref: `r${attributes.size}`, attributes },
          }),
        );
    };
    const others = new Map([
      [STATUS.path, status],
      [UPDATE_BUILD_HISTORY.path, update],
      [LISTEN_BUILD_HISTORY.path, history],
    ]);
    const connection = await start(async () => void (await checked.promise), {}, others);
    assert.deepEqual(await check(connection), []);
    assert.deepEqual(removed, [{ ref: await checked.promise, isDeleted: true }]);
    const listed = await listBuilds(connection);
    assert.deepEqual(
      listed.map(({ ref }) => ref),
      ['r0'],
    );
  });

  it('of another client is shown without the passwords of its URLs', async () => {
    const url = 'http://me:hunter2@proxy';
    const status: CallHandler = async (call) => {
      await drain(call);
      const step = { digest: 'a', name: `RUN ${url}`, started: { seconds: 1, nanos: 0 } };
      const logs = ['http://me:hun', 'ter2@proxy\n'].map((part) => ({
        ...{ vertex: 'a', stream: 1, data: Buffer.from(part) },
      }));
      await call.write(STATUS_RESPONSE.encode({ vertexes: [step], logs }));
    };
    const history: CallHandler = async (call) => {
      await drain(call);
      const attributes = new Map([['context', url]]);
      const record = { ref: 'r', attributes, error: { code: 2, text: `no ${url}` } };
      await call.write(LISTEN_BUILD_HISTORY.response.encode({ record }));
    };
    const others = new Map([
      [STATUS.path, status],
      [LISTEN_BUILD_HISTORY.path, history],
    ]);
    const connection = await start(() => Promise.resolve(), {}, others);
    const replayed: BuildEvent[] = [];
    await replayBuild(connection, 'r', (event) => replayed.push(event));
    const output = replayed.flatMap((one) => (one.kind === 'output' ? [one.output.data] : []));
    assert.equal(Buffer.concat(output).toString(), 'http://me:…@proxy\n');
    const listed = await listBuilds(connection);
    assert.deepEqual(
      listed.map(({ error, context }) => [error, context]),
      [['no http://me:…@proxy', 'http://me:…@proxy']],
    );
    assert.doesNotMatch(JSON.stringify(replayed), /hunter2/);
  });

  it('is not removed from the history if BuildKit was not reached by a check', async () => {
    const connection = await start(() => Promise.resolve(), { status: 404 });
    await failure(check(connection), 'notFound');
    assert.deepEqual(builder?.ways, ['upgrade']);
  });

  it('is removed from the history after a canceled check, which does not wait for that', async () => {
    let hasBegun = false;
    let removed = 0;
    const update: CallHandler = async (call) => {
      removed++;
      await once(call.signal, 'abort');
    };
    const hang = (): Promise<void> => {
      hasBegun = true;
      return new Promise(() => undefined);
    };
    const connection = await start(hang, {}, new Map([[UPDATE_BUILD_HISTORY.path, update]]));
    const canceling = new AbortController();
    const checking = check(connection, canceling.signal);
    checking.catch(() => undefined);
    await when(() => hasBegun);
    canceling.abort();
    await assert.rejects(checking, { name: 'AbortError' });
    assert.equal(removed, 0);
    await when(() => removed === 1);
  });

  it('forwards the SSH agent to a build that may use it', async () => {
    const path = join(folder, 'agent.sock');
    const agent = createServer((socket) => {
      socket.on('data', (data) => socket.end(`re: ${data.toString()}`));
    });
    await new Promise<void>((resolve) => agent.listen(path, resolve));
    let answer = '';
    const connection = await start(async (client) => {
      await client.call(CHECK_AGENT, { id: 'default' });
      const call = client.open('/moby.sshforward.v1.SSH/ForwardAgent', {
        'buildkit.ssh.id': 'default',
      });
      await call.write(SECRET_DATA.encode({ data: Buffer.from('which keys') }));
      for await (const piece of call.messages)
        answer += Buffer.from(SECRET_DATA.decode(piece).data).toString();
    });
    await build(connection, { ssh: true }, { sshAgent: path });
    agent.close();
    assert.equal(answer, 're: which keys');
    assert.deepEqual(refusals(), []);
  });

  it('shows no secret in its events, errors, or the records of its requests', async () => {
    const connection = await start(async (client) => {
      const { data } = await client.call(GET_SECRET, { id: 'mine' });
      const { secret } = await client.call(CREDENTIALS, { id: 'named.example:5000' });
      assert(data.length > 0 && secret !== '');
      throw new GrpcError(2, `failed: ${secret}, ${Buffer.from(data).toString()}`);
    });
    const error = await failure(build(connection, { secrets: ['mine'] }), 'failed');
    assert.equal(error.message, 'failed: …, …');
    const told = JSON.stringify([events, lab.records, error, error.message, error.stack]);
    assert(!told.includes(SECRET) && !told.includes(PASSWORD));
    assert.deepEqual(
      lab.records.map(({ path }) => path),
      ['/_ping', '/v1.51/grpc'],
    );
  });

  it('does not reveal to the engine why a provider failed', async () => {
    let told: unknown;
    const connection = await start(async (client) => {
      told = await client.call(GET_SECRET, { id: 'mine' }).catch((error: unknown) => error);
      await new Promise(() => undefined);
    });
    const missing = new Error('/home/me/token is missing');
    const work = build(
      connection,
      { secrets: ['mine'] },
      { secret: () => Promise.reject(missing) },
    );
    await assert.rejects(work, missing);
    await when(() => told !== undefined);
    assert(!String(told).includes('token'));
  });

  it('rejects with the reason why a file could not be sent', async () => {
    const failed = new Error('secrets.txt cannot be read');
    const connection = await start(() => Promise.reject(new GrpcError(2, 'the words')));
    const served = { ...WORKING, failure: failed };
    await assert.rejects(build(connection, {}, {}, undefined, served), failed);
  });

  it('answers no service that a build does not need', async () => {
    const errors: unknown[] = [];
    const connection = await start(async (client) => {
      for (const path of [
        '/moby.filesync.v1.FileSend/DiffCopy',
        '/moby.filesync.v1.Auth/FetchToken',
        '/',
      ])
        await client
          .call({ ...GET_SECRET, path }, { id: 'x' })
          .catch((error: unknown) => errors.push(error));
    });
    await build(connection);
    assert.deepEqual(
      errors.map((error) => error instanceof GrpcError && error.code),
      [12, 12, 12],
    );
  });

  for (const [name, body, reason] of [
    ['a message of 4 GB', Buffer.from([0, 255, 255, 255, 255]), 'tooLarge'],
    ['a compressed message', Buffer.from([1, 0, 0, 0, 1, 0]), 'badAnswer'],
    ['an invalid message', Buffer.from([0, 0, 0, 0, 1, 255]), 'badAnswer'],
  ] as const)
    it(`ends if the engine answers with ${name}`, async () => {
      const connection = await start(() => Promise.resolve(), { body });
      await failure(build(connection), reason);
    });

  it('ends when it is canceled, and leaves no connection', async () => {
    let hasBegun = false;
    const connection = await start(() => {
      hasBegun = true;
      return new Promise(() => undefined);
    });
    const controller = new AbortController();
    const building = build(connection, {}, {}, controller.signal);
    building.catch(() => undefined);
    await when(() => hasBegun);
    controller.abort();
    await assert.rejects(building, { name: 'AbortError' });
    await when(() => (builder?.open() ?? 0) <= 1);
  });

  it('reports that the connection was lost', async () => {
    const connection = await start(() => {
      builder?.cut();
      return new Promise(() => undefined);
    });
    await failure(build(connection), 'cut');
  });

  it('ends with its connection', async () => {
    const connection = await start(() => {
      connection.dispose('disconnected');
      return new Promise(() => undefined);
    });
    await failure(build(connection), 'disconnected');
  });

  for (const [status, reason] of [
    [404, 'notFound'],
    [403, 'failed'],
    [200, 'badAnswer'],
  ] as const)
    it(`is refused with status ${status} for the upgrade`, async () => {
      const connection = await start(() => Promise.resolve(), { status });
      const error = await failure(build(connection), reason);
      assert.equal(error.status, status === 200 ? undefined : status);
    });

  describe('connects', () => {
    async function waysOf(api: string, takesPlain: boolean): Promise<unknown> {
      const connection = await start(() => Promise.resolve(), { api, takesPlain });
      assert.deepEqual(await build(connection), { imageId: ID });
      return builder?.ways;
    }

    it('by an upgrade up to API 1.52', async () => {
      assert.deepEqual(await waysOf('1.52', true), ['upgrade']);
    });

    it('with HTTP/2 from the first byte from API 1.53 on', async () => {
      assert.deepEqual(await waysOf('1.53', true), ['plain']);
    });

    it('by an upgrade if a proxy before API 1.53 does not take HTTP/2', async () => {
      assert.deepEqual(await waysOf('1.53', false), ['plain', 'upgrade']);
    });

    it('by an upgrade if a proxy speaks HTTP/2 itself, and has no gRPC', async () => {
      const connection = await start(() => Promise.resolve(), { api: '1.53', proxyStatus: 403 });
      assert.deepEqual(await build(connection), { imageId: ID });
      assert.deepEqual(builder?.ways, ['plain', 'upgrade']);
    });

    it('not after it was canceled', async () => {
      const connection = await start(() => Promise.resolve());
      const reason = new DOMException('canceled', 'AbortError');
      await assert.rejects(openBuilder(connection, AbortSignal.abort(reason)), reason);
      assert(!failedWith(reason));
    });
  });
});

async function drain(call: CallStream): Promise<void> {
  for await (const one of call.messages) assert(one.length >= 0);
}
