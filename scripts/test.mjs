// `npm test`: installs what is needed, runs the steps, takes everything down and looks whether that
// is true. `npm test -- unit engine` runs only the steps named. Node 20, no dependencies.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideParts } from '../test/bed/system.mjs';
import { installPackages } from './install.mjs';
import { endRun, runEnvironment } from './own-run.mjs';
import { supervise } from './supervise.mjs';

/** @typedef {import('../test/bed/system.mjs').PartName} PartName */
/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @type {Readonly<Record<string, readonly PartName[]>>} */
const PARTS = {
  typecheck: [],
  lint: [],
  unit: [],
  engine: ['docker', 'podman', 'registry', 'ssh', 'tls'],
  soak: ['docker', 'registry'],
  page: ['browser'],
  editor: ['docker', 'podman', 'registry', 'browser', 'vscode'],
  start: ['docker', 'registry', 'browser', 'vscode'],
  newest: ['newest', 'docker', 'registry', 'ssh', 'tls'],
};

/** Not of the run without names. */
const BY_HAND = ['newest'];

/** @param {string} line */
const log = (line) => {
  console.log(line);
};

/** @returns {string[]} */
function stepsNamed() {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !(name in PARTS));
  if (unknown.length === 0) return names;
  console.error(`No such step: ${unknown.join(', ')}. There are: ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}

/** @param {unknown} message @returns {Counts} */
function countsOf(message) {
  // A runner that dies without a word has failed.
  return /** @type {Counts | undefined} */ (message) ?? { passed: 0, failed: 1, skipped: 0 };
}

const names = stepsNamed();
const wanted =
  names.length > 0 ? names : Object.keys(PARTS).filter((name) => !BY_HAND.includes(name));
await provideParts([...new Set(wanted.flatMap((name) => PARTS[name] ?? []))], log);
await installPackages(log);

// All of this run's temporary files and processes are known by this folder.
const folder = mkdtempSync(join(tmpdir(), 'gantry-run-'));
const { code, message } = await supervise(['test/bed/runner.ts', ...names], runEnvironment(folder));
const { passed, failed, skipped } = countsOf(message);
const failures = failed + (await endRun(folder, log));
log(`\n${passed} passed, ${failures} failed, ${skipped} skipped`);
process.exitCode = code !== 0 ? code : failures > 0 ? 1 : 0;
