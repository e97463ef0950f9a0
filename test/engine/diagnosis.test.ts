import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import { parseEndpoint, type TlsMaterial } from '../../src/engine/http/endpoint.ts';
import { checkEngine, type CheckStep } from '../../src/engines/checkEngine.ts';
import { bed } from '../bed/env.ts';
import { encrypt, makeCertificates, type Certificates, type Listener } from '../bed/tls.ts';

const SIGNS = { good: '✓', bad: '✗', none: '–' } as const;

type Steps = readonly CheckStep[];

async function check(address: string, tls?: TlsMaterial): Promise<Steps> {
  const endpoint = parseEndpoint(address, 'setting', tls);
  const candidate = { name: 'it', found: { kind: 'setting' }, endpoint, error: undefined } as const;
  const machine = { platform: process.platform, home: tmpdir(), env: {} };
  const options = { machine, userAgent: 'Gantry' };
  return checkEngine(candidate, 'all', undefined, options, new AbortController().signal);
}

function signs(steps: Steps): string {
  return steps.map(({ name, outcome }) => SIGNS[outcome] + name).join(' ');
}

function noteOf(steps: Steps, name: string): string {
  return steps.find((step) => step.name === name)?.note ?? assert.fail(`no step ${name}`);
}

describe('the step-by-step check of a real engine', function () {
  this.timeout(60_000);
  let folder: string;
  let certificates: Certificates;
  let open: Listener[];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-diagnosis-'));
    certificates = await makeCertificates(folder);
  });
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(() => (open = []));
  afterEach(async () => {
    for (const one of open) await one.stop();
  });

  /** Starts a TLS proxy in front of the engine and resolves to its address. */
  async function encrypted(options: TlsOptions = {}): Promise<string> {
    const { cert, key } = certificates.server;
    const listener = await encrypt(bed().socket, { cert, key, ...options });
    open.push(listener);
    return `tcp://127.0.0.1:${listener.port}`;
  }

  it('passes every step over the socket', async () => {
    const checked = await check(bed().socket);
    assert.equal(signs(checked), '✓socket ✓connection ✓ping ✓list ✓events');
    const product = bed().kind === 'docker' ? 'Docker' : 'Podman';
    assert.match(
      noteOf(checked, 'ping'),
      new RegExp(`^${product} [\\d.]+\\S*, API 1\\.\\d+; Gantry uses 1\\.\\d+$`),
    );
  });

  it('reports the subject of the certificate, and that it is trusted', async () => {
    const tls = { verify: true, ca: certificates.ca.cert, isCaAlone: true };
    const checked = await check(await encrypted(), tls);
    const steps = '✓host ✓connection ✓TLS ✓ping ✓list ✓events';
    assert.equal(signs(checked), steps);
    const sentence = /^TLSv1\.\d, subject=.*server.*, issuer=.*ca.*, notAfter=.*\d GMT$/;
    assert.match(noteOf(checked, 'TLS'), sentence);
  });

  it('reports why a certificate is not trusted', async () => {
    const tls = { verify: true, ca: certificates.otherCa.cert, isCaAlone: true };
    const checked = await check(await encrypted(), tls);
    assert.equal(signs(checked), '✓host ✓connection ✗TLS');
    assert.match(
      noteOf(checked, 'TLS'),
      /was issued by an unknown certificate authority.*\(TLSv1.*subject=.*server/,
    );
    const expired = await encrypted(certificates.expired);
    const late = await check(expired, { ...tls, ca: certificates.ca.cert });
    assert.match(noteOf(late, 'TLS'), /has expired/);
  });

  it('continues if certificate verification is turned off', async () => {
    const checked = await check(await encrypted(), { verify: false });
    assert.match(signs(checked), /✓TLS ✓ping ✓list ✓events$/);
    assert.match(
      noteOf(checked, 'TLS'),
      /^Certificate verification is turned off \(skipTlsVerify\)\. Otherwise: .*was issued by an unknown certificate authority.* \(TLSv1.*subject=/,
    );
  });

  it('reports that a client certificate is required', async () => {
    const { ca } = certificates;
    const wanting = { ca: ca.cert, requestCert: true, rejectUnauthorized: true };
    const checked = await check(await encrypted(wanting), { verify: true, ca: ca.cert });
    assert.match(signs(checked), /✗\w+$/);
    assert.match(checked.at(-1)?.note ?? '', /requires a client certificate/);
  });
});
