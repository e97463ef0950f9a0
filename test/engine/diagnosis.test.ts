import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import { errorMessage } from '../../src/commands/errorMessages.ts';
import { parseEndpoint, type TlsMaterial } from '../../src/engine/discovery/endpoint.ts';
import { checkEngine } from '../../src/engines/checkEngine.ts';
import type { CheckResult } from '../../src/engines/checkRun.ts';
import { english } from '../../src/l10n.ts';
import { bed } from '../bed/env.ts';
import { encrypt, makeCertificates, type Certificates, type Listener } from '../bed/tls.ts';

const SIGNS = { good: '✓', bad: '✗', none: '–' } as const;

async function check(address: string, tls?: TlsMaterial): Promise<CheckResult> {
  const endpoint = parseEndpoint(address, 'setting', tls);
  const place = { name: 'it', found: { kind: 'setting' }, endpoint, error: undefined } as const;
  const machine = { platform: process.platform, home: tmpdir(), env: {} };
  const describeIt = (error: unknown): string => errorMessage(error, english);
  const parts = { machine, userAgent: 'Gantry', describe: describeIt, l10n: english };
  return checkEngine(place, undefined, parts, new AbortController().signal);
}

function signs({ steps }: CheckResult): string {
  return steps.map(({ name, outcome }) => SIGNS[outcome] + name).join(' ');
}

function words({ steps }: CheckResult, name: string): string {
  return steps.find((step) => step.name === name)?.says ?? assert.fail(`no step ${name}`);
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
  after(() => {
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => (open = []));
  afterEach(async () => {
    for (const one of open) await one.stop();
  });

  /** The address of an encrypted way to the engine. */
  async function encrypted(options: TlsOptions = {}): Promise<string> {
    const { cert, key } = certificates.server;
    const listener = await encrypt(bed().socket, { cert, key, ...options });
    open.push(listener);
    return `tcp://127.0.0.1:${listener.port}`;
  }

  it('goes through every step over its socket', async () => {
    const checked = await check(bed().socket);
    assert.equal(signs(checked), '✓address ✓socket ✓connection ✓ping ✓version ✓list ✓events');
    const product = bed().kind === 'docker' ? 'Docker' : 'Podman';
    assert.match(
      words(checked, 'version'),
      new RegExp(`^${product} [\\d.]+\\S* speaks API 1\\.\\d+ to`),
    );
  });

  it('tells whose certificate it is, and that it is trusted', async () => {
    const tls = { verify: true, ca: certificates.ca.cert, isCaAlone: true };
    const checked = await check(await encrypted(), tls);
    const steps = '✓address ✓name ✓connection ✓encryption ✓ping ✓version ✓list ✓events';
    assert.equal(signs(checked), steps);
    const sentence =
      /^TLSv1\.\d; the certificate is for .*server.*, made by .*ca.*, valid until .* It is trusted\.$/;
    assert.match(words(checked, 'encryption'), sentence);
  });

  it('tells why a certificate is not trusted', async () => {
    const tls = { verify: true, ca: certificates.otherCa.cert, isCaAlone: true };
    const checked = await check(await encrypted(), tls);
    assert.equal(signs(checked), '✓address ✓name ✓connection ✗encryption');
    assert.match(
      words(checked, 'encryption'),
      /certificate is for .* comes from nobody this machine/,
    );
    const expired = await encrypted(certificates.expired);
    const late = await check(expired, { ...tls, ca: certificates.ca.cert });
    assert.match(words(late, 'encryption'), /has expired/);
  });

  it('goes on where the person wants no look at the certificate', async () => {
    const checked = await check(await encrypted(), { verify: false });
    assert.match(signs(checked), /✓encryption ✓ping ✓version ✓list ✓events$/);
    assert.match(words(checked, 'encryption'), /It is not looked at, as is set; otherwise: /);
  });

  it('tells that a certificate of ours is wanted', async () => {
    const { ca } = certificates;
    const wanting = { ca: ca.cert, requestCert: true, rejectUnauthorized: true };
    const checked = await check(await encrypted(wanting), { verify: true, ca: ca.cert });
    assert.match(signs(checked), /✗\w+$/);
    assert.match(checked.steps.at(-1)?.says ?? '', /lets in only who has a certificate/);
  });
});
