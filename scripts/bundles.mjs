// What `npm run build` bundles, and how.
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, resolve } from 'node:path';
import { build as bundleOnce } from 'esbuild';
import { root } from './install.mjs';
import { leanTar } from './leanTar.mjs';
import { leanUndici } from './leanUndici.mjs';
import { leanUplot } from './leanUplot.mjs';
import { leanYaml } from './leanYaml.mjs';

/** @typedef {import('esbuild').BuildOptions & { readonly metafile: true }} Bundle */
/** @typedef {Readonly<Record<string, string>>} Input entry points by the names of their files */

/** @param {string} name */
const pathOf = (name) => resolve(root, name);

/** Small modules in the core: the HTTP client shares them with other parts, and has to be one file; or all parts do. */
const IN_CORE = [
  'src/engine/http/byteQueue.ts',
  'src/engine/http/drained.ts',
  'src/base/mapConcurrently.ts',
].map(pathOf);
/** What loads most parts, and is loaded with the first of them. It may have what they share. */
const FEATURES = [
  'src/app/features.ts',
  'src/app/commandContexts.ts',
  'src/commands/commands.ts',
  'src/app/editorUi.ts',
  'src/app/windowServices.ts',
  'src/app/openPages.ts',
].map(pathOf);
/** What the core itself loads, but rarely. It may have what the features have. */
const RARE = ['src/files/removeLeftovers.ts', 'src/tasks/pendingRemovals.ts'].map(pathOf);
/** Rooms that most features need. They are one file with the features: a file each would cost more than it saves. */
const SHARED = globSync(
  'src/{base,commands/{frame,ui},engine/{cli,containers,exec,options,wire},projects,registries}/*.ts',
  { cwd: root },
).map(pathOf);

/** Size in bytes from which on it is worth a file to load what some parts share only with them. */
const WORTH_A_FILE = 4500;

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
    plugins: [leanUndici, leanYaml, leanTar, oneCore(Object.values(input)), builtins],
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
  return {
    ...bundle(input, options),
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    plugins: [leanUplot],
  };
}

/**
 * Has each part import the core, and what features load import the features. esbuild makes a file of all modules that
 * the same parts need: without this, the core would be as many files as there are such sets of parts.
 *
 * @param {readonly string[]} entries
 * @param {(options: import('esbuild').BuildOptions) => Promise<readonly string[]>} [findSmall] what is one file with
 *   the features, too.
 * @returns {import('esbuild').Plugin}
 */
function oneCore(entries, findSmall = (options) => smallModules(entries, options)) {
  const core = [...entries.map(pathOf), ...IN_CORE];
  /** @param {string} path @param {readonly string[]} first */
  const after = (path, first) => ({
    contents: `${first.map((one) => `import ${JSON.stringify(one)};`).join('')}
export * from ${JSON.stringify(path)};`,
    resolveDir: root,
  });
  return {
    name: ONE_CORE,
    async setup(build) {
      const small = await findSmall(build.initialOptions);
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
          const isFeature =
            FEATURES.includes(importer) || [...FEATURES, ...RARE].includes(found.path);
          return { ...found, namespace: isFeature ? 'feature' : 'part' };
        },
      );
      build.onLoad({ filter: /./, namespace: 'part' }, ({ path }) => after(path, core));
      build.onLoad({ filter: /./, namespace: 'feature' }, ({ path }) =>
        after(path, [...core, ...FEATURES, ...SHARED, ...small]),
      );
    },
  };
}

const ONE_CORE = 'one-core';

/**
 * Returns the modules that would be in files too small to be worth it, because several parts share them. Left out is
 * what needs more than the features have.
 *
 * @param {readonly string[]} entries
 * @param {import('esbuild').BuildOptions} options
 */
async function smallModules(entries, options) {
  const others = options.plugins?.filter(({ name }) => name !== ONE_CORE) ?? [];
  const plugins = [...others, oneCore(entries, () => Promise.resolve([]))];
  const { metafile } = await bundleOnce({
    ...options,
    plugins,
    write: false,
    sourcemap: false,
    metafile: true,
  });
  const files = Object.entries(metafile.outputs).map(([name, { bytes, entryPoint, ...file }]) => ({
    name,
    entryPoint,
    modules: Object.keys(file.inputs).map(pathOf),
    needs: file.imports.filter(({ external, kind }) => !external && kind === 'import-statement'),
    isSmall: bytes < WORTH_A_FILE && entryPoint === undefined,
  }));
  // What is loaded without the features, too, would still be a file.
  const alone = files
    .filter(({ entryPoint }) => entryPoint?.startsWith('part:'))
    .flatMap(({ needs }) => needs.map(({ path }) => path));
  const known = [...entries.map(pathOf), ...FEATURES, ...SHARED];
  const loaded = files.filter(({ modules }) => modules.some((one) => known.includes(one)));
  let small = files.filter(
    (one) => one.isSmall && !loaded.includes(one) && !alone.includes(one.name),
  );
  for (let count = 0; count !== small.length;) {
    count = small.length;
    const names = new Set([...loaded, ...small].map(({ name }) => name));
    small = small.filter(({ needs }) => needs.every(({ path }) => names.has(path)));
  }
  return small.flatMap(({ modules }) => modules);
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
