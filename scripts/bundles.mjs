// What `npm run build` bundles, and how.
import { fileURLToPath } from 'node:url';
import { leaner } from './leanUndici.mjs';

/** Loaded with the first connection: the HTTP client and undici are one file, and not in the core. */
const HTTP = fileURLToPath(new URL('../src/engine/http/connection.ts', import.meta.url));

/**
 * Bundles for Node.js. Modules that are imported dynamically become files of their own in `parts`, and each module
 * is in one file only.
 *
 * @param {Readonly<Record<string, string>>} input entry points by the name of their file
 * @param {{ readonly minify?: boolean }} [options]
 * @returns {import('rolldown').BuildOptions}
 */
export function forNode(input, { minify = true } = {}) {
  /** The modules that the entry points import statically. */
  const core = new Set();
  /** What the HTTP client imports besides. */
  const http = new Set();
  return {
    input: { ...input },
    platform: 'node',
    external: ['vscode'],
    // Of a package that has both, its modules: what is not used of them is left out.
    resolve: { mainFields: ['module', 'main'] },
    transform: { target: 'node22', define: leaner.define },
    plugins: [
      leaner.plugin,
      {
        name: 'find-core',
        buildEnd() {
          const ids = [...this.getModuleIds()];
          const entries = ids.filter((id) => this.getModuleInfo(id)?.isEntry);
          for (const { found, pending } of [
            { found: core, pending: entries },
            { found: http, pending: ids.filter((id) => id === HTTP) },
          ]) {
            for (const id of pending) {
              if (core.has(id) || http.has(id)) continue;
              found.add(id);
              pending.push(...(this.getModuleInfo(id)?.importedIds ?? []));
            }
          }
        },
      },
    ],
    output: {
      dir: 'dist',
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: 'parts/[name].cjs',
      // What is loaded at once is one file, and not one for each set of parts that share a module.
      codeSplitting: {
        groups: [
          { name: 'core', test: (id) => core.has(id) },
          { name: 'http', test: (id) => http.has(id) },
        ],
      },
      minify,
      sourcemap: true,
      comments: false,
    },
  };
}

/**
 * @param {{ readonly minify?: boolean }} [options]
 * @returns {readonly import('rolldown').BuildOptions[]}
 */
export const bundles = ({ minify = true } = {}) => [
  forNode({ extension: 'src/extension.ts' }, { minify }),
  // These two run by themselves: the program that ssh asks by, and a worker.
  single({ askpass: 'src/engine/ssh/askpass.ts' }, { minify }),
  single({ logSearch: 'src/logs/search/searchWorker.ts' }, { minify }),
  page({ logViewer: 'src/logviewer/page/main.ts' }, { minify }),
  page({ cleanup: 'src/cleanup/page/main.ts' }, { minify }),
];

/**
 * Bundles one entry point for Node.js into one file.
 *
 * @param {Readonly<Record<string, string>>} input
 * @param {{ readonly minify?: boolean }} options
 * @returns {import('rolldown').BuildOptions}
 */
function single(input, options) {
  const { output, ...rest } = forNode(input, options);
  return { ...rest, plugins: [], output: { ...output, codeSplitting: false } };
}

/**
 * Bundles the script of a page.
 *
 * @param {Readonly<Record<string, string>>} input
 * @param {{ readonly minify: boolean }} options
 * @returns {import('rolldown').BuildOptions}
 */
function page(input, { minify }) {
  return {
    input: { ...input },
    platform: 'browser',
    transform: { target: 'es2022' },
    output: {
      dir: 'dist',
      format: 'iife',
      entryFileNames: '[name].js',
      minify,
      comments: false,
    },
  };
}
