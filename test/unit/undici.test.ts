import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { Pool } from 'undici';
import symbols from 'undici/lib/core/symbols.js';
import ImportedPool from 'undici/lib/dispatcher/pool.js';
import { forNode } from '../../scripts/bundles.mjs';
import { CHANNELS, STUBS } from '../../scripts/leanUndici.mjs';
import type * as http from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { bundled, filesOf } from './support/bundled.ts';
import { bytesOf, startRawEngine } from './support/rawEngine.ts';

const ROOT = join(import.meta.dirname, '../..');
const UNDICI = join(ROOT, 'node_modules/undici');

/** The files of undici in the bundle, besides those that are replaced. */
const FILES = [
  ...['constants', 'errors', 'request', 'symbols', 'util'].map((name) => `lib/core/${name}.js`),
  ...[
    'client',
    'client-h1',
    'dispatcher',
    'dispatcher-base',
    'fixed-queue',
    'pool',
    'pool-base',
  ].map((name) => `lib/dispatcher/${name}.js`),
  ...['stats', 'timers'].map((name) => `lib/util/${name}.js`),
];

/** All lines that need a file that is replaced, or that depend on `esbuildDetection`. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  'lib/core/request.js': [
    "const { channels } = require('./diagnostics.js')",
    "require('../web/fetch/formdata')",
    "isFormData = require('../web/webidl').webidl.is.FormData",
  ],
  'lib/core/util.js': ["const { tree } = require('./tree')"],
  'lib/dispatcher/pool.js': ["const buildConnector = require('../core/connect')"],
  'lib/dispatcher/client.js': [
    "const { channels } = require('../core/diagnostics.js')",
    "const buildConnector = require('../core/connect.js')",
    "const connectH2 = require('./client-h2.js')",
  ],
  'lib/dispatcher/client-h1.js': [
    "const { channels } = require('../core/diagnostics.js')",
    "const constants = require('../llhttp/constants.js')",
    "const { H1Parser, getMiloEnabled } = typeof esbuildDetection === 'undefined'",
    "const llhttpWasmData = process.env.JEST_WORKER_ID ? require('../llhttp/llhttp-wasm.js') : undefined",
    "mod = new WebAssembly.Module(require('../llhttp/llhttp_simd-wasm.js'))",
    "mod = new WebAssembly.Module(llhttpWasmData || require('../llhttp/llhttp-wasm.js'))",
    "socket[kParser] = typeof esbuildDetection === 'undefined' && (client[kUseMilo] ?? getMiloEnabled())",
    "extractBody = require('../web/fetch/body.js').extractBody",
  ],
};

const read = (file: string): string => readFileSync(join(UNDICI, file), 'utf8');

/** Returns whether a line of a file requires a file that is replaced. */
function needsStub(file: string, line: string): boolean {
  const [, path] = /require\('(\.[^']+)'\)/.exec(line) ?? [];
  if (path === undefined) return false;
  const to = posix.join(posix.dirname(file), path);
  return [to, `${to}.js`, `${to}/index.js`].some((one) => one in STUBS);
}

describe('undici', () => {
  it('is imported by two of its files, which have what its public pool is made of', () => {
    assert.equal(ImportedPool, Pool);
    assert.equal(typeof symbols.kQueuedAbort, 'symbol');
    assert.match(read('lib/dispatcher/client.js'), /\[kQueuedAbort\]/);
    assert.match(read('lib/dispatcher/pool-base.js'), /\[kQueuedAbort\]/);
  });

  it('is in the bundle with these files only', async function () {
    // Takes seconds on a busy machine.
    this.timeout(60_000);
    const modules = (await bundled()).flat().flatMap((file) => file.modules);
    const found = modules.flatMap((id) => /node_modules\/undici\/(.+)$/.exec(id)?.[1] ?? []);
    assert.deepEqual(found.sort(), [...FILES, ...Object.keys(STUBS)].sort());
  });

  it('needs what is replaced nowhere else', () => {
    for (const file of Object.keys(STUBS)) assert(existsSync(join(UNDICI, file)), file);
    const found = FILES.map((file): [string, string[]] => {
      const lines = read(file).split('\n');
      const isNeed = (line: string): boolean =>
        needsStub(file, line) || line.includes('esbuildDetection');
      return [file, lines.filter(isNeed).map((line) => line.trim())];
    });
    assert.deepEqual(Object.fromEntries(found.filter(([, lines]) => lines.length > 0)), NEEDS);
  });

  it('uses HTTP/2 only if it is agreed on, and FormData only for such a body', () => {
    assert.deepEqual(read('lib/dispatcher/client.js').match(/.*\bconnectH2\(.*/g), [
      '          ? connectH2(client, socket)',
    ]);
    assert.match(read('lib/dispatcher/client.js'), /alpnProtocol === 'h2'\n +\? connectH2\(/);
    assert.match(read('lib/dispatcher/client-h1.js'), /isFormDataLike\(body\)\) \{\n.*extractBody/);
    assert.equal(read('lib/dispatcher/client-h1.js').match(/extractBody\(/g)?.length, 1);
  });

  it('connects by itself only without a function, and finds header names without its tree', () => {
    for (const file of ['lib/dispatcher/pool.js', 'lib/dispatcher/client.js']) {
      assert.match(
        read(file),
        /if \(typeof connect !== 'function'\) \{\n +connect = buildConnector\(/,
      );
      assert.equal(read(file).match(/buildConnector\(/g)?.length, 1);
    }
    const uses = read('lib/core/util.js').match(/\btree\..*/g);
    const lowered = "tree.lookup(value) ?? value.toString('latin1').toLowerCase()";
    assert.deepEqual(uses, [lowered, lowered]);
  });

  it('uses these channels only', () => {
    const used = FILES.flatMap((file) => [...read(file).matchAll(/\bchannels\.(\w+)/g)]);
    assert.deepEqual(new Set(used.map(([, name]) => name)), new Set(CHANNELS));
  });

  it('uses two groups of constants of its parser', () => {
    const used = read('lib/dispatcher/client-h1.js').matchAll(/\bconstants\.(?!js')(\w+)/g);
    assert.deepEqual([...new Set([...used].map(([, name]) => name))].sort(), ['ERROR', 'TYPE']);
  });

  it('sends requests from the bundle, which nothing else sees, also if another parser is asked for', async function () {
    this.timeout(60_000);
    const folder = mkdtempSync(join(tmpdir(), 'gantry-undici-'));
    const engine = await startRawEngine((socket, head) => {
      const upgrade = { connection: 'Upgrade', upgrade: 'tcp' };
      if (head.includes('/attach')) socket.write(bytesOf('101 UPGRADED', upgrade, '[]'));
      else socket.write(bytesOf('200 OK', { 'content-length': '2' }, '[]'));
    });
    const asked = { UNDICI_NO_WASM_SIMD: '1', UNDICI_USE_MILO: '1', JEST_WORKER_ID: '1' };
    const published: unknown[] = [];
    const note = (message: unknown): unknown => published.push(message);
    subscribe('undici:client:sendHeaders', note);
    const before = process.env;
    process.env = { ...before, ...asked };
    try {
      const entry = join(folder, 'entry.ts');
      writeFileSync(entry, `export * from '${join(ROOT, 'src/engine/http/connection.ts')}';`);
      mkdirSync(join(folder, 'parts'));
      for (const { name, code } of await filesOf(forNode({ entry })))
        writeFileSync(join(folder, name), code);
      const { openConnection } = (await import(join(folder, 'entry.js'))) as typeof http;
      const connection = openConnection(parseEndpoint(engine.url, 'setting'));
      assert.equal((await connection.send({ method: 'POST', path: '/x' })).text, '[]');
      const stream = await connection.upgrade({ method: 'POST', path: '/attach' });
      for await (const bytes of stream.output) {
        assert.equal(Buffer.from(bytes).toString(), '[]');
        break;
      }
      connection.dispose();
      assert.deepEqual(published, []);
    } finally {
      unsubscribe('undici:client:sendHeaders', note);
      process.env = before;
      await engine.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
