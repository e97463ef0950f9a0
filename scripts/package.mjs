// `npm run package`: packs what `.vscodeignore` names, as built before, in a file that VS Code installs. `--out` names
// the file or its folder; default: this one.
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createVSIX } from '@vscode/vsce';
import { root } from './install.mjs';

const { values } = parseArgs({ options: { out: { type: 'string', default: root } } });
const packagePath = resolve(values.out);
process.chdir(root);

/** Returns the files that the package consists of; `.vscodeignore` excludes everything but them. */
function packaged() {
  const lines = readFileSync('.vscodeignore', 'utf8').split('\n');
  return globSync(lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1)));
}

/**
 * Returns a script without the name of its source map, which is not in the package.
 *
 * @param {string} file
 */
function withoutMap(file) {
  return readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
}

/**
 * Returns JSON without what only makes it readable.
 *
 * @param {string} file
 */
function compact(file) {
  return JSON.stringify(JSON.parse(readFileSync(file, 'utf8')));
}

/** Returns the manifest with its texts in their places: a file of its own for them is larger. */
function manifestWithTexts() {
  const texts = /** @type {Record<string, string>} */ (
    JSON.parse(readFileSync('package.nls.json', 'utf8'))
  );
  const {
    scripts: _scripts,
    devDependencies: _development,
    optionalDependencies: _optional,
    // What is left out is of no use without the sources.
    ...manifest
  } = /** @type {Record<string, unknown>} */ (JSON.parse(readFileSync('package.json', 'utf8')));
  return JSON.stringify(manifest).replaceAll(/"%([\w.]+)%"/g, (whole, key) => {
    const text = texts[String(key)];
    return text === undefined ? whole : JSON.stringify(text);
  });
}

// vsce matches every file of its folder with every pattern: here those of the test bed, more than ten thousand.
const folder = mkdtempSync(join(tmpdir(), 'gantry-package-'));
try {
  for (const file of ['.vscodeignore', ...packaged()]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    if (/\.c?js$/.test(file)) writeFileSync(join(folder, file), withoutMap(file));
    else if (file === 'package.json') writeFileSync(join(folder, file), manifestWithTexts());
    else if (file.endsWith('.json')) writeFileSync(join(folder, file), compact(file));
    else copyFileSync(file, join(folder, file));
  }
  await createVSIX({
    cwd: folder,
    packagePath,
    dependencies: false,
    rewriteRelativeLinks: false,
    allowMissingRepository: true,
  });
} finally {
  rmSync(folder, { recursive: true });
}
