import assert from 'node:assert/strict';
import { failedWith } from '../../../../src/engine/errors.ts';
import type { SshTransport } from '../../../../src/engine/http/endpoint.ts';
import {
  canForward,
  checkTransport,
  forwardArguments,
  loginArguments,
  sessionArguments,
  formatTarget,
} from '../../../../src/engine/ssh/sshArguments.ts';

describe('ssh arguments', () => {
  it('have the host after the end of the options, and the command after the host', () => {
    const transport = { kind: 'ssh', host: 'nas', user: 'me', port: 2222 } as const;
    for (const control of ['/t/c', undefined]) {
      const args = loginArguments(transport, 'run', control);
      assert.deepEqual(args.slice(-3), ['--', 'nas', 'run']);
      assert.deepEqual(args.slice(-7, -3), ['-l', 'me', '-p', '2222']);
    }
    assert.deepEqual(sessionArguments('/t/c', 'nas', 'run').slice(-3), ['--', 'nas', 'run']);
    const sockets = { local: '/t/e', remote: '/r/s' };
    const forward = forwardArguments('forward', { control: '/t/c', host: 'nas', sockets });
    assert.deepEqual(forward.slice(-4), ['-L', '/t/e:/r/s', '--', 'nas']);
  });

  it('leave user and port to the configuration if the address has none', () => {
    const args = loginArguments({ kind: 'ssh', host: 'nas' }, 'run', '/t/c');
    assert(!args.includes('-l') && !args.includes('-p'));
  });

  it('include the identity file of the address', () => {
    const identity = '/home/me/key';
    const args = loginArguments({ kind: 'ssh', host: 'nas', identity }, 'run', '/t/c');
    assert.deepEqual(args.slice(-5), ['-i', identity, '--', 'nas', 'run']);
  });

  it('turn off questions if each connection logs in', () => {
    const alone = loginArguments({ kind: 'ssh', host: 'nas' }, 'run', undefined);
    const shared = loginArguments({ kind: 'ssh', host: 'nas' }, 'run', '/t/c');
    assert(alone.includes('BatchMode=yes') && !shared.includes('BatchMode=yes'));
    assert(shared.includes('ControlPath=/t/c'));
  });

  it("detect a dead connection, and ignore forwards of the user's configuration", () => {
    const args = loginArguments({ kind: 'ssh', host: 'nas' }, 'run', '/t/c');
    for (const one of [
      'ServerAliveInterval=15',
      'ConnectTimeout=30',
      'ExitOnForwardFailure=yes',
      'ClearAllForwardings=yes',
    ])
      assert(args.includes(one), one);
  });

  it("prevent a new login without the user's configuration", () => {
    assert(sessionArguments('/t/c', 'nas', 'run').includes('ProxyCommand=exit 1'));
  });
});

describe('an ssh address', () => {
  const refused: Partial<SshTransport>[] = [
    { host: '' },
    { host: '-oProxyCommand=touch /tmp/x' },
    { host: 'a b' },
    { host: 'a;b' },
    { host: '$(b)' },
    { host: '`b`' },
    { host: 'a\nb' },
    { host: 'me@nas' },
    { host: '../x' },
    { user: '-v' },
    { user: '' },
    { user: 'a|b' },
    { user: 'a\0' },
    { port: 0 },
    { port: 65_536 },
    { port: 1.5 },
    { socket: 'run/x.sock' },
    { socket: '/run/x:/etc' },
    { socket: '/run/%h' },
    { socket: '/run/$HOME' },
    { socket: '/run/[x]' },
    { socket: '/run/x\\' },
    { socket: '/run/x\n' },
    { socket: `/${'x'.repeat(100)}` },
  ];
  for (const part of refused) {
    it(`is rejected with ${JSON.stringify(part)}`, () => {
      assert.throws(
        () => checkTransport({ kind: 'ssh', host: 'nas', ...part }, 'ssh://shown'),
        (error) => failedWith(error, 'badEndpoint') && error.endpoint === 'ssh://shown',
      );
    });
  }

  const taken: Partial<SshTransport>[] = [
    { host: 'nas.example.org' },
    { host: 'my_alias-1' },
    { host: '::1' },
    { host: 'fe80::1%eth0' },
    { host: 'häuschen' },
    { user: 'CORP\\me' },
    { user: 'me@corp.example' },
    { port: 65_535 },
    { socket: '/run/user/1000/docker.sock' },
    { socket: '/run/with space/docker.sock' },
  ];
  for (const part of taken) {
    it(`is accepted with ${JSON.stringify(part)}`, () => {
      checkTransport({ kind: 'ssh', host: 'nas', ...part }, 'ssh://shown');
    });
  }

  it('is formatted as user@host:port', () => {
    assert.equal(formatTarget({ kind: 'ssh', host: 'nas' }), 'nas');
    assert.equal(formatTarget({ kind: 'ssh', host: 'nas', user: 'me', port: 22 }), 'me@nas:22');
  });

  it('has a path within the limit of a socket path in bytes', () => {
    assert(canForward(`/${'x'.repeat(99)}`));
    assert(!canForward(`/${'ä'.repeat(60)}`));
  });
});
