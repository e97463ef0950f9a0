// What the bundle leaves out of yaml.
import { readFileSync } from 'node:fs';

/** What `composeNodes.ts` uses: all that is not reached from here is left out. */
export const USED = [
  ...['Composer', 'Lexer', 'Parser'],
  ...['isAlias', 'isMap', 'isNode', 'isScalar', 'isSeq'],
];

const IN_YAML =
  /node_modules[\\/]yaml[\\/]browser[\\/](index|dist[\\/]schema[\\/]tags|dist[\\/]stringify[\\/]\w+)\.js$/;

/** In place of the schemas of YAML 1.1 and JSON: Compose reads files as YAML 1.2, whatever they say. */
const TAGS = `
  import { schema } from './core/schema.js';
  import { merge } from './yaml-1.1/merge.js';
  export const coreKnownTags = { 'tag:yaml.org,2002:merge': merge };
  export const getTags = (_tags, _name, hasMerge) => (hasMerge ? [...schema, merge] : [...schema]);`;

/**
 * Leaves out of the bundle what writes YAML, and the schemas that no compose file uses: files are only read.
 *
 * @type {import('esbuild').Plugin}
 */
export const leanYaml = {
  name: 'lean-yaml',
  setup(build) {
    build.onLoad({ filter: IN_YAML, namespace: 'file' }, ({ path }) => ({
      contents: contentsOf(path),
    }));
  },
};

/** @param {string} path */
function contentsOf(path) {
  if (path.endsWith('index.js')) return `export { ${USED.join()} } from './dist/index.js';`;
  return path.endsWith('tags.js') ? TAGS : stubsOf(readFileSync(path, 'utf8'));
}

/** Returns what has the same names as a file, and fails when it is used. @param {string} source */
function stubsOf(source) {
  const [, names = ''] = /^export \{(.*)\};$/m.exec(source) ?? [];
  const fail = `() => { throw new Error('This bundle does not write YAML'); }`;
  return names
    .split(',')
    .map((name) => `export const ${name.trim()} = ${fail};`)
    .join('\n');
}
