// `npm test`: installs the requirements, runs the steps, cleans up and checks that nothing is left behind.
// `npm test -- unit engine` runs only the named steps; `npm run test:all` runs the whole matrix.
// Runs on Node 20, without dependencies.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackages } from './install.mjs';
import { endRun, runEnvironment } from './own-run.mjs';
import { supervise } from './supervise.mjs';

/** @typedef {import('../test/bed/system.mjs').PartName} PartName */
/** @typedef {{ passed: number, failed: number, skipped: number, shortfall?: string }} Counts */

const ENGINES = /** @type {const} */ (['newest', 'docker', 'podman', 'registry']);

/** @type {Readonly<Record<string, readonly PartName[]>>} */
const PARTS = {
  lint: [],
  unit: [],
  engine: [...ENGINES, 'ssh', 'tls'],
  soak: [...ENGINES],
  peers: [...ENGINES],
  page: ['browser'],
  editor: [...ENGINES, 'ssh', 'browser'],
  start: ['docker', 'registry', 'browser'],
};

/** @param {string} line */
const log = (line) => console.log(line);

/** @param {readonly string[]} names @returns {readonly string[]} */
function checked(names) {
  const unknown = names.filter((name) => !(name in PARTS));
  if (unknown.length === 0) return names.length > 0 ? names : Object.keys(PARTS);
  console.error(`No such step: ${unknown.join(', ')}. There are: ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}

/** @param {unknown} message @returns {Counts} */
function countsOf(message) {
  // A runner that ends without sending its counts has failed.
  return /** @type {Counts | undefined} */ (message) ?? { passed: 0, failed: 1, skipped: 0 };
}

const began = Date.now();
const args = process.argv.slice(2);
const wanted = checked(args.filter((arg) => arg !== '--all'));
const parts = new Set(wanted.flatMap((name) => PARTS[name] ?? []));
// Runs in parallel with npm's installation, and with the steps that need no part of the system.
const providing = supervise(['test/bed/provide.mjs', ...parts], process.env);
await installPackages(log).catch(async (/** @type {unknown} */ error) => {
  // Interrupting the package manager would leave a broken system.
  await providing;
  throw error;
});

// This folder identifies all temporary files and processes of this run.
const folder = mkdtempSync(join(tmpdir(), 'gantry-run-'));
const environment = runEnvironment(folder);
const { code, message } = await supervise(['test/bed/runner.ts', ...args], environment, providing);
const unprovided = (await providing).code;
const { passed, failed, skipped, shortfall = '' } = countsOf(message);
const failures = failed + (await endRun(folder, log)) + (unprovided === 0 ? 0 : 1);
const seconds = Math.round((Date.now() - began) / 1000);
log(
  `\n${passed} passed, ${failures} failed, ${skipped} skipped, ${seconds} s. ${shortfall}`.trimEnd(),
);
process.exitCode = code !== 0 ? code : failures > 0 ? 1 : 0;
