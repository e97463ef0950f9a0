// Builds the one file that package.json's `main` names.
import { build, context } from 'esbuild';

const watching = process.argv.includes('--watch');

/**
 * HTTP/2 is never used (`allowH2: false`), and with it Node's own `http2` would be loaded: a third of the
 * time that loading the bundle takes.
 *
 * @type {import('esbuild').Plugin}
 */
const withoutHttp2 = {
  name: 'without-http2',
  setup(bundle) {
    const contents = 'module.exports = () => { throw new Error("This bundle has no HTTP/2"); };';
    bundle.onLoad({ filter: /undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/ }, () => ({
      contents,
    }));
  },
};

/** @type {import('esbuild').BuildOptions} */
const options = {
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.cjs',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  external: ['vscode'],
  // As undici's own build for Node has it: leaves out a second parser, which only a flag would turn on.
  define: { esbuildDetection: '1' },
  plugins: [withoutHttp2],
  minify: !watching,
  sourcemap: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'info',
};

if (watching) await (await context(options)).watch();
else await build(options);
