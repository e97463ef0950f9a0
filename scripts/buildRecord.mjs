import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What decides about a build besides the modules that it turns out to read. */
const SOURCES = ['src/**', 'scripts/**', 'tsconfig.json', 'package.json', 'package-lock.json'];
const OUTPUT = ['dist/**'];

/**
 * What the last build read and wrote.
 *
 * @typedef {object} Build
 * @property {string} sources digest of the sources
 * @property {readonly string[]} modules paths of all modules
 * @property {string} files digest of the modules and the output
 */

/**
 * Returns the record of the last build. Call it before a build, so that what changes during the build is not taken for
 * built.
 *
 * @param {string} folder root folder of the repository
 */
export function buildRecord(folder) {
  const record = join(folder, 'out/build.json');
  const sources = digestOf(filesOf(folder, SOURCES));
  const filesDigest = (/** @type {readonly string[]} */ modules) =>
    digestOf([...modules, ...filesOf(folder, OUTPUT)]);
  return {
    /** Returns whether nothing that the last build read or wrote has changed since. */
    isUpToDate() {
      try {
        const last = /** @type {Build} */ (JSON.parse(readFileSync(record, 'utf8')));
        return last.sources === sources && last.files === filesDigest(last.modules);
      } catch {
        // There was no build, it was killed while it wrote the record, or a module is gone.
        return false;
      }
    },
    /**
     * Records a build.
     *
     * @param {readonly string[]} modules paths of all modules that it read
     */
    write(modules) {
      mkdirSync(dirname(record), { recursive: true });
      writeFileSync(record, JSON.stringify({ sources, modules, files: filesDigest(modules) }));
    },
  };
}

/** @param {string} folder @param {readonly string[]} patterns */
function filesOf(folder, patterns) {
  const paths = globSync(patterns, { cwd: folder }).map((path) => join(folder, path));
  return paths.filter((path) => statSync(path).isFile()).sort();
}

/** Returns a digest of the names and contents of files. @param {readonly string[]} files */
function digestOf(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(file);
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
