import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Measurements } from './benchmark.ts';
import { withFolder } from './stage.ts';

const ROOT = join(import.meta.dirname, '../..');
const DIST = join(ROOT, 'dist');

/** Measures the size of the shipped files in kB. */
export function benchSizes(): Promise<Measurements<'early' | 'package'>> {
  return withFolder((folder) => {
    const vsix = join(folder, 'gantry.vsix');
    const args = ['run', 'package', '--', '--out', vsix];
    execFileSync('npm', args, { cwd: ROOT, stdio: 'ignore' });
    const early = { subject: kilobytesOf(earlyFiles()) };
    return Promise.resolve({ early, package: { subject: kilobytesOf([vsix]) } });
  });
}

/** Returns the extension, the HTTP client, and what they load at once, directly or indirectly. */
function earlyFiles(): readonly string[] {
  const found = globSync(['extension.js', 'parts/connection-*.js'], { cwd: DIST });
  const files = new Set(found.map((name) => join(DIST, name)));
  // What is added is visited, too.
  for (const file of files)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)"(\.[^"]+)"/g))
      files.add(join(dirname(file), name));
  return [...files];
}

function kilobytesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + statSync(file).size, 0) / 1000;
}
