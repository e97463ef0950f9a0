// A run has a folder of its own, by which all it has started or written is found again.
import { findLeft, removeLeft } from '../test/bed/leaks.mjs';
import { fullPath } from '../test/bed/system.mjs';

/** Variables that would have a run talk to an engine or a registry of the person's. */
const FOREIGN = /^(DOCKER|CONTAINER|PODMAN|GANTRY|REGISTRY)_/;

/** @param {string} folder */
export function runEnvironment(folder) {
  const kept = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name));
  const config = { DOCKER_CONFIG: `${folder}/no-docker-config` };
  // npm and eslint would keep theirs in TMPDIR.
  const caches = { NODE_DISABLE_COMPILE_CACHE: '1' };
  return { ...Object.fromEntries(kept), ...config, ...caches, PATH: fullPath(), TMPDIR: folder };
}

/**
 * Removes what a run has left, and says so; there should be nothing.
 *
 * @param {string} folder
 * @param {(line: string) => void} log
 * @returns {Promise<number>} 1 where something was left, else 0
 */
export async function endRun(folder, log) {
  const left = await findLeft(folder);
  if (left.length > 0) log(`\nLeft behind by this run, now removed:\n  ${left.join('\n  ')}`);
  removeLeft(folder);
  return left.length > 0 ? 1 : 0;
}
