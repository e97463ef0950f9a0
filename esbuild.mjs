// Builds the one file that package.json's `main` names.
import { build, context } from 'esbuild';

const watching = process.argv.includes('--watch');

/** @type {import('esbuild').BuildOptions} */
const options = {
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.cjs',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  external: ['vscode'],
  minify: !watching,
  sourcemap: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'info',
};

if (watching) await (await context(options)).watch();
else await build(options);
