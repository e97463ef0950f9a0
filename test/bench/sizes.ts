import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rounded } from './figures.ts';
import type { BenchRow } from './row.ts';

const ROOT = join(import.meta.dirname, '../..');
const DIST = join(ROOT, 'dist');

/** Measures the size of the shipped files. */
export function benchSizes(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  try {
    const vsix = join(folder, 'gantry.vsix');
    const run = (...args: string[]): unknown =>
      execFileSync('npm', args, { cwd: ROOT, stdio: 'ignore' });
    run('run', 'package', '--', '--out', vsix);
    return Promise.resolve([
      { ...sizeRow('loaded until the first row', ...early()), target: '≤ 380' },
      { ...sizeRow('.vsix', vsix), target: '≤ 640' },
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the extension, the HTTP client, and what they load at once, directly or indirectly. */
function early(): readonly string[] {
  const found = globSync(['extension.js', 'parts/connection-*.js'], { cwd: DIST });
  const files = new Set(found.map((name) => join(DIST, name)));
  // What is added is visited, too.
  for (const file of files)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)"(\.[^"]+)"/g))
      files.add(join(dirname(file), name));
  return [...files];
}

function sizeRow(name: string, ...paths: readonly string[]): BenchRow {
  const size = paths.reduce((sum, path) => sum + statSync(path).size, 0);
  return { name, value: rounded(size / 1000, 0), unit: 'kB' };
}
