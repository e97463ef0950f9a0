// What the bundle leaves out of undici.

/**
 * What stands for files of undici that Gantry never uses:
 *
 * - HTTP/2 (`allowH2: false`), which would also load Node's own `http2`;
 * - bodies of `FormData`, for which undici brings most of `fetch`;
 * - the parser for processors without SIMD. VS Code has no build for such a processor.
 *
 * Each throws if it is used, except for the parser: an environment variable selects it.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const STUBS = {
  'lib/dispatcher/client-h2.js': unused('HTTP/2'),
  'lib/web/fetch/body.js': `exports.extractBody = ${functionThatThrows('FormData')};`,
  'lib/web/fetch/formdata.js': '',
  'lib/web/webidl/index.js': 'exports.webidl = { is: { FormData: () => false } };',
  'lib/llhttp/llhttp-wasm.js': "module.exports = require('./llhttp_simd-wasm.js');",
};

/** @param {string} what */
function functionThatThrows(what) {
  return `() => { throw new Error('This bundle has no ${what}'); }`;
}

/** @param {string} what */
function unused(what) {
  return `module.exports = ${functionThatThrows(what)};`;
}

const IN_UNDICI = /node_modules[\\/]undici[\\/](lib[\\/].+)$/;

/** Options for the bundler. */
export const leaner = {
  /** As undici's own build for Node has it: leaves out a second parser, which only a flag would turn on. */
  define: { esbuildDetection: '1' },
  plugin: {
    name: 'lean-undici',
    /** @param {string} id */
    load(id) {
      const path = IN_UNDICI.exec(id)?.[1]?.replaceAll('\\', '/') ?? '';
      return STUBS[path];
    },
  },
};
