// What is installed as VS Code, and how. A change of this file installs it again.
import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { atEnd } from './cleanup.mjs';

/** @typedef {(line: string) => void} Log */

/** The selectors in `workbench.ts` match only this version of VS Code (1.139.1): change both together. */
const TODAYS = {
  version: '4.139.1',
  folder: 'vscode',
  node: '',
  watchdog: '@vscode/native-watchdog',
};
/**
 * The oldest VS Code on npm that is at or above `engines.vscode` of the manifest, and the oldest Node that VS Code has
 * there. Used if `GANTRY_VSCODE=oldest`.
 */
const OLDEST = {
  version: '4.105.1',
  folder: 'vscode-oldest',
  node: '22.19.0',
  watchdog: 'native-watchdog',
};
const {
  version: VERSION,
  folder: FOLDER,
  node: NODE,
  watchdog: WATCHDOG,
} = process.env['GANTRY_VSCODE'] === 'oldest' ? OLDEST : TODAYS;

export const HOME = join(import.meta.dirname, '../../../.bed', FOLDER);
/** The npm package with VS Code's own Node; empty if it is the one of this repository. */
export const NODE_PACKAGE =
  NODE === '' || process.platform !== 'linux' ? '' : `node-linux-${process.arch}`;
export const VSCODE = join(HOME, 'lib/vscode');

/** What code-server's AI features need is not used here: extensions, and modules of 350 MB. */
const UNUSED = ['extensions/copilot', 'extensions/mermaid-markdown-features'];
const UNUSED_MODULES = ['@github/copilot-sdk', '@microsoft/mxc-sdk'];

/** VS Code may get this module as a commit from GitHub; this is the nearest release on npm. */
const WATCHER = { name: '@parcel/watcher', version: '2.5.1' };

/** Folders with one build per platform, of which only one is needed. */
const BUILDS = ['node_modules/@vscode/ripgrep-universal/bin', 'node_modules/node-pty/prebuilds'];

/**
 * Installs VS Code's server and workbench in place of what is there.
 *
 * @param {() => string} findNode returns the Node that npm runs on; it may be one that is installed here
 * @param {Log} log
 */
export async function install(findNode, log) {
  const npm = (/** @type {string} */ folder, /** @type {string[]} */ ...args) => {
    const path = `${dirname(findNode())}${delimiter}${process.env['PATH'] ?? ''}`;
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    return run(folder, ['npm', ...args, ...quiet], { ...process.env, PATH: path }, log);
  };
  rmSync(HOME, { recursive: true, force: true });
  mkdirSync(HOME, { recursive: true });
  writeFileSync(join(HOME, 'package.json'), '{ "private": true }\n');
  log(`Installing VS Code's server (code-server ${VERSION}) …`);
  if (NODE_PACKAGE !== '') await npm(HOME, 'install', `${NODE_PACKAGE}@${NODE}`);
  // Only VS Code of it: code-server itself and its modules do not run here.
  await npm(HOME, 'pack', `code-server@${VERSION}`);
  const archive = `code-server-${VERSION}.tgz`;
  const unused = UNUSED.map((folder) => `--exclude=package/lib/vscode/${folder}`);
  const unpack = ['tar', '-xzf', archive, '--strip-components=1', ...unused, 'package/lib/vscode'];
  await run(HOME, unpack, process.env, log);
  rmSync(join(HOME, archive));
  log('  its modules …');
  changeModules();
  // Not `npm ci`, which refuses because the shipped shrinkwrap does not match the manifest.
  await npm(VSCODE, 'install', '--omit=dev');
  replaceNative();
  prune();
}

/**
 * @param {string} folder
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} env
 * @param {Log} log
 */
async function run(folder, [file = '', ...args], env, log) {
  const what = [file, ...args.filter((arg) => !arg.startsWith('-'))].join(' ');
  const began = Date.now();
  const child = spawn(file, args, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const stopped = atEnd(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });
  const ticking = setInterval(() => {
    log(`  ${what}: ${Math.round((Date.now() - began) / 1000)} s`);
  }, 10_000);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      said = (said + text).slice(-4000);
    });
  }
  try {
    /** @type {number | null} */
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    });
    if (code !== 0) throw new Error(`${what} failed (exit ${String(code)}):\n${said}`);
  } finally {
    clearInterval(ticking);
    stopped();
  }
}

/**
 * Returns the paths in `folder` whose name fits.
 *
 * @param {string} folder
 * @param {(name: string) => boolean} fits
 */
function entries(folder, fits) {
  const path = join(VSCODE, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter(fits)
    .map((name) => `${folder}/${name}`);
}

function prune() {
  const here = `${process.platform}-${process.arch}`;
  const gone = BUILDS.flatMap((folder) => entries(folder, (name) => name !== here));
  for (const path of gone) rmSync(join(VSCODE, path), { recursive: true, force: true });
}

/** @typedef {{ dependencies: Record<string, string>, resolved?: string }} Manifest */

/**
 * @template T
 * @param {string} file
 * @param {(json: T) => void} change
 */
function edit(file, change) {
  const path = join(VSCODE, file);
  const json = /** @type {T} */ (JSON.parse(readFileSync(path, 'utf8')));
  change(json);
  writeFileSync(path, JSON.stringify(json, null, 2));
}

/**
 * Leaves out the modules that are not used, and takes the watcher from npm.
 *
 * @param {Manifest} manifest
 */
function changeDependencies(manifest) {
  const all = Object.entries(manifest.dependencies);
  manifest.dependencies = Object.fromEntries(
    all.filter(([name]) => !UNUSED_MODULES.includes(name)),
  );
  if (manifest.dependencies[WATCHER.name]?.includes('#'))
    manifest.dependencies[WATCHER.name] = WATCHER.version;
}

/** @param {[path: string, manifest: Manifest]} entry */
function isKept([path, { resolved }]) {
  if (path === `node_modules/${WATCHER.name}`) return !resolved?.startsWith('git');
  return !UNUSED_MODULES.some((name) => path.startsWith(`node_modules/${name}`));
}

function changeModules() {
  edit('package.json', changeDependencies);
  edit(
    'npm-shrinkwrap.json',
    (/** @type {{ packages: Record<string, Manifest> }} */ shrinkwrap) => {
      const { packages } = shrinkwrap;
      if (packages['']) changeDependencies(packages['']);
      shrinkwrap.packages = Object.fromEntries(Object.entries(packages).filter(isKept));
    },
  );
}

/**
 * Replaces the two modules that would have to be compiled, which takes half a minute. The watchdog ends an extension
 * host whose server is gone, for which VS Code has a timer too.
 */
function replaceNative() {
  const modules = join(VSCODE, 'node_modules');
  copyFileSync(join(import.meta.dirname, 'spdlog.cjs'), join(modules, '@vscode/spdlog/index.js'));
  writeFileSync(join(modules, WATCHDOG, 'index.js'), 'exports.start = () => undefined;\n');
}
