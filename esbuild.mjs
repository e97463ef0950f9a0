// Builds the file that package.json's `main` names, the small program that ssh asks by, and the log viewer's page.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, context } from 'esbuild';
import subsetFont from 'subset-font';
import { findMessages } from './scripts/messages.mjs';

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
  entryPoints: {
    extension: 'src/extension.ts',
    askpass: 'src/engine/ssh/askpass.ts',
    logSearch: 'src/logs/search/searchWorker.ts',
  },
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  external: ['vscode'],
  // Of a package that has both, its modules: what is not used of them is left out, and nothing is loaded by tricks.
  mainFields: ['module', 'main'],
  // As undici's own build for Node has it: leaves out a second parser, which only a flag would turn on.
  define: { esbuildDetection: '1' },
  plugins: [withoutHttp2],
  minify: !watching,
  sourcemap: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'info',
};

/**
 * What runs in a browser.
 *
 * @type {import('esbuild').BuildOptions}
 */
const pageOptions = {
  entryPoints: [
    { in: 'src/logviewer/page/main.ts', out: 'logViewer' },
    { in: 'src/logviewer/page/page.css', out: 'logViewer' },
  ],
  outdir: 'dist',
  bundle: true,
  platform: 'browser',
  format: 'iife',
  target: 'es2022',
  // Beside the style sheet, where the page finds it.
  external: ['./codicon.ttf'],
  minify: !watching,
  legalComments: 'none',
  logLevel: 'info',
};

/** Of the icon font those icons that the style sheet names: the others are most of its size. */
async function writeFont() {
  const font = readFileSync(
    fileURLToPath(import.meta.resolve('@vscode/codicons/dist/codicon.ttf')),
  );
  const styles = readFileSync('src/logviewer/page/page.css', 'utf8');
  const codes = [...styles.matchAll(/content: '\\([0-9a-f]{4,5})'/g)].map(
    ([, code]) => `0x${code}`,
  );
  const text = String.fromCodePoint(...codes.map(Number));
  mkdirSync('dist', { recursive: true });
  writeFileSync('dist/codicon.ttf', await subsetFont(font, text, { targetFormat: 'truetype' }));
}

/** Exports the messages for translators. VS Code reads translations of them from the same folder. */
function writeMessages() {
  const texts = findMessages().flatMap(({ text }) => text ?? []);
  const bundle = Object.fromEntries([...new Set(texts)].sort().map((text) => [text, text]));
  mkdirSync('dist/l10n', { recursive: true });
  writeFileSync('dist/l10n/bundle.l10n.json', `${JSON.stringify(bundle, null, 2)}\n`);
}

await writeFont();
if (!watching) writeMessages();
const all = [options, pageOptions];
if (watching) await Promise.all(all.map(async (one) => (await context(one)).watch()));
else await Promise.all(all.map((one) => build(one)));
