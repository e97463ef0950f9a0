import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';

import { Secret } from '../../../src/base/secret.ts';
import { until } from '../../bed/until.ts';
import { CredentialHelpers, type HelperResult } from '../../../src/registries/credentialHelpers.ts';

const SECRET = 'canary-of-a-helper';

describe('registries: a credential helper', function () {
  this.timeout(20_000);
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-helpers-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** Installs a helper in the folder. `body` can use `verb` and `input`. */
  const put = (name: string, body: string): void => {
    const file = join(folder, `docker-credential-${name}`);
    const read = `const verb = process.argv[2]; const input = require('fs').readFileSync(0, 'utf8');`;
    writeFileSync(file, `#!${process.execPath}\n${read}\n${body}\n`);
    chmodSync(file, 0o755);
  };
  const helpers = (limitMs?: number): CredentialHelpers =>
    new CredentialHelpers({
      env: { PATH: `${folder}:${dirname(process.execPath)}` },
      ...(limitMs !== undefined && { limitMs }),
    });
  const get = (name: string, limitMs?: number): Promise<HelperResult> =>
    helpers(limitMs).get(name, 'r.io');

  it('gets the unchanged key and returns the user name and secret', async () => {
    put(
      'good',
      `console.log(JSON.stringify({ ServerURL: input, Username: verb + ' ' + input, Secret: '${SECRET}' }));`,
    );
    const answer = await get('good');
    assert.equal(answer.kind, 'found');
    assert.equal(answer.username, 'get r.io');
    assert.equal(answer.secret.reveal(), SECRET);
    assert.doesNotMatch(inspect(answer, { depth: null, showHidden: true }), /canary/);
  });

  it('has no credentials if it responds with the message of the protocol', async () => {
    put('none', `console.log('credentials not found in native keychain'); process.exit(1);`);
    assert.deepEqual(await get('none'), { kind: 'notFound' });
    assert.equal(await helpers().erase('none', 'r.io'), undefined);
  });

  it('is missing if there is no such program', async () => {
    assert.deepEqual(await get('nowhere'), { kind: 'missing' });
  });

  it('fails if it is not executable', async () => {
    put('locked', '');
    chmodSync(join(folder, 'docker-credential-locked'), 0o644);
    assert.deepEqual(await get('locked'), { kind: 'failed' });
  });

  it('fails if it cannot be spawned', async () => {
    const unstartable = new CredentialHelpers({ env: { PATH: folder, WRONG: 'a\0b' } });
    assert.deepEqual(await unstartable.get('any', 'r.io'), { kind: 'failed' });
  });

  it('fails without its output being reported', async () => {
    put('bad', `console.log('${SECRET}'); console.error('${SECRET}'); process.exit(3);`);
    assert.deepEqual(await get('bad'), { kind: 'failed' });
  });

  it('fails if it exits without reading its input', async () => {
    const file = join(folder, 'docker-credential-deaf');
    writeFileSync(file, '#!/bin/sh\nexit 1\n');
    chmodSync(file, 0o755);
    assert.deepEqual(await get('deaf'), { kind: 'failed' });
  });

  const rubbish: [what: string, output: string][] = [
    ['is empty', ''],
    ['is not JSON', SECRET],
    ['is incomplete JSON', `{"Username":"a","Secret":"${SECRET}`],
    ['is a JSON array', '[1]'],
    ['is null', 'null'],
    ['has no user name', `{"Secret":"${SECRET}"}`],
    ['has no secret', '{"Username":"a"}'],
    ['has a secret that is not a string', '{"Username":"a","Secret":{"a":1}}'],
  ];
  for (const [what, output] of rubbish) {
    it(`is reported as invalid if its output ${what}`, async () => {
      put('rubbish', `process.stdout.write(${JSON.stringify(output)});`);
      assert.deepEqual(await get('rubbish'), { kind: 'rubbish' });
    });
  }

  it('is stopped if its output is too large', async () => {
    put(
      'flood',
      `const part = 'x'.repeat(65536); const go = () => process.stdout.write(part, go); go();`,
    );
    assert.deepEqual(await get('flood'), { kind: 'tooMuch' });
  });

  it('is not waited for past the time limit', async () => {
    put('hung', 'setInterval(() => {}, 9e5);');
    assert.deepEqual(await get('hung', 50), { kind: 'slow' });
  });

  it('is killed with its child processes on cancellation', async () => {
    const told = join(folder, 'pids');
    const child = `require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 9e5)'], { stdio: 'inherit' })`;
    put(
      'patient',
      `const fs = require('fs'); fs.writeFileSync('${told}~', process.pid + ' ' + ${child}.pid);
      fs.renameSync('${told}~', '${told}'); setInterval(() => {}, 9e5);`,
    );
    const controller = new AbortController();
    const asked = helpers().get('patient', 'r.io', controller.signal);
    await until(() => existsSync(told), 'it has started', 15_000);
    controller.abort();
    await assert.rejects(asked, { name: 'AbortError' });
    const pids = readFileSync(told, 'utf8').split(' ').map(Number);
    assert.ok(pids.length === 2 && pids.every((pid) => pid > 1));
    await until(() => !pids.some(isAlive), 'all are gone', 15_000);
  });

  it('is not started if already canceled', async () => {
    await assert.rejects(helpers().get('good', 'r.io', AbortSignal.abort()), {
      name: 'AbortError',
    });
  });

  it('gets credentials to store on stdin, never as arguments', async () => {
    const told = join(folder, 'told');
    put(
      'keeper',
      `require('fs').writeFileSync(${JSON.stringify(told)}, JSON.stringify([process.argv.slice(2), input, Object.values(process.env).join()]));`,
    );
    const entry = { username: 'alice', secret: new Secret(SECRET) };
    assert.equal(await helpers().store('keeper', 'r.io', entry), undefined);
    const [args, input, env] = JSON.parse(readFileSync(told, 'utf8')) as [string[], string, string];
    assert.deepEqual(args, ['store']);
    assert.deepEqual(JSON.parse(input), {
      ServerURL: 'r.io',
      Username: 'alice',
      Secret: SECRET,
    });
    assert.ok(!env.includes(SECRET));
    assert.equal(await helpers().erase('keeper', 'r.io'), undefined);
    assert.match(readFileSync(told, 'utf8'), /^\[\["erase"\],"r\.io",/);
    assert.equal(await helpers().store('nowhere', 'r.io', entry), 'missing');
    assert.equal(await helpers().store('bad', 'r.io', entry), 'failed');
  });

  it('is never looked up by a path', async () => {
    for (const name of ['../x', '/bin/true', ''])
      assert.deepEqual(await get(name), { kind: 'missing' });
  });
});

/** Returns whether a process is running. A zombie is not. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
