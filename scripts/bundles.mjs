// What `npm run build` bundles, and how.
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, resolve } from 'node:path';
import { root } from './install.mjs';
import { leanUndici } from './leanUndici.mjs';

/** @typedef {import('esbuild').BuildOptions & { readonly metafile: true }} Bundle */
/** @typedef {Readonly<Record<string, string>>} Input entry points by the names of their files */

/** @param {string} name */
const pathOf = (name) => resolve(root, name);

/** Small modules that the HTTP client shares with other parts. They are in the core, so that it is one file. */
const IN_CORE = ['src/engine/http/byteQueue.ts', 'src/engine/http/drained.ts'].map(pathOf);
/** What loads most parts. It may have what they share. */
const FEATURES = [
  'src/app/features.ts',
  'src/app/commandContexts.ts',
  'src/commands/commands.ts',
].map(pathOf);
/** Rooms that most features need. They are one file with the features: a file each would cost more than it saves. */
const SHARED = globSync(
  'src/{base,commands/{frame,ui},engine/{cli,containers,exec,options,wire},projects,registries}/*.ts',
  { cwd: root },
).map(pathOf);

/**
 * Bundles one entry point for Node.js. Modules that are imported dynamically become files of their own in `parts`, and
 * each module is in one file only.
 *
 * @param {Input} input
 * @param {{ readonly minify?: boolean }} [options]
 * @returns {Bundle}
 */
export function forNode(input, options) {
  return {
    ...bundle(input, options),
    platform: 'node',
    target: 'node22',
    format: 'esm',
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    sourcemap: true,
    external: ['vscode'],
    // Of a package that has both, its modules: what is not used of them is left out.
    mainFields: ['module', 'main'],
    alias: {
      yaml: pathOf('node_modules/yaml/browser/index.js'),
      '@vscode/l10n': pathOf('node_modules/@vscode/l10n/dist/browser.js'),
    },
    plugins: [leanUndici, oneCore(Object.values(input)), builtins],
  };
}

/**
 * @param {{ readonly minify?: boolean }} [options]
 * @returns {readonly Bundle[]}
 */
export const bundles = (options) => [
  forNode({ extension: 'src/extension.ts' }, options),
  // These two run by themselves: the program that ssh asks by, and a worker.
  program({ askpass: 'src/engine/ssh/askpass.ts' }, options),
  program({ logSearch: 'src/logs/search/searchWorker.ts' }, options),
  page({ logViewer: 'src/logviewer/page/main.ts' }, options),
  page({ cleanup: 'src/cleanup/page/main.ts' }, options),
  page({ details: 'src/details/page/main.ts' }, options),
  page({ graphs: 'src/graphs/page/main.ts' }, options),
];

/**
 * @param {Input} entryPoints
 * @param {{ readonly minify?: boolean }} [options]
 * @returns {Bundle}
 */
function bundle(entryPoints, { minify = true } = {}) {
  return {
    entryPoints,
    outdir: 'dist',
    bundle: true,
    minify,
    charset: 'utf8',
    legalComments: 'none',
    metafile: true,
  };
}

/**
 * Bundles a program for Node.js into one file.
 *
 * @param {Input} input
 * @param {{ readonly minify?: boolean }} [options]
 * @returns {Bundle}
 */
function program(input, options) {
  return {
    ...bundle(input, options),
    platform: 'node',
    target: 'node22',
    outExtension: { '.js': '.cjs' },
    sourcemap: true,
  };
}

/**
 * Bundles the script of a page.
 *
 * @param {Input} input
 * @param {{ readonly minify?: boolean }} [options]
 * @returns {Bundle}
 */
function page(input, options) {
  return { ...bundle(input, options), platform: 'browser', target: 'es2022', format: 'iife' };
}

/**
 * Has each part import the core, and what features load import the features. esbuild makes a file of all modules that
 * the same parts need: without this, the core would be as many files as there are such sets of parts.
 *
 * @param {readonly string[]} entries
 * @returns {import('esbuild').Plugin}
 */
function oneCore(entries) {
  const core = [...entries.map(pathOf), ...IN_CORE];
  /** @param {string} path @param {readonly string[]} first */
  const after = (path, first) => ({
    contents: `${first.map((one) => `import ${JSON.stringify(one)};`).join('')}
export * from ${JSON.stringify(path)};`,
    resolveDir: root,
  });
  return {
    name: 'one-core',
    setup(build) {
      // Not every import: to ask for each takes longer than to bundle.
      build.onResolve(
        { filter: lateNames(entries) },
        async ({ kind, path, importer, resolveDir }) => {
          if (kind !== 'dynamic-import' && kind !== 'entry-point') return undefined;
          const found = await build.resolve(path, {
            kind: 'import-statement',
            importer,
            resolveDir,
          });
          return { ...found, namespace: FEATURES.includes(importer) ? 'feature' : 'part' };
        },
      );
      build.onLoad({ filter: /./, namespace: 'part' }, ({ path }) => after(path, core));
      build.onLoad({ filter: /./, namespace: 'feature' }, ({ path }) =>
        after(path, [...core, ...FEATURES, ...SHARED]),
      );
    },
  };
}

/**
 * Matches the paths of entry points, and of modules that are imported dynamically.
 *
 * @param {readonly string[]} entries
 */
function lateNames(entries) {
  const files = globSync('src/**/*.ts', { cwd: root }).map((file) => readFileSync(pathOf(file)));
  const late = [...files.join('').matchAll(/import\(\s*'([^']+)'/g)].map(([, path = '']) => path);
  const names = new Set([...entries, ...late].map((path) => basename(path)));
  return new RegExp(`(?:^|/)(?:${[...names].join('|')})$`);
}

/**
 * Has packages in CommonJS get Node's own modules when they need them: modules have no `require`, and imports would load
 * all of them at once.
 *
 * @type {import('esbuild').Plugin}
 */
const builtins = {
  name: 'builtins',
  setup(build) {
    build.onResolve({ filter: /^[\w:/]+$/ }, ({ kind, path }) =>
      kind === 'require-call' && isBuiltin(path) ? { path, namespace: 'builtin' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  },
};
