import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rounded } from './figures.ts';
import type { BenchRow } from './row.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Measures the size of the shipped files. */
export function benchSizes(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  try {
    const vsix = join(folder, 'gantry.vsix');
    const run = (...args: string[]): unknown =>
      execFileSync('npm', args, { cwd: ROOT, stdio: 'ignore' });
    run('run', 'package', '--', '--out', vsix);
    return Promise.resolve([
      sizeRow('bundle', join(ROOT, 'dist/extension.cjs')),
      { ...sizeRow('.vsix', vsix), target: '≤ 600' },
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function sizeRow(name: string, path: string): BenchRow {
  return { name, value: rounded(statSync(path).size / 1000, 0), unit: 'kB' };
}
