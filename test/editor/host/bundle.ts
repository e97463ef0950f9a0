import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const HERE = import.meta.dirname;

/** Returns the files of the suites in `GANTRY_HOST_SUITE` (comma-separated), or of all suites if it is empty. */
function suitesWanted(): readonly string[] {
  const wanted = process.env['GANTRY_HOST_SUITE'] ?? '';
  const all = readdirSync(join(HERE, 'suite')).filter((name) => name.endsWith('.test.ts'));
  if (wanted === '') return all;
  const files = wanted.split(',').map((name) => `${name}.test.ts`);
  const unknown = files.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`There are no suites ${unknown.join(', ')}`);
  return files;
}

/**
 * Bundles the suites in `GANTRY_HOST_SUITE`, or all, for the extension host, which loads CommonJS.
 *
 * @param folder a new folder inside the repository, so that the suites find mocha
 * @returns the path of the module to run
 */
export async function bundleSuites(folder: string): Promise<string> {
  const suites = suitesWanted().map((name) => join(HERE, 'suite', name));
  await build({
    entryPoints: [join(HERE, 'inner.ts'), ...suites],
    outbase: HERE,
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode', 'mocha'],
    sourcemap: true,
  });
  return join(folder, 'inner.cjs');
}
