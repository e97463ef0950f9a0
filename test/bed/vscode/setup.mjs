import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { atEnd } from './cleanup.mjs';
import { locked } from './lock.mjs';

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
/** Increment this when the installation steps change, so that existing folders are installed again. */
const RECIPE = 1;

const ROOT = join(import.meta.dirname, '../../..');
const HOME = join(ROOT, '.bed', FOLDER);
/** The npm package with VS Code's own Node; empty if it is the one of this repository. */
const NODE_PACKAGE =
  NODE === '' || process.platform !== 'linux' ? '' : `node-linux-${process.arch}`;
const PACKAGE = join(HOME, 'node_modules/code-server');
const VSCODE = join(PACKAGE, 'lib/vscode');
const STAMP = join(HOME, 'stamp');

/** Components for code-server's AI features: 350 MB that are not used here. */
const NOT_NEEDED = [
  'extensions/copilot',
  'extensions/mermaid-markdown-features',
  'node_modules/@microsoft/mxc-sdk',
];

/** Folders with one build per platform, of which only one is needed. */
const BUILDS = ['node_modules/@vscode/ripgrep-universal/bin', 'node_modules/node-pty/prebuilds'];

/** @typedef {(line: string) => void} Log */

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
  return `code-server ${VERSION}, recipe ${RECIPE}, ${process.platform}-${process.arch}\n`;
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

/** @returns {NodeJS.ProcessEnv} */
function npmEnvironment() {
  const bin = dirname(nodeForVSCode());
  return { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
}

/**
 * @param {string} folder
 * @param {string[]} args
 * @param {Log} log
 */
async function npm(folder, args, log) {
  const what = `npm ${args.filter((arg) => !arg.startsWith('--')).join(' ')}`;
  const began = Date.now();
  const child = spawn('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    env: npmEnvironment(),
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
  const gone = [
    ...NOT_NEEDED,
    ...entries('node_modules/@github', (name) => name.startsWith('copilot-sdk')),
    ...BUILDS.flatMap((folder) => entries(folder, (name) => name !== here)),
  ];
  for (const path of gone) rmSync(join(VSCODE, path), { recursive: true, force: true });
}

/**
 * Takes a module from npm that a VS Code would get as a commit from GitHub.
 *
 * @param {string} name
 * @param {string} version the release that is nearest to the commit
 */
function takeFromNpm(name, version) {
  /** @typedef {{ dependencies: Record<string, string> }} Manifest */
  const edit = (/** @type {string} */ file, /** @type {(json: any) => void} */ change) => {
    const path = join(VSCODE, file);
    const json = /** @type {unknown} */ (JSON.parse(readFileSync(path, 'utf8')));
    change(json);
    writeFileSync(path, JSON.stringify(json, null, 2));
  };
  const pin = (/** @type {Manifest} */ { dependencies }) => {
    if (dependencies[name]?.includes('#')) dependencies[name] = version;
  };
  edit('package.json', pin);
  edit(
    'npm-shrinkwrap.json',
    (
      /** @type {{ packages: Record<string, Manifest & { resolved?: string }> }} */ { packages },
    ) => {
      if (packages['']) pin(packages['']);
      if (packages[`node_modules/${name}`]?.resolved?.startsWith('git'))
        delete packages[`node_modules/${name}`];
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

/** @param {Log} log */
async function install(log) {
  rmSync(HOME, { recursive: true, force: true });
  mkdirSync(HOME, { recursive: true });
  writeFileSync(join(HOME, 'package.json'), '{ "private": true }\n');
  log(`Installing VS Code's server (code-server ${VERSION}, about half a minute and 600 MB) …`);
  const node = NODE_PACKAGE === '' ? [] : [`${NODE_PACKAGE}@${NODE}`];
  await npm(HOME, ['install', '--ignore-scripts', `code-server@${VERSION}`, ...node], log);
  log('  its modules …');
  takeFromNpm('@parcel/watcher', '2.5.1');
  // Not `npm ci`, which refuses because the shipped shrinkwrap does not match the manifest.
  await npm(VSCODE, ['install', '--ignore-scripts', '--omit=dev'], log);
  replaceNative();
  prune();
  writeFileSync(STAMP, stampWanted());
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
      if (!isInstalled()) await install(log);
    },
    (pid) => {
      log(`Another run (process ${pid}) is installing VS Code's server; waiting for it …`);
    },
  );
  return VSCODE;
}

if (import.meta.main) await setupVSCode({ log: console.log });
