// What the bundle has in place of packages by which tar-stream runs elsewhere than in Node.js.

/**
 * By the names of the packages: Node's own buffers and events. Never used is what decodes the texts of a stream.
 *
 * @type {Readonly<Record<string, string>>}
 */
const STUBS = {
  b4a: `
    const bufferOf = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    module.exports = {
      alloc: Buffer.alloc,
      byteLength: Buffer.byteLength,
      concat: Buffer.concat,
      copy: (from, to, start) => bufferOf(from).copy(to, start),
      equals: (one, other) => bufferOf(one).equals(other),
      from: Buffer.from,
      isBuffer: (value) => value instanceof Uint8Array,
      toString: (bytes, encoding) => bufferOf(bytes).toString(encoding),
      write: (bytes, text, start) => bufferOf(bytes).write(text, start),
    };`,
  'events-universal': `module.exports = require('events');`,
  'text-decoder': `module.exports = class { constructor() { throw new Error('This bundle decodes no texts'); } };`,
};

const NAMESPACE = 'of-node';

/**
 * Replaces these packages.
 *
 * @type {import('esbuild').Plugin}
 */
export const leanTar = {
  name: 'lean-tar',
  setup(build) {
    const names = Object.keys(STUBS).join('|');
    build.onResolve({ filter: new RegExp(`^(?:${names})$`) }, ({ path }) => ({
      path,
      namespace: NAMESPACE,
    }));
    build.onLoad({ filter: /./, namespace: NAMESPACE }, ({ path }) => ({ contents: STUBS[path] }));
  },
};
