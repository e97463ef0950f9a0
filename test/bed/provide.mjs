// Installs the named parts of the bed: node test/bed/provide.mjs PART…
// This is a separate process so that only this process has to delay Ctrl-C for the package manager.
// Runs on Node 20, without dependencies.
import { missingParts, provideParts } from './system.mjs';

const names = /** @type {import('./system.mjs').PartName[]} */ (process.argv.slice(2));

/** @param {string} line */
const log = (line) => console.log(line);

try {
  const began = Date.now();
  await provideParts(names, log);
  log(`Debian packages: ${Math.round((Date.now() - began) / 1000)} s`);
} catch (error) {
  log(error instanceof Error ? error.message : String(error));
  // Without the newest engines, the tests use other ones.
  if (missingParts(names).some(({ part }) => part !== 'newest')) process.exitCode = 1;
}
