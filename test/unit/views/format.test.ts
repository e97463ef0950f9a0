import assert from 'node:assert/strict';
import { EngineError, type FailureReason } from '../../../src/engine/errors.ts';
import type { CandidateOrigin } from '../../../src/engine/discovery/endpointCandidate.ts';
import { formatPorts } from '../../../src/views/containers/presentContainer.ts';
import {
  engineLostMessage,
  engineSourceOf,
  gantryStateOf,
  unlistedMessage,
  unreachableMessage,
} from '../../../src/views/engines/engineState.ts';
import { tooltipMarkdown } from '../../../src/views/rowPresentation.ts';
import {
  familiarName,
  formatImageName,
  formatLine,
  formatSize,
} from '../../../src/views/format.ts';

describe('format', () => {
  const sizes: readonly (readonly [bytes: number, words: string])[] = [
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [4_260_000, '4.3 MB'],
    [9_949_000, '9.9 MB'],
    [9_960_000, '10 MB'],
    [142_000_000, '142 MB'],
    [999_600_000, '1.0 GB'],
    [1_440_000_000, '1.4 GB'],
    [3e18, '3000 PB'],
    [-1, '0 B'],
    [Number.NaN, '0 B'],
  ];
  for (const [bytes, words] of sizes) {
    it(`formats ${bytes} bytes as ${words}`, () => assert.equal(formatSize(bytes), words));
  }

  it('shortens the names of Docker Hub images', () => {
    assert.equal(familiarName('docker.io/library/postgres:16'), 'postgres:16');
    assert.equal(familiarName('docker.io/bitnami/redis:7'), 'bitnami/redis:7');
    assert.equal(familiarName('localhost:5000/library/app:1'), 'localhost:5000/library/app:1');
    assert.equal(familiarName('docker.io/'), 'docker.io/');
    assert.equal(formatImageName('docker.io/library/busybox:latest'), 'busybox');
    assert.equal(formatImageName('busybox'), 'busybox');
    assert.equal(formatImageName(`sha256:${'ab'.repeat(32)}`), 'abababababab');
  });

  it('does not split a surrogate pair', () => {
    assert.ok(formatLine('😀'.repeat(900)).isWellFormed());
  });

  it('truncates a very long text', () => {
    const text = formatLine('x'.repeat(100_000));
    assert.match(text, /^x{400}…$/);
  });
});

describe('formatPorts', () => {
  it('includes the address if a port is published on only one', () => {
    const tcp = { privatePort: 80, publicPort: 8080, protocol: 'tcp' };
    const ports = [
      { ...tcp, ip: '0.0.0.0' },
      { ...tcp, ip: '::' },
      { ...tcp, ip: '::1' },
      { ...tcp, ip: '127.0.0.1' },
      { privatePort: 53, protocol: 'udp' },
    ];
    assert.equal(
      formatPorts(ports),
      '8080→80/tcp, 8080→80/tcp, [::1]:8080→80/tcp, 127.0.0.1:8080→80/tcp, 53/udp',
    );
  });
});

describe('tooltipMarkdown', () => {
  it('escapes all punctuation in untrusted text', () => {
    const value = '[x](command:evil) <b>&lt; `c` **d** https://e.f g@h.i $(bug) !_~|#>+- \\1.';
    const text = tooltipMarkdown([{ name: 'La*bel', value }]);
    const [, inner = ''] = /^\*\*La\\\*bel:\*\* (.*)$/.exec(text) ?? [];
    const bare = inner.replace(/\\[^A-Za-z0-9\s]/g, '');
    assert.match(bare, /^[A-Za-z0-9 ]+$/, 'every mark has a backslash before it');
    assert.equal(inner.replace(/\\([^A-Za-z0-9\s])/g, '$1'), value, 'no character may be lost');
  });

  it('keeps a row on one line', () => {
    const rows = [
      { name: 'A', value: 'one\n\n# two\r\nthree' },
      { name: 'B', value: 'four' },
    ];
    assert.equal(tooltipMarkdown(rows), '**A:** one \\# two three  \n**B:** four');
  });
});

describe('engine state texts', () => {
  const lost = (reason: FailureReason): string =>
    gantryStateOf({ kind: 'lost', error: new EngineError(reason), hadRows: false });

  const silent = new EngineError('socketAbsent', { endpoint: 'unix:///run/nosuch.sock' });
  const byVariable = { kind: 'variable', name: 'DOCKER_HOST' } as const;
  const usual = { kind: 'usual', product: 'Docker' } as const;
  const line = (found: CandidateOrigin, error = silent): string => unreachableMessage(error, found);

  it('distinguish a configured address from the default addresses', () => {
    const phase = { kind: 'lost', error: silent, hadRows: false } as const;
    assert.equal(gantryStateOf(phase, byVariable), 'notThere');
    assert.equal(gantryStateOf(phase, usual), 'absent');
    assert.equal(engineSourceOf(byVariable), 'variable');
    for (const nothing of [usual, undefined]) assert.equal(engineSourceOf(nothing), '');
  });

  it('name the address that nothing listens on, and where it comes from', () => {
    const at = 'Cannot connect to unix:///run/nosuch.sock';
    assert.equal(line(byVariable), `${at} (from DOCKER_HOST).`);
    assert.equal(line({ kind: 'setting' }), `${at} (from gantry.host).`);
    assert.equal(line({ kind: 'context', name: 'far' }), `${at} (from the Docker context far).`);
    const connection = { kind: 'podmanConnection', name: 'far' } as const;
    assert.equal(line(connection), `${at} (from the Podman connection far).`);
    assert.equal(line(usual), 'No container engine found.');
    assert.match(line(byVariable, new EngineError('tooOld')), / is too old\. /);
  });

  it('promise no reconnect after a final SSH failure', () => {
    const error = new EngineError('refused', { isFinal: true });
    assert.equal(gantryStateOf({ kind: 'lost', error, hadRows: false }), 'sshFailed');
  });

  it('have a welcome state for every failure', () => {
    assert.equal(lost('socketAbsent'), 'absent');
    assert.equal(lost('permissionDenied'), 'denied');
    assert.equal(lost('refused'), 'refused');
    assert.equal(lost('notASocket'), 'notEngine');
    assert.equal(lost('notAnEngine'), 'notEngine');
    assert.equal(lost('badAnswer'), 'notEngine');
    assert.equal(lost('tooOld'), 'tooOld');
    assert.equal(lost('tooNew'), 'tooNew');
    assert.equal(lost('timeout'), 'timeout');
    assert.equal(lost('failed'), 'unreachable');
    assert.equal(lost('connectTimeout'), 'timeout');
    assert.equal(lost('contextMissing'), 'context');
    assert.equal(lost('certificateUntrusted'), 'certificate');
    assert.equal(lost('clientCertificateNeeded'), 'clientCertificate');
    assert.equal(lost('certificateUnusable'), 'ownCertificate');
    assert.equal(lost('pinRefused'), 'pinned');
    for (const reason of ['hostUnknown', 'tlsNeeded', 'tlsNotSpoken', 'proxyPage'] as const) {
      assert.equal(lost(reason), reason);
    }
  });

  it('are "connecting" until there is a response, then "ready"', () => {
    assert.equal(gantryStateOf({ kind: 'idle' }), 'connecting');
    assert.equal(gantryStateOf({ kind: 'connecting' }), 'connecting');
    const info = { product: 'docker', engineApi: '1.51', api: '1.44' } as const;
    assert.equal(gantryStateOf({ kind: 'live', info }), 'ready');
  });

  it('report that images are not known, and why', () => {
    const info = { product: 'docker', engineApi: '1.51', api: '1.44' } as const;
    const said = (images?: 'awaited' | EngineError): string =>
      unlistedMessage({ kind: 'live', info, ...(images && { images }) });
    assert.equal(said(), '');
    assert.equal(unlistedMessage({ kind: 'connecting' }), '');
    assert.equal(said('awaited'), 'Loading images...');
    assert.equal(
      said(new EngineError('failed', { status: 403 })),
      'Cannot list images: permission denied. Retrying...',
    );
    assert.equal(said(new EngineError('timeout')), 'Cannot list images: timed out. Retrying...');
  });

  it('explain why rows may be out of date', () => {
    assert.equal(
      engineLostMessage(new EngineError('refused')),
      'Connection lost: connection refused. Reconnecting...',
    );
    assert.equal(
      engineLostMessage(new EngineError('sshRefused')),
      'Connection lost: SSH authentication failed. Select Refresh to reconnect.',
    );
    assert.equal(
      engineLostMessage(new EngineError('refused', { isFinal: true })),
      'Connection lost: connection refused. Select Refresh to reconnect.',
    );
  });
});
