import { join } from 'node:path';
import { build, type OutputChunk } from 'rolldown';
import { bundles } from '../../../scripts/bundles.mjs';

const ROOT = join(import.meta.dirname, '../../..');

let building: Promise<readonly (readonly OutputChunk[])[]> | undefined;

/** Resolves to the files of each bundle of `npm run build`, which take seconds to make: tests share them. */
export function bundled(): Promise<readonly (readonly OutputChunk[])[]> {
  return (building ??= bundle());
}

async function bundle(): Promise<readonly (readonly OutputChunk[])[]> {
  const built = await build(bundles().map((one) => ({ ...one, cwd: ROOT, write: false })));
  return built.map(({ output }) => output.filter((file) => file.type === 'chunk'));
}
