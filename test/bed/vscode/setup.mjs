import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOME, install, NODE_PACKAGE, VSCODE } from './install.mjs';
import { locked } from './lock.mjs';

/** @typedef {import('./install.mjs').Log} Log */

const ROOT = join(import.meta.dirname, '../../..');
/** The files that decide what is installed: a change of theirs installs again. */
const RECIPE = ['install.mjs', 'spdlog.cjs'].map((name) => join(import.meta.dirname, name));
const STAMP = join(HOME, 'recipe');

/**
 * Returns the Node that runs VS Code's server, which requires Node 24 even if the user's own is older.
 *
 * @returns {string} path of an executable
 */
export function nodeForVSCode() {
  const old = join(HOME, 'node_modules', NODE_PACKAGE, 'bin/node');
  if (NODE_PACKAGE !== '' && existsSync(old)) return old;
  const own = join(ROOT, 'node_modules/.bin/node');
  if (existsSync(own)) return realpathSync(own);
  if (Number.parseInt(process.versions.node) >= 24) return process.execPath;
  throw new Error(
    `VS Code's server needs Node 24, this is ${process.version}. ` +
      'On Linux "npm ci" brings one; elsewhere install Node 24 and run again.',
  );
}

function stampWanted() {
  const hash = createHash('sha256');
  for (const file of RECIPE) hash.update(readFileSync(file));
  return `${hash.digest('hex')}, ${process.platform}-${process.arch}\n`;
}

function isInstalled() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stampWanted();
}

/**
 * Returns the folder of VS Code's server as installed by `setupVSCode`.
 *
 * @returns {string} the folder with `out/server-main.js`
 */
export function vscodeFolder() {
  if (!isInstalled()) {
    throw new Error(
      'VS Code\'s server is not installed here yet: "npm test" or "npm start" does that.',
    );
  }
  return VSCODE;
}

/**
 * Installs VS Code's server and workbench into `.bed/vscode`, unless already installed. Of two concurrent runs,
 * only one installs.
 *
 * @param {{ log?: Log }} [options]
 * @returns {Promise<string>} the folder with `out/server-main.js`
 */
export async function setupVSCode({ log = () => undefined } = {}) {
  if (isInstalled()) return VSCODE;
  await locked(
    `${HOME}.lock`,
    async () => {
      if (isInstalled()) return;
      await install(nodeForVSCode, log);
      writeFileSync(STAMP, stampWanted());
    },
    (pid) => log(`Another run (process ${pid}) is installing VS Code's server; waiting for it …`),
  );
  return VSCODE;
}

if (import.meta.main) await setupVSCode({ log: console.log });
