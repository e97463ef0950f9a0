// What the bundle leaves out of undici.
import { createRequire } from 'node:module';
import { brotliCompressSync } from 'node:zlib';
import { ERROR, TYPE } from 'undici/lib/llhttp/constants.js';

const require = createRequire(import.meta.url);

/** The channels that are used. */
export const CHANNELS = [
  ...['beforeConnect', 'connected', 'connectError', 'create', 'sendHeaders', 'bodyChunkSent'],
  ...['bodySent', 'headers', 'bodyChunkReceived', 'trailers', 'error'],
];

/**
 * What stands for files of undici in the bundle. Never used are:
 *
 * - HTTP/2 (`allowH2: false`), which would also load Node's own `http2`;
 * - undici's own way to connect (`connect` is a function, see `pools.ts`);
 * - bodies of `FormData`, for which undici brings most of `fetch`;
 * - the parser for processors without SIMD: VS Code has no build for such a processor. An environment variable can ask
 *   for it, and then gets the other one;
 * - most constants of the parser;
 * - the search tree of header names, which takes milliseconds to build: without it, names are put in lower case;
 * - the channels by which any other extension in the process could read each request, with its secrets.
 *
 * The parser itself is the same, but compressed.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const STUBS = {
  'lib/core/connect.js': `module.exports = ${functionThatThrows('connector')};`,
  'lib/core/diagnostics.js': silentChannels(),
  'lib/core/tree.js': 'exports.tree = { lookup: () => undefined };',
  'lib/dispatcher/client-h2.js': `module.exports = ${functionThatThrows('HTTP/2')};`,
  'lib/web/fetch/body.js': `exports.extractBody = ${functionThatThrows('FormData')};`,
  'lib/web/fetch/formdata.js': '',
  'lib/web/webidl/index.js': 'exports.webidl = { is: { FormData: () => false } };',
  'lib/llhttp/constants.js': parserConstants(),
  'lib/llhttp/llhttp-wasm.js': "module.exports = require('./llhttp_simd-wasm.js');",
  get 'lib/llhttp/llhttp_simd-wasm.js'() {
    return compressedParser();
  },
};

/** @param {string} what */
function functionThatThrows(what) {
  return `() => { throw new Error('This bundle has no ${what}'); }`;
}

function silentChannels() {
  const silent = CHANNELS.map((name) => [name, { hasSubscribers: false }]);
  return `exports.channels = ${JSON.stringify(Object.fromEntries(silent))};`;
}

function parserConstants() {
  return `exports.ERROR = ${JSON.stringify(ERROR)}; exports.TYPE = ${JSON.stringify(TYPE)};`;
}

function compressedParser() {
  /** @type {unknown} */
  const parser = require('undici/lib/llhttp/llhttp_simd-wasm.js');
  if (!Buffer.isBuffer(parser)) throw new Error('The parser of undici is not a buffer');
  const text = brotliCompressSync(parser).toString('base64');
  return `const { brotliDecompressSync } = require('node:zlib');
module.exports = brotliDecompressSync(Buffer.from('${text}', 'base64'));`;
}

const IN_UNDICI = /node_modules[\\/]undici[\\/](lib[\\/].+)$/;

/**
 * Leaves out of the bundle what `STUBS` stands for.
 *
 * @type {import('esbuild').Plugin}
 */
export const leanUndici = {
  name: 'lean-undici',
  setup(build) {
    // As undici's own build for Node has it: leaves out a second parser, which only a flag would turn on.
    build.initialOptions.define = { esbuildDetection: '1' };
    build.onLoad({ filter: IN_UNDICI }, ({ path }) => {
      const contents = STUBS[IN_UNDICI.exec(path)?.[1]?.replaceAll('\\', '/') ?? ''];
      return contents === undefined ? undefined : { contents };
    });
  },
};
