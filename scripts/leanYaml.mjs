// What the bundle leaves out of yaml.
import { readFileSync } from 'node:fs';

/** What `composeNodes.ts` uses: all that is not reached from here is left out. */
export const USED = [
  ...['Composer', 'Lexer', 'Parser'],
  ...['isAlias', 'isMap', 'isNode', 'isScalar', 'isSeq'],
];

const IN_YAML = /node_modules[\\/]yaml[\\/]browser[\\/](index|dist[\\/]stringify[\\/]\w+)\.js$/;

/**
 * Leaves out of the bundle what writes YAML: files are only read.
 *
 * @type {import('esbuild').Plugin}
 */
export const leanYaml = {
  name: 'lean-yaml',
  setup(build) {
    build.onLoad({ filter: IN_YAML, namespace: 'file' }, ({ path }) => ({
      contents: path.endsWith('index.js')
        ? `export { ${USED.join()} } from './dist/index.js';`
        : stubsOf(readFileSync(path, 'utf8')),
    }));
  },
};

/** Returns what has the same names as a file, and fails when it is used. @param {string} source */
function stubsOf(source) {
  const [, names = ''] = /^export \{(.*)\};$/m.exec(source) ?? [];
  const fail = `() => { throw new Error('This bundle does not write YAML'); }`;
  return names
    .split(',')
    .map((name) => `export const ${name.trim()} = ${fail};`)
    .join('\n');
}
