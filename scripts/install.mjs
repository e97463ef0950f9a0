// Installs the project's npm packages, and VS Code's server for the test bed, unless they are installed
// already. Runs on Node 20, without dependencies.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atEnd } from '../test/bed/vscode/cleanup.mjs';
import { locked } from '../test/bed/vscode/lock.mjs';

/** @typedef {(line: string) => void} Log */

/** The root folder of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

const MODULES = join(root, 'node_modules');
const STAMP = join(MODULES, '.gantry-stamp');

/** Returns the version of Node that runs the packages: the installed one, or that of this process. */
function nodeVersion() {
  const own = join(MODULES, `node-${process.platform}-${process.arch}`, 'package.json');
  if (!existsSync(own)) return process.version;
  /** @type {unknown} */
  const manifest = JSON.parse(readFileSync(own, 'utf8'));
  const { version } = /** @type {{ version: string }} */ (manifest);
  return `v${version}`;
}

function stamp() {
  const lockfile = readFileSync(join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lockfile).digest('hex')} ${nodeVersion()}\n`;
}

/** Linked packages belong to another checkout, whose folder npm would empty. */
function isLinked() {
  return lstatSync(MODULES, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function isInstalled() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp();
}

/** Returns the environment without the Node installation that npm is about to replace. */
function npmEnvironment() {
  const path = (process.env['PATH'] ?? '').split(delimiter);
  const kept = path.filter((folder) => !folder.startsWith(MODULES));
  return { ...process.env, PATH: kept.join(delimiter) };
}

/** @param {Log} log */
async function npmCi(log) {
  const began = Date.now();
  log('Installing npm packages (npm ci) …');
  // Only packages that tests do without have scripts, among them native modules that take seconds to compile.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn('npm', args, {
    cwd: root,
    env: npmEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const ended = atEnd(() => child.kill());
  let said = '';
  const hear = (/** @type {Buffer} */ chunk) => (said = (said + chunk.toString()).slice(-4000));
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  /** @type {Promise<number | null>} */
  const end = new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  const code = await end.finally(ended);
  if (code !== 0) throw new Error(`npm ci failed:\n${said}`);
  writeFileSync(STAMP, stamp());
  log(`  done in ${Math.round((Date.now() - began) / 1000)} s`);
}

/**
 * Installs the npm packages, unless the installed ones match the lockfile or are linked. Of two concurrent
 * runs, only one installs.
 *
 * @param {Log} log
 */
export async function installPackages(log) {
  if (isLinked() || isInstalled()) return;
  await locked(
    join(root, '.bed/npm.lock'),
    async () => {
      if (!isInstalled()) await npmCi(log);
    },
    (pid) => log(`Another run (process ${pid}) is installing npm packages; waiting for it …`),
  );
}

/**
 * Installs VS Code's server for the test bed.
 *
 * @param {Log} log
 */
export async function installVSCode(log) {
  const { setupVSCode } = await import('../test/bed/vscode/setup.mjs');
  await setupVSCode({ log });
}
