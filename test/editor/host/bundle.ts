import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const HERE = import.meta.dirname;

/**
 * Bundles the suites for the extension host, which loads CommonJS: the one that `GANTRY_HOST_SUITE` names, or all.
 *
 * @param folder a new one, inside the repository: the suites find mocha from there
 * @returns the path of the module to run
 */
export async function bundleSuites(folder: string): Promise<string> {
  const wanted = process.env['GANTRY_HOST_SUITE'] ?? '';
  const isWanted = (name: string): boolean =>
    wanted === '' ? name.endsWith('.test.ts') : name === `${wanted}.test.ts`;
  const suites = readdirSync(join(HERE, 'suite')).filter(isWanted);
  await build({
    entryPoints: [join(HERE, 'inner.ts'), ...suites.map((name) => join(HERE, 'suite', name))],
    outbase: HERE,
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external: ['vscode', 'mocha'],
    sourcemap: true,
    logLevel: 'warning',
  });
  return join(folder, 'inner.cjs');
}
