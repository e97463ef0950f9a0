import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';

import { Secret } from '../../../src/engine/secret.ts';
import { until } from '../../bed/http.ts';
import { CredentialHelpers, type HelperResult } from '../../../src/registries/credentialHelpers.ts';

const SECRET = 'canary-of-a-helper';

describe('registries: a helper program', function () {
  this.timeout(20_000);
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-helpers-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  /** Puts a helper into the folder; `body` has `verb` and `input`. */
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

  it('gets the key as it is, and answers with name and secret', async () => {
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

  it('has nothing where it says so in the words of the protocol', async () => {
    put('none', `console.log('credentials not found in native keychain'); process.exit(1);`);
    assert.deepEqual(await get('none'), { kind: 'notFound' });
    assert.equal(await helpers().erase('none', 'r.io'), undefined);
  });

  it('that is not there is missing', async () => {
    assert.deepEqual(await get('nowhere'), { kind: 'missing' });
  });

  it('that may not be run has failed', async () => {
    put('locked', '');
    chmodSync(join(folder, 'docker-credential-locked'), 0o644);
    assert.deepEqual(await get('locked'), { kind: 'failed' });
  });

  it('that cannot even be started has failed', async () => {
    const unstartable = new CredentialHelpers({ env: { PATH: folder, WRONG: 'a\0b' } });
    assert.deepEqual(await unstartable.get('any', 'r.io'), { kind: 'failed' });
  });

  it('that fails is not quoted', async () => {
    put('bad', `console.log('${SECRET}'); console.error('${SECRET}'); process.exit(3);`);
    assert.deepEqual(await get('bad'), { kind: 'failed' });
  });

  it('that ends without reading is no trouble of its own', async () => {
    const file = join(folder, 'docker-credential-deaf');
    writeFileSync(file, '#!/bin/sh\nexit 1\n');
    chmodSync(file, 0o755);
    assert.deepEqual(await get('deaf'), { kind: 'failed' });
  });

  const rubbish: [what: string, output: string][] = [
    ['nothing', ''],
    ['no JSON', SECRET],
    ['half a JSON', `{"Username":"a","Secret":"${SECRET}`],
    ['a list', '[1]'],
    ['null', 'null'],
    ['no name', `{"Secret":"${SECRET}"}`],
    ['no secret', '{"Username":"a"}'],
    ['a secret that is no text', '{"Username":"a","Secret":{"a":1}}'],
  ];
  for (const [what, output] of rubbish) {
    it(`that says ${what} says rubbish`, async () => {
      put('rubbish', `process.stdout.write(${JSON.stringify(output)});`);
      assert.deepEqual(await get('rubbish'), { kind: 'rubbish' });
    });
  }

  it('that says too much is ended', async () => {
    put(
      'flood',
      `const part = 'x'.repeat(65536); const go = () => process.stdout.write(part, go); go();`,
    );
    assert.deepEqual(await get('flood'), { kind: 'tooMuch' });
  });

  it('that hangs is not waited for', async () => {
    put('hung', 'setInterval(() => {}, 9e5);');
    assert.deepEqual(await get('hung', 50), { kind: 'slow' });
  });

  it('is ended with all that it has started', async () => {
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

  it('is not started for who has left', async () => {
    await assert.rejects(helpers().get('good', 'r.io', AbortSignal.abort()), {
      name: 'AbortError',
    });
  });

  it('is handed what it is to keep by its input, and never by its arguments', async () => {
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

  it('is never found by a path', async () => {
    for (const name of ['../x', '/bin/true', ''])
      assert.deepEqual(await get(name), { kind: 'missing' });
  });
});

/** Whether there is such a process; one that is dead and not yet buried is none. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
