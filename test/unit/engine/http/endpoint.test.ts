import assert from 'node:assert/strict';
import {
  exposureOf,
  parseEndpoint,
  type SshTransport,
} from '../../../../src/engine/http/endpoint.ts';
import { EngineError } from '../../../../src/engine/errors.ts';

function problem(text: string): EngineError {
  try {
    parseEndpoint(text, 'setting');
  } catch (error) {
    assert(error instanceof EngineError);
    return error;
  }
  assert.fail(`${text} was taken`);
}

describe('parseEndpoint', () => {
  const sockets: [text: string, path: string, url: string][] = [
    ['/var/run/docker.sock', '/var/run/docker.sock', 'unix:///var/run/docker.sock'],
    ['unix:///run/x.sock', '/run/x.sock', 'unix:///run/x.sock'],
    ['UNIX:///run/x.sock', '/run/x.sock', 'UNIX:///run/x.sock'],
    ['  unix:///run/x.sock\n', '/run/x.sock', 'unix:///run/x.sock'],
    ['/with space/ü.sock', '/with space/ü.sock', 'unix:///with space/ü.sock'],
    ['unix:///a:1/b@c?d', '/a:1/b@c?d', 'unix:///a:1/b@c?d'],
    ['npipe:////./pipe/docker_engine', '//./pipe/docker_engine', 'npipe:////./pipe/docker_engine'],
    ['\\\\.\\pipe\\docker_engine', '\\\\.\\pipe\\docker_engine', 'npipe:////./pipe/docker_engine'],
  ];
  for (const [text, path, url] of sockets) {
    it(`reads ${JSON.stringify(text)} as a socket`, () => {
      const endpoint = parseEndpoint(text, 'setting');
      assert.deepEqual(endpoint, { url, transport: { kind: 'socket', path }, source: 'setting' });
    });
  }

  const tcp: [text: string, host: string, port: number, base: string][] = [
    ['tcp://localhost', 'localhost', 2375, ''],
    ['tcp://localhost:1234', 'localhost', 1234, ''],
    ['tcp://LocalHost:1234/', 'localhost', 1234, ''],
    ['TCP://10.0.0.1:2375', '10.0.0.1', 2375, ''],
    ['tcp://h:80', 'h', 80, ''],
    ['tcp://h:080', 'h', 80, ''],
    ['tcp://h:80/base', 'h', 80, '/base'],
    ['tcp://h/x:80', 'h', 2375, '/x:80'],
    ['tcp://h:443', 'h', 443, ''],
    ['tcp://h:2375/a/b//', 'h', 2375, '/a/b'],
    ['tcp://h/with space', 'h', 2375, '/with%20space'],
    ['tcp://[::1]:2375', '::1', 2375, ''],
    ['tcp://[fe80::80]', 'fe80::80', 2375, ''],
    ['h:2375', 'h', 2375, ''],
    ['127.0.0.1:80', '127.0.0.1', 80, ''],
    ['[::1]:2375', '::1', 2375, ''],
  ];
  for (const [text, host, port, base] of tcp) {
    it(`reads ${text} as ${host} at ${port}${base === '' ? '' : ` below ${base}`}`, () => {
      const { transport, url } = parseEndpoint(text, 'environment');
      assert.deepEqual(transport, { kind: 'tcp', host, port, base });
      assert.equal(url, text.includes('://') ? text : `tcp://${text}`);
    });
  }

  it('uses the TLS port and keeps the TLS options if they are given', () => {
    const tls = { verify: true, ca: 'theirs' };
    const { transport } = parseEndpoint('tcp://h/base', 'context', tls);
    assert.deepEqual(transport, { kind: 'tcp', host: 'h', port: 2376, base: '/base', tls });
    const named = parseEndpoint('tcp://h:1', 'context', tls).transport;
    assert(named.kind === 'tcp' && named.port === 1 && named.tls === tls);
    for (const text of ['/x.sock', 'ssh://h']) {
      assert(!('tls' in parseEndpoint(text, 'context', tls).transport), text);
    }
  });

  const ssh: [text: string, parts: Omit<SshTransport, 'kind'>][] = [
    ['ssh://h', { host: 'h' }],
    ['ssh://h/', { host: 'h' }],
    ['SSH://me@h', { host: 'h', user: 'me' }],
    ['ssh://me@h:2222', { host: 'h', user: 'me', port: 2222 }],
    ['ssh://my_alias-1.lan', { host: 'my_alias-1.lan' }],
    ['ssh://Größe@h', { host: 'h', user: 'Größe' }],
    ['ssh://me@[::1]:22/run/x.sock', { host: '::1', user: 'me', port: 22, socket: '/run/x.sock' }],
    ['ssh://[fe80::1]', { host: 'fe80::1' }],
    [
      'ssh://core@127.0.0.1:53685/run/user/501/podman/podman.sock',
      {
        host: '127.0.0.1',
        user: 'core',
        port: 53_685,
        socket: '/run/user/501/podman/podman.sock',
      },
    ],
    ['ssh://h/a%20b/x.sock', { host: 'h', socket: '/a b/x.sock' }],
    ['ssh://h/a@b.sock', { host: 'h', socket: '/a@b.sock' }],
  ];
  for (const [text, parts] of ssh) {
    it(`reads ${text} as an ssh address`, () => {
      const endpoint = parseEndpoint(text, 'setting');
      assert.deepEqual(endpoint, {
        url: text,
        transport: { kind: 'ssh', ...parts },
        source: 'setting',
      });
    });
  }

  const bad = [
    ...['', ' ', 'docker.sock', './docker.sock', '../x.sock', 'run/docker.sock', '~/docker.sock'],
    ...['unix://', 'unix://relative.sock', 'unix:/one/slash', 'unix:run/x.sock', 'file:///x.sock'],
    ...['npipe://', 'npipe://docker_engine', 'npipe:////./pipe/', 'C:\\docker.sock', '\\\\.\\pipe'],
    ...['tcp://', 'tcp://:2375', 'tcp://h:99999', 'tcp://h:port', 'tcp://my host', 'tcp://h:1:2'],
    ...['tcp://h?x=1', 'tcp://h#x', 'tcp://[::1', 'tcp://u@h', 'tcp://u:p@h', 'tcp://:p@h'],
    ...['http://h:2375', 'https://h', 'fd://', 'h', 'h:', 'h:1/base', 'a b:1'],
    ...['ssh://', 'ssh://u@', 'ssh://@h', 'ssh://u:p@h', 'ssh://u:@h', 'ssh://u@v@h', 'ssh:h'],
    ...['ssh://h:0', 'ssh://h:65536', 'ssh://h:', 'ssh://h:ssh', 'ssh://h?x=1', 'ssh://h#x'],
    ...['ssh://h/x?y', 'ssh://h/x#y', 'ssh://[::1', 'ssh://[h]', 'ssh://::1', 'ssh://h\\x'],
    // Signs that could start an option, a second word, a command or a token of ssh.
    ...['ssh://-h', 'ssh://-oProxyCommand=x', 'ssh://-l@h', 'ssh://u@-h', 'ssh://u@-oX=y/x.sock'],
    ...'`$;|&<(\'"*!%\\ \t\n\0'
      .split('')
      .flatMap((sign) => [
        `ssh://h${sign}id`,
        `ssh://u${sign}id@h`,
        `ssh://h/a${sign.trim()}%00.sock`,
      ]),
    ...['ssh://h/a:b.sock', "ssh://h/a'b", 'ssh://h/a%27b', 'ssh://h/$(id)', 'ssh://h/a;b'],
    ...['ssh://h/a%24b', 'ssh://h/a%00b', 'ssh://h/%zz', 'ssh://h/a%0Ab'],
  ];
  for (const text of bad) {
    it(`rejects ${JSON.stringify(text)}`, () => assert.equal(problem(text).reason, 'badEndpoint'));
  }

  it('includes the rejected address in the error, but no user name and no password', () => {
    assert.equal(problem('http://h:2375').message, 'http://h:2375');
    for (const text of [
      'tcp://me:s3cret@h',
      'ssh://me:s3cret@h/x',
      'me:s3cret@h:1',
      'ssh://a:/s3cret@h',
    ]) {
      const { message, endpoint } = problem(text);
      assert(!`${message} ${endpoint ?? ''}`.includes('s3cret'), message);
      assert.match(message, /…@h/);
    }
  });

  it('includes neither a query nor control characters in the error', () => {
    assert.equal(problem('tcp://h?token=s3cret').message, 'tcp://h?…');
    assert.equal(problem('http://h\u001b[2J').message, 'http://h�[2J');
  });
});

describe('exposureOf', () => {
  const here = [
    '/x.sock',
    'npipe:////./pipe/x',
    'tcp://localhost',
    'tcp://127.1.2.3',
    'tcp://[::1]',
  ];
  for (const text of [...here, 'tcp://LOCALHOST:1', 'tcp://127.1']) {
    it(`returns undefined for ${text}`, () => {
      const endpoint = parseEndpoint(text, 'setting');
      assert.equal(exposureOf(endpoint), undefined);
    });
  }

  const there = ['tcp://10.0.0.1', 'tcp://example.org:2375', 'tcp://localhost.example.org'];
  for (const text of [
    ...there,
    'tcp://128.0.0.1',
    'tcp://127.0.0.1.example.org',
    'tcp://[fe80::1]',
  ]) {
    it(`returns plain for ${text}`, () => {
      const endpoint = parseEndpoint(text, 'setting');
      assert.equal(exposureOf(endpoint), 'plain');
    });
  }

  it('returns unchecked for TLS without verification, except on the local machine', () => {
    const exposed = (host: string, verify: boolean): unknown =>
      exposureOf(parseEndpoint(host, 'setting', { verify }));
    assert.equal(exposed('tcp://h', true), undefined);
    assert.equal(exposed('tcp://h', false), 'unchecked');
    assert.equal(exposed('tcp://localhost', false), undefined);
  });
});
