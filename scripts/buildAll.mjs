import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, context, transform } from 'esbuild';
import subsetFont from 'subset-font';
import { bundles } from './bundles.mjs';
import { messageBundle } from './messages.mjs';

/** The style sheet of the charts. */
const CHARTS = fileURLToPath(import.meta.resolve('uplot/dist/uPlot.min.css'));

/** The style sheets of each page, after what all pages have. */
const STYLES = {
  logViewer: ['src/logviewer/page/page.css'],
  cleanup: ['src/cleanup/page/page.css'],
  details: ['src/details/page/page.css'],
  graphs: [CHARTS, 'src/graphs/page/page.css'],
};

const FONT = fileURLToPath(import.meta.resolve('@vscode/codicons/dist/codicon.ttf'));

/**
 * Builds the file that package.json's `main` names with what it loads later, the program that ssh asks by, the worker
 * that searches logs, and the pages.
 *
 * @returns {Promise<readonly string[]>} the paths of the modules, and of other files of packages
 */
export async function buildAll() {
  const working = Promise.all(bundles().map((one) => build({ ...one, write: false })));
  // In the meantime.
  write('l10n/bundle.l10n.json', messageBundle());
  await writeStyles();
  const built = await working;
  const files = built.flatMap(({ outputFiles }) => outputFiles);
  for (const { path, contents } of files) write(relative('dist', path), contents);
  // Parts of an earlier build.
  const names = new Set(files.map(({ path }) => relative('dist', path)));
  for (const part of globSync('parts/*', { cwd: 'dist' }))
    if (!names.has(part)) rmSync(join('dist', part));
  const modules = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  // The others are made during the build.
  return [FONT, CHARTS, ...modules.filter((path) => !path.includes(':'))];
}

/** Builds again after each change, legibly. */
export async function watchAll() {
  await writeStyles({ minify: false });
  for (const one of bundles({ minify: false })) await (await context(one)).watch();
}

/** @param {{ readonly minify?: boolean }} [options] */
async function writeStyles({ minify = true } = {}) {
  for (const [name, files] of Object.entries(STYLES)) {
    const { code } = await transform(styleOf(files), { loader: 'css', minify, charset: 'utf8' });
    write(`${name}.css`, code);
  }
  write('codicon.ttf', await smallFont());
}

/**
 * Returns the style sheet of a page.
 *
 * @param {readonly string[]} own
 */
function styleOf(own) {
  const files = ['src/logviewer/page/base.css', ...own];
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

/** Returns the icon font with only the icons that the style sheet names: the others are most of its size. */
async function smallFont() {
  const styles = Object.values(STYLES).map(styleOf).join('');
  const codes = [...styles.matchAll(/content: '\\([0-9a-f]{4,5})'/g)].map(
    ([, code]) => `0x${code}`,
  );
  const text = String.fromCodePoint(...codes.map(Number));
  return subsetFont(readFileSync(FONT), text, { targetFormat: 'truetype' });
}

/**
 * Writes a file, unless it is already so: a window that loads the extension just then never finds a part of a file.
 *
 * @param {string} name
 * @param {string | Uint8Array} content
 */
function write(name, content) {
  const file = join('dist', name);
  const bytes = Buffer.from(content);
  if (existsSync(file) && readFileSync(file).equals(bytes)) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
}
