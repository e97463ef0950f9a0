import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEndpoint } from '../../../../src/engine/discovery/endpoint.ts';
import {
  EngineError,
  failedWith,
  isConnectionFailure,
  type FailureReason,
} from '../../../../src/engine/errors.ts';
import { connectionFailure } from '../../../../src/engine/http/connectionFailure.ts';
import { failure, openLab, type Lab } from '../../support/lab.ts';

describe('engine/failures: connectionFailure', () => {
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
    it(`makes ${code || 'an error without a code'} ${reason}`, async () => {
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
    it(`takes a ${syscall} that fails for the network for a cut, and a connect for none`, async () => {
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
    it(`makes a machine whose addresses fail with ${each.join(' and ') || 'nothing'} ${reason}`, async () => {
      const errors = each.map((code) => Object.assign(new Error(code), { code }));
      const thrown = new AggregateError(errors, 'all of them');
      assert.equal((await connectionFailure(thrown, endpoint, 'GET /x')).reason, reason);
    });
  }

  it('leaves an EngineError as it is, and takes whatever else is thrown', async () => {
    const own = new EngineError('tooLarge');
    assert.equal(await connectionFailure(own, endpoint, 'GET /x'), own);
    assert.equal((await connectionFailure('odd', endpoint, 'GET /x')).message, 'odd');
  });

  it('is a failure of the way to the engine, except where the way broke off', async () => {
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

describe('engine/failures: where no engine listens', () => {
  let lab: Lab;
  let folder: string;
  beforeEach(() => {
    lab = openLab();
    folder = mkdtempSync(join(tmpdir(), 'gantry-paths-'));
  });
  afterEach(async () => {
    await lab.close();
    rmSync(folder, { recursive: true });
  });

  const paths: [what: string, reason: FailureReason, make: () => string | Promise<string>][] = [
    ['nothing', 'socketAbsent', () => join(folder, 'none')],
    ['no folder', 'socketAbsent', () => join(folder, 'none', 'engine.sock')],
    ['a folder', 'notASocket', () => folder],
    ['the root', 'notASocket', () => '/'],
    [
      'a plain file',
      'notASocket',
      () => {
        writeFileSync(join(folder, 'file'), '');
        return join(folder, 'file');
      },
    ],
    [
      'something below a plain file',
      'socketAbsent',
      () => {
        writeFileSync(join(folder, 'file'), '');
        return join(folder, 'file', 'engine.sock');
      },
    ],
    ['a socket that nobody holds', 'refused', () => abandonedSocket(folder)],
    ['a path longer than a socket’s may be', 'badEndpoint', () => join(folder, 'x'.repeat(200))],
  ];
  for (const [what, reason, make] of paths) {
    it(`but ${what} is, a request says ${reason}`, async () => {
      const path = await make();
      const error = await failure(lab.connect(path).info(), reason);
      assert.equal(error.endpoint, `unix://${path}`);
    });
  }

  it('a tcp port without a listener says refused', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    await failure(lab.connect(`tcp://127.0.0.1:${port}`).info(), 'refused');
  });
});

/** A socket file whose listener is gone, as a crashed engine leaves it. */
async function abandonedSocket(folder: string): Promise<string> {
  const { spawnSync } = await import('node:child_process');
  const path = join(folder, 'left.sock');
  const code = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 9))`;
  spawnSync(process.execPath, ['-e', code]);
  return path;
}
