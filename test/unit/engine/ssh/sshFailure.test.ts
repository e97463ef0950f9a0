import assert from 'node:assert/strict';
import type { FailureReason } from '../../../../src/engine/errors.ts';
import { dialFailure, sshFailure } from '../../../../src/engine/ssh/sshFailure.ts';

const URL = 'ssh://nas';

describe('the reason of an ssh failure', () => {
  const connect = 'ssh: connect to host nas port 22:';
  const strict = 'and you have requested strict checking.';
  const closed = 'Connection closed by 10.0.0.1 port 22';
  const many = 'Received disconnect from 10.0.0.1 port 22:2: Too many authentication failures';
  const changed = '    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     ';
  /** The reason, the line that is its message, and the lines before and after it. */
  const said: [reason: FailureReason, message: string, before?: string, after?: string][] = [
    ['hostUnknown', 'ssh: Could not resolve hostname nas: Name or service not known'],
    ['refused', `${connect} Connection refused`],
    ['connectTimeout', `${connect} Connection timed out`],
    ['connectTimeout', `${connect} Operation timed out`],
    [
      'connectTimeout',
      'Connection to 10.0.0.1 port 22 timed out',
      'Connection timed out during banner exchange\r\n',
    ],
    ['connectTimeout', 'Timeout, server nas not responding.'],
    ['unreachable', `${connect} No route to host`],
    ['unreachable', `${connect} Network is unreachable`],
    [
      'sshHostKey',
      `Host key for nas has changed ${strict}`,
      `@@@@@@@@\r\n@${changed}@\r\n@@@@@@@@\r\n`,
      'Host key verification failed.\r\n',
    ],
    [
      'sshHostKey',
      `No ED25519 host key is known for nas ${strict}`,
      '',
      'Host key verification failed.\r\n',
    ],
    ['sshHostKey', 'Host key verification failed.'],
    [
      'sshRefused',
      'me@nas: Permission denied (publickey,password).',
      'Permission denied, please try again.\r\n',
    ],
    ['sshRefused', many, '', 'Disconnected from 10.0.0.1 port 22\r\n'],
    ['sshFailed', closed, 'kex_exchange_identification: Connection closed by remote host\r\n'],
    ['sshFailed', '/home/me/.ssh/config: line 3: Bad configuration option: nonsense'],
  ];
  for (const [reason, message, before = '', after = ''] of said) {
    it(`is ${reason} for ${JSON.stringify(message)}`, () => {
      for (const end of ['', '\r\n']) {
        const stderr = `${before}${message}${after === '' ? end : `\r\n${after}`}`;
        const error = sshFailure({ code: 255, stderr }, URL);
        assert.equal(error.reason, reason);
        assert.equal(error.engineMessage, message);
        assert.equal(error.endpoint, URL);
      }
    });
  }

  it('is sshFailed without any output', () => {
    const { reason, engineMessage } = sshFailure({ code: 255, stderr: '' }, URL);
    assert.deepEqual([reason, engineMessage], ['sshFailed', 'ssh: 255']);
  });

  it('is read from the end, because a banner can contain anything', () => {
    const stderr =
      'trap: Permission denied (publickey).\nssh: connect to host b port 22: Connection refused\n';
    assert.equal(sshFailure({ code: 255, stderr }, URL).reason, 'refused');
  });

  it('is sshMissing if the program does not exist', () => {
    const end = { code: null, spawnError: 'ENOENT', stderr: '' };
    assert.equal(sshFailure(end, URL).reason, 'sshMissing');
    assert.equal(sshFailure({ ...end, spawnError: 'EACCES' }, URL).engineMessage, 'EACCES');
  });

  it('has a sanitized message of limited length', () => {
    const stderr = `\u001b[31mred\u0007\u202eback${'x'.repeat(100_000)}\n`;
    const { engineMessage = '' } = sshFailure({ code: 255, stderr }, URL);
    assert.match(engineMessage, /^red backx+…$/);
    assert(engineMessage.length < 1000);
  });
});

describe('the reason of a dial-stdio failure', () => {
  const said: [code: number, stderr: string, reason: FailureReason][] = [
    [127, 'docker: command not found\n', 'sshNoForwarding'],
    [1, '', 'sshNoForwarding'],
    [
      1,
      'unable to open connection: dial unix /x.sock: connect: permission denied\n',
      'permissionDenied',
    ],
    [1, 'dial unix /x.sock: connect: no such file or directory\n', 'sshSocketMissing'],
    [1, 'dial unix /x.sock: connect: connection refused\n', 'refused'],
    [
      1,
      'Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?\n',
      'refused',
    ],
    [255, 'ssh: connect to host nas port 22: Connection refused\n', 'refused'],
    [255, 'me@nas: Permission denied (publickey).\n', 'sshRefused'],
    [255, 'mux_client_request_session: session request failed\n', 'sshFailed'],
  ];
  for (const [code, stderr, reason] of said) {
    it(`is ${reason} for ${JSON.stringify(stderr)} (${code})`, () => {
      assert.equal(dialFailure({ code, stderr }, URL).reason, reason);
    });
  }
});
