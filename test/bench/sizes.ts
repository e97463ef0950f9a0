import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rounded } from './figures.ts';
import type { BenchRow } from './row.ts';

const ROOT = join(import.meta.dirname, '../..');
const EARLY = [
  'extension.cjs',
  'parts/core.cjs',
  'parts/http.cjs',
  'parts/rolldown-runtime.cjs',
].map((name) => join(ROOT, 'dist', name));

/** Measures the size of the shipped files. */
export function benchSizes(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  try {
    const vsix = join(folder, 'gantry.vsix');
    const run = (...args: string[]): unknown =>
      execFileSync('npm', args, { cwd: ROOT, stdio: 'ignore' });
    run('run', 'package', '--', '--out', vsix);
    return Promise.resolve([
      { ...sizeRow('loaded until the first row', ...EARLY), target: '≤ 380' },
      { ...sizeRow('.vsix', vsix), target: '≤ 600' },
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function sizeRow(name: string, ...paths: readonly string[]): BenchRow {
  const size = paths.reduce((sum, path) => sum + statSync(path).size, 0);
  return { name, value: rounded(size / 1000, 0), unit: 'kB' };
}
