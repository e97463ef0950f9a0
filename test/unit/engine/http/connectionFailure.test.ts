import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEndpoint } from '../../../../src/engine/http/endpoint.ts';
import {
  EngineError,
  failedWith,
  isConnectionFailure,
  type FailureReason,
} from '../../../../src/engine/errors.ts';
import { connectionFailure } from '../../../../src/engine/http/connectionFailure.ts';
import { failure, openLab, type Lab } from '../../support/lab.ts';

describe('connectionFailure', () => {
  const codes: [code: string, reason: FailureReason][] = [
    ['ENOENT', 'socketAbsent'],
    ['ENOTDIR', 'socketAbsent'],
    ['EACCES', 'permissionDenied'],
    ['EPERM', 'permissionDenied'],
    ['ECONNREFUSED', 'refused'],
    ['ENOTSOCK', 'notASocket'],
    ['EISDIR', 'notASocket'],
    ['ECONNRESET', 'cut'],
    ['EPIPE', 'cut'],
    ['UND_ERR_SOCKET', 'cut'],
    ['EHOSTUNREACH', 'unreachable'],
    ['ENETUNREACH', 'unreachable'],
    ['ECONNABORTED', 'cut'],
    ['ENOTFOUND', 'hostUnknown'],
    ['EAI_AGAIN', 'hostUnknown'],
    ['EAI_NONAME', 'hostUnknown'],
    ['ETIMEDOUT', 'connectTimeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'connectTimeout'],
    ['', 'unreachable'],
  ];
  const endpoint = parseEndpoint('/nowhere/engine.sock', 'setting');
  for (const [code, reason] of codes) {
    it(`maps ${code || 'an error without a code'} to ${reason}`, async () => {
      const thrown = Object.assign(new Error('the words'), code === '' ? {} : { code });
      const error = await connectionFailure(thrown, endpoint, 'GET /x');
      assert.equal(error.reason, reason);
      assert.equal(error.engineMessage, 'the words');
      assert.equal(error.endpoint, 'unix:///nowhere/engine.sock');
      assert.equal(error.operation, 'GET /x');
      assert.equal(error.cause, thrown);
    });
  }

  for (const syscall of ['read', 'write']) {
    it(`maps a network error of ${syscall} to cut, but not one of connect`, async () => {
      for (const code of ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETDOWN']) {
        const thrown = Object.assign(new Error(), { code, syscall });
        assert.equal((await connectionFailure(thrown, endpoint, 'GET /x')).reason, 'cut');
        thrown.syscall = 'connect';
        assert.notEqual((await connectionFailure(thrown, endpoint, 'GET /x')).reason, 'cut');
      }
    });
  }

  const several: [codes: string[], reason: FailureReason][] = [
    [['ECONNREFUSED', 'ECONNREFUSED'], 'refused'],
    [['ENETUNREACH', 'ECONNREFUSED'], 'refused'],
    [['EHOSTUNREACH', 'ETIMEDOUT'], 'connectTimeout'],
    [['ETIMEDOUT', 'ECONNREFUSED'], 'refused'],
    [['ENETUNREACH', 'EHOSTUNREACH'], 'unreachable'],
    [[], 'unreachable'],
  ];
  for (const [each, reason] of several) {
    it(`maps a host whose addresses fail with ${each.join(' and ') || 'no error'} to ${reason}`, async () => {
      const errors = each.map((code) => Object.assign(new Error(code), { code }));
      const thrown = new AggregateError(errors, 'all of them');
      assert.equal((await connectionFailure(thrown, endpoint, 'GET /x')).reason, reason);
    });
  }

  for (const url of ['/nowhere/engine.sock', 'ssh://engine.example']) {
    it(`recognizes a response that is not from an engine at ${url}`, async () => {
      const overflow = Object.assign(new Error(), { code: 'UND_ERR_HEADERS_OVERFLOW' });
      const garbage = Object.assign(new Error('Expected HTTP/'), { name: 'HTTPParserError' });
      for (const [thrown, reason] of [
        [overflow, 'tooLarge'],
        [garbage, 'notAnEngine'],
      ] as const) {
        const error = await connectionFailure(thrown, parseEndpoint(url, 'setting'), 'GET /x');
        assert.equal(error.reason, reason);
      }
    });
  }

  it('returns an EngineError unchanged and accepts any other thrown value', async () => {
    const own = new EngineError('tooLarge');
    assert.equal(await connectionFailure(own, endpoint, 'GET /x'), own);
    assert.equal((await connectionFailure('odd', endpoint, 'GET /x')).message, 'odd');
  });

  it('is a connection failure, unless the connection was cut', async () => {
    for (const [code, reason] of codes) {
      const error = await connectionFailure(
        Object.assign(new Error(), { code }),
        endpoint,
        'GET /x',
      );
      assert.equal(isConnectionFailure(error), reason !== 'cut', code);
    }
    assert(failedWith(new EngineError('cut'), 'timeout', 'cut'));
    assert(!failedWith(new EngineError('cut'), 'timeout'));
    assert(!failedWith(new Error('cut'), 'cut'));
  });
});

describe('a connection without an engine', () => {
  let lab: Lab;
  let folder: string;
  beforeEach(() => {
    lab = openLab();
    folder = mkdtempSync(join(tmpdir(), 'gantry-paths-'));
    writeFileSync(join(folder, 'file'), '');
  });
  afterEach(async () => {
    await lab.close();
    rmSync(folder, { recursive: true });
  });

  const paths: [what: string, reason: FailureReason, make: () => string | Promise<string>][] = [
    ['missing', 'socketAbsent', () => join(folder, 'none')],
    ['in a missing folder', 'socketAbsent', () => join(folder, 'none', 'engine.sock')],
    ['a folder', 'notASocket', () => folder],
    ['the root folder', 'notASocket', () => '/'],
    ['a regular file', 'notASocket', () => join(folder, 'file')],
    ['below a regular file', 'socketAbsent', () => join(folder, 'file', 'engine.sock')],
    ['a socket without a listener', 'refused', () => abandonedSocket(folder)],
    ['too long for a socket', 'badEndpoint', () => join(folder, 'x'.repeat(200))],
  ];
  for (const [what, reason, make] of paths) {
    it(`rejects with ${reason} if the path is ${what}`, async () => {
      const path = await make();
      const error = await failure(lab.connect(path).info(), reason);
      assert.equal(error.endpoint, `unix://${path}`);
    });
  }

  it('rejects with refused if nothing listens on a tcp port', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    await failure(lab.connect(`tcp://127.0.0.1:${port}`).info(), 'refused');
  });
});

/** Creates a socket file without a listener, as a crashed engine leaves it. */
async function abandonedSocket(folder: string): Promise<string> {
  const { spawnSync } = await import('node:child_process');
  const path = join(folder, 'left.sock');
  const code = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 9))`;
  spawnSync(process.execPath, ['-e', code]);
  return path;
}
