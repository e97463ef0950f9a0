// `npm run bench`: installs the requirements, measures, cleans up and checks that nothing is left behind.
// `npm run bench -- sizes editor` measures only the named parts. `--minutes` shortens the measurements:
// `idle --minutes 1` idles for less than the ten minutes that count, `viewer --minutes 0.2` follows for less than
// one minute. Runs on Node 20, without dependencies.
import { mkdtempSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideParts } from '../test/bed/system.mjs';
import { installPackages, installVSCode } from './install.mjs';
import { endRun, runEnvironment } from './own-run.mjs';
import { supervise } from './supervise.mjs';

/** @typedef {import('../test/bed/system.mjs').PartName} PartName */

/** @type {Readonly<Record<string, readonly PartName[]>>} */
const PARTS = {
  sizes: [],
  engine: ['docker', 'newest'],
  connect: ['docker', 'ssh'],
  files: ['docker'],
  images: ['docker'],
  review: ['docker'],
  pull: ['docker', 'registry'],
  builds: ['docker', 'newest', 'browser'],
  projects: ['docker', 'newest'],
  worktrees: ['docker', 'newest'],
  volumes: ['docker'],
  filter: [],
  logs: ['docker'],
  viewer: ['docker', 'browser'],
  editor: ['docker', 'browser'],
  details: ['docker', 'browser'],
  graphs: ['browser'],
  statistics: ['docker', 'newest', 'browser'],
  idle: ['docker', 'podman', 'browser'],
};

/** @param {string} line */
const log = (line) => console.log(line);

/**
 * @param {readonly string[]} args
 * @returns {{ names: readonly string[], minutes: number }}
 */
function readArguments(args) {
  const at = args.indexOf('--minutes');
  if (at < 0) return { names: partsNamed(args), minutes: 10 };
  const minutes = Number(args[at + 1]);
  if (minutes > 0 && minutes <= 60) return { names: partsNamed(args.toSpliced(at, 2)), minutes };
  console.error('--minutes wants a number up to 60');
  process.exit(2);
}

/**
 * @param {readonly string[]} names
 * @returns {readonly string[]}
 */
function partsNamed(names) {
  const unknown = names.filter((name) => !(name in PARTS));
  if (unknown.length === 0) return names.length > 0 ? names : Object.keys(PARTS);
  console.error(`No such part: ${unknown.join(', ')}. There are: ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}

function load() {
  return `${loadavg()[0]?.toFixed(1)} on ${cpus().length} processors`;
}

const { names, minutes } = readArguments(process.argv.slice(2));
const needs = [...new Set(names.flatMap((name) => PARTS[name] ?? []))];
const missing = await provideParts(needs, log);
for (const { what, how } of missing) log(`${what} is missing. ${how}`);
if (missing.length > 0) process.exit(1);
await installPackages(log);
if (needs.includes('browser')) await installVSCode(log);

const folder = mkdtempSync(join(tmpdir(), 'gantry-run-'));
const environment = runEnvironment(folder);
const built = await supervise(['scripts/build.mjs'], environment);
log(`Load before: ${load()}`);
const measured =
  built.code === 0
    ? await supervise(['test/bench/bench.ts', ...names, '--minutes', String(minutes)], environment)
    : built;
log(`Load after: ${load()}`);
process.exitCode = measured.code || (await endRun(folder, log));
