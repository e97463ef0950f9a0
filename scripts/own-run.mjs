// Gives each run a folder of its own, which identifies everything that the run has started or written.
import { findLeft, removeLeft } from '../test/bed/leaks.mjs';
import { fullPath } from '../test/bed/system.mjs';

/** Variables that would lead a run to one of the user's engines or registries. */
const FOREIGN = /^(DOCKER|CONTAINER|PODMAN|GANTRY(?!_SHOTS)|REGISTRY)_/;

/** @param {string} folder */
export function runEnvironment(folder) {
  const kept = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name));
  const config = { DOCKER_CONFIG: `${folder}/no-docker-config` };
  // npm would create its compile cache in TMPDIR.
  const caches = { NODE_DISABLE_COMPILE_CACHE: '1' };
  return { ...Object.fromEntries(kept), ...config, ...caches, PATH: fullPath(), TMPDIR: folder };
}

/**
 * Removes and reports what a run has left behind; there should be nothing.
 *
 * @param {string} folder
 * @param {(line: string) => void} log
 * @returns {Promise<number>} 1 if something was left, otherwise 0
 */
export async function endRun(folder, log) {
  const left = await findLeft(folder);
  if (left.length > 0) log(`\nLeft behind by this run, now removed:\n  ${left.join('\n  ')}`);
  removeLeft(folder);
  return left.length > 0 ? 1 : 0;
}
