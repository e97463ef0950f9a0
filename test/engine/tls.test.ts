import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { createContainer, listContainers } from '../../src/engine/containers/containers.ts';
import { removeContainer, startContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { waitForContainer } from '../../src/engine/containers/waitForContainer.ts';
import { parseEndpoint, type Endpoint, type TlsMaterial } from '../../src/engine/http/endpoint.ts';
import { EngineError, type FailureReason } from '../../src/engine/errors.ts';
import { openBuilder } from '../../src/engine/builds/grpc/builderConnection.ts';
import { startFakeBuilder } from '../unit/support/fakeBuilder.ts';
import { readLogs } from '../unit/support/readLogs.ts';
import type { EngineEvent } from '../../src/engine/model.ts';
import { followEvents } from '../../src/engine/system/system.ts';
import { certificateProblem } from '../../src/engine/http/tlsFailureReason.ts';
import { TlsMaterialError } from '../../src/engine/http/secureContextOf.ts';
import { startDocker, type BedEngine } from '../bed/engines.ts';
import { bed } from '../bed/env.ts';
import { until } from '../bed/until.ts';
import { BED_IMAGE, importBusybox } from '../bed/images.ts';
import { buildOver } from './buildOver.ts';
import { cheap, describeOnDocker, itOnDocker } from './support.ts';
import {
  encrypt,
  forwardToDaemon,
  makeCertificates,
  tlsArguments,
  type Certificates,
  type Listener,
} from '../bed/tls.ts';

describe('an engine with TLS', function () {
  this.timeout(60_000);
  let folder: string;
  let certificates: Certificates;
  let open: (() => void | Promise<void>)[];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-tls-'));
    certificates = await makeCertificates(folder);
  });
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(() => (open = []));
  afterEach(async () => {
    for (const end of open.reverse()) await end();
  });

  /** Returns valid TLS material. */
  const good = (): TlsMaterial => {
    const { ca, client } = certificates;
    return { verify: true, ca: ca.cert, cert: client.cert, key: client.key };
  };
  const without = (material: TlsMaterial): TlsMaterial => ({
    verify: material.verify,
    ...(material.ca !== undefined && { ca: material.ca }),
  });

  /**
   * Starts a proxy in front of the engine under test that requires a client certificate, unless `options` specify
   * otherwise.
   */
  async function proxy(options: TlsOptions = {}, socket = bed().socket): Promise<Listener> {
    const { ca, server } = certificates;
    const both = { ca: ca.cert, requestCert: true, rejectUnauthorized: true };
    const listener = await encrypt(socket, {
      cert: server.cert,
      key: server.key,
      ...both,
      ...options,
    });
    open.push(() => listener.stop());
    return listener;
  }

  function connect({ port }: Listener, tls?: TlsMaterial, host = '127.0.0.1'): Connection {
    const { transport, ...rest } = parseEndpoint(`tcp://${host}:${port}`, 'setting');
    const endpoint = { ...rest, transport: { ...transport, ...(tls && { tls }) } } as Endpoint;
    const connection = openConnection(endpoint);
    open.push(() => connection.dispose());
    return connection;
  }

  async function failure(
    connection: Connection,
    reason: FailureReason,
    ask = (): Promise<unknown> => connection.info(),
  ): Promise<EngineError> {
    const error: unknown = await ask().then(
      () => assert.fail('the connection was accepted'),
      (thrown: unknown) => thrown,
    );
    assert(error instanceof EngineError, String(error));
    assert.equal(error.reason, reason, String(error.cause));
    assert.equal(error.endpoint, connection.endpoint.url);
    return error;
  }

  async function worksWhole(connection: Connection, image: string): Promise<void> {
    const seen: EngineEvent[] = [];
    const controller = new AbortController();
    const events = await followEvents(connection, {}, controller.signal);
    const reading = (async () => {
      for await (const event of events) seen.push(event);
    })();
    const { id } = await createContainer(connection, {
      body: cheap({ Image: image, Cmd: ['sh', '-c', 'seq 1 2000'] }),
    });
    const { exit } = await waitForContainer(connection, id, 'next-exit');
    await startContainer(connection, id);
    await exit;
    const wishes = { tail: 'all', follow: false } as const;
    let lines = 0;
    const batches = await readLogs(connection, id, wishes, controller.signal);
    for await (const batch of batches) lines += batch.length;
    assert.equal(lines, 2000);
    const listed = await listContainers(connection, { all: true });
    assert(listed.some((container) => container.id === id));
    await removeContainer(connection, id, { force: true });
    await until(() => seen.some((event) => event.id === id), 'the event arrives');
    controller.abort();
    await reading.catch(() => undefined);
  }

  describe('behind a TLS proxy', () => {
    it('supports lists, events and logs with a client certificate', async () => {
      await worksWhole(connect(await proxy(), good()), bed().image);
    });

    itOnDocker('gets its host name as SNI, but never its IP address', async () => {
      const asked: string[] = [];
      const listener = await proxy({
        SNICallback: (name, use) => {
          asked.push(name);
          use(null);
        },
      });
      await connect(listener, good()).info();
      assert.deepEqual(asked, []);
      await connect(listener, good(), 'localhost').info();
      assert.deepEqual([...new Set(asked)], ['localhost']);
    });

    it('builds an image', async function () {
      if (bed().kind === 'podman') this.skip();
      const connection = connect(await proxy(), good());
      assert.equal(await buildOver(connection, bed().image), '3000000\n');
    });

    itOnDocker(
      'reaches the builder although it offers HTTP/1.1 only, as Docker 29 does',
      async () => {
        const builder = await startFakeBuilder({
          api: '1.53',
          takesPlain: true,
          services: new Map(),
        });
        open.push(() => builder.stop());
        const path = builder.url.slice('unix://'.length);
        const listener = await proxy({ ALPNProtocols: ['http/1.1'] }, path);
        const opened = await openBuilder(connect(listener, good()));
        opened.dispose();
        assert.deepEqual(builder.ways, ['upgrade']);
      },
    );

    itOnDocker('gets HTTP/1.1 even if it prefers HTTP/2', async () => {
      await connect(await proxy({ ALPNProtocols: ['h2', 'http/1.1'] }), good()).info();
    });

    itOnDocker('is reached without a client certificate if it requires none', async () => {
      await connect(await proxy({ requestCert: false }), without(good())).info();
    });

    itOnDocker('is trusted by the given CA alone if requested', async () => {
      await connect(await proxy(), { ...good(), isCaAlone: true }).info();
    });

    itOnDocker('is rejected if another CA signed its certificate', async () => {
      const ca = certificates.otherCa.cert;
      for (const material of [{ ca }, { ca, isCaAlone: true }]) {
        const connection = connect(await proxy(), { ...good(), ...material });
        const { cause } = await failure(connection, 'certificateUntrusted');
        assert.equal(certificateProblem(cause), 'unknownIssuer');
      }
    });

    itOnDocker('is rejected if only the CAs of the system are trusted', async () => {
      const connection = connect(await proxy({ requestCert: false }), { verify: true });
      const { cause } = await failure(connection, 'certificateUntrusted');
      assert.equal(certificateProblem(cause), 'unknownIssuer');
    });

    itOnDocker('is rejected if its certificate has expired', async () => {
      const { cert, key } = certificates.expired;
      const connection = connect(await proxy({ cert, key }), good());
      const { cause } = await failure(connection, 'certificateUntrusted');
      assert.equal(certificateProblem(cause), 'expired');
    });

    itOnDocker('is rejected if its certificate is for another host', async () => {
      const { cert, key } = certificates.elsewhere;
      for (const host of ['127.0.0.1', 'localhost']) {
        const connection = connect(await proxy({ cert, key }), good(), host);
        const { cause } = await failure(connection, 'certificateUntrusted');
        assert.equal(certificateProblem(cause), 'otherName');
      }
    });

    itOnDocker('is reached in spite of all this without verification', async () => {
      const { cert, key } = certificates.expired;
      await connect(await proxy({ cert, key, requestCert: false }), { verify: false }).info();
    });

    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      it(`reports that it requires a client certificate, with ${maxVersion}`, async () => {
        const connection = connect(await proxy({ maxVersion }), without(good()));
        await failure(connection, 'clientCertificateNeeded');
      });
    }

    itOnDocker(
      'reports an unknown client certificate, although the server just closes the connection',
      async () => {
        const { cert, key } = certificates.stranger;
        const connection = connect(await proxy(), { ...good(), cert, key });
        await failure(connection, 'clientCertificateNeeded');
      },
    );

    itOnDocker(
      'is reported as refusing connections when stopped, not as requiring a client certificate',
      async () => {
        const listener = await proxy({ requestCert: false });
        const connection = connect(listener, without(good()));
        await connection.info();
        await listener.stop();
        await failure(connection, 'refused', () => connection.renew());
      },
    );

    itOnDocker('is not reached with TLS 1.1', async () => {
      const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
      await failure(connect(await proxy(old as TlsOptions), good()), 'unreachable');
    });
  });

  describeOnDocker('with unusable TLS material', () => {
    const cases: [what: string, problem: string, change: () => Partial<TlsMaterial>][] = [
      ['a CA that is not PEM', 'caUnreadable', () => ({ ca: 'nonsense' })],
      ['an incomplete CA', 'caUnreadable', () => ({ ca: certificates.ca.cert.slice(0, 100) })],
      ['a certificate that is not PEM', 'certificateUnreadable', () => ({ cert: 'nonsense' })],
      ['a key that is not PEM', 'keyUnreadable', () => ({ key: 'nonsense' })],
      [
        'the key of another certificate',
        'keyOfAnother',
        () => ({ key: certificates.stranger.key }),
      ],
      ['an encrypted key', 'keyEncrypted', () => ({ key: certificates.lockedKeys[0] ?? '' })],
      [
        'an encrypted key in the older format',
        'keyEncrypted',
        () => ({ key: certificates.lockedKeys[1] ?? '' }),
      ],
    ];
    for (const [what, problem, change] of cases) {
      it(`reports ${what} without revealing its contents`, async () => {
        const connection = connect(await proxy(), { ...good(), ...change() });
        const error = await failure(connection, 'certificateUnusable');
        assert(error.cause instanceof TlsMaterialError);
        assert.equal(error.cause.problem, problem);
        assert.doesNotMatch(`${error.stack} ${error.cause.stack}`, /BEGIN|nonsense/);
      });
    }

    it('reports a certificate without a key, and a key without a certificate', async () => {
      const { cert, key } = certificates.client;
      for (const [half, problem] of [
        [{ cert }, 'keyMissing'],
        [{ key }, 'certificateMissing'],
      ] as const) {
        const connection = connect(await proxy(), { ...without(good()), ...half });
        const error = await failure(connection, 'certificateUnusable');
        assert(error.cause instanceof TlsMaterialError);
        assert.equal(error.cause.problem, problem);
      }
    });
  });

  describeOnDocker("in Docker's own daemon", () => {
    // Podman's service supports no TLS in any version.
    let engine: BedEngine | undefined;
    let listener: Listener;

    before(async () => {
      engine = await startDocker({ daemonArguments: tlsArguments(certificates) });
      await importBusybox(engine);
      listener = await forwardToDaemon(engine);
    });
    after(async () => {
      if (!engine) return;
      await listener.stop();
      await engine.stop();
    });

    it('supports lists, events and logs with a client certificate', async () => {
      await worksWhole(connect(listener, good()), BED_IMAGE);
    });

    it('builds an image', async () => {
      assert.equal(await buildOver(connect(listener, good()), BED_IMAGE), '3000000\n');
    });

    it('reports a missing and an unknown client certificate', async () => {
      await failure(connect(listener, without(good())), 'clientCertificateNeeded');
      const { cert, key } = certificates.stranger;
      await failure(connect(listener, { ...good(), cert, key }), 'clientCertificateNeeded');
    });

    it('is rejected if another CA signed its certificate', async () => {
      const ca = certificates.otherCa.cert;
      await failure(connect(listener, { ...good(), ca }), 'certificateUntrusted');
    });

    it('reports that it requires TLS', async () => {
      await failure(connect(listener), 'tlsNeeded');
    });
  });
});
