import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { atEnd } from './cleanup.mjs';
import { manifestOf, settingsFiles } from './settings.mjs';
import { nodeForVSCode, vscodeFolder } from './setup.mjs';

/** @typedef {import('./settings.mjs').Settings} Settings */

/** @typedef {{ folder?: string, payload?: readonly (readonly [string, string])[] }} PageParams */

/**
 * @typedef {object} ServeOptions
 * @property {string} [extension] folder of an unpacked extension, linked in as installed
 * @property {string} [folder] folder to open in the page; default: an empty folder
 * @property {readonly string[]} [extensions] more folders like `extension`
 * @property {readonly string[]} [builtIn] names of the built-in extensions that VS Code has; default: all
 * @property {NodeJS.ProcessEnv} [env] for the server and so for the extension host
 * @property {string} [token] required in every address; without it any user of this machine has access
 * @property {number} [port]
 * @property {Settings} [settings] added to those that keep VS Code quiet
 * @property {readonly string[]} [serverArgs]
 * @property {boolean} [trust] ask whether to trust folders; otherwise all are trusted
 * @property {boolean} [smoke] let a page's `payload` set development mode and tests; hides toasts
 * @property {(text: string) => void} [log] receives the server's output
 */

/**
 * @typedef {object} Served
 * @property {string} host `127.0.0.1:PORT`
 * @property {string} url the address to open, with token and folder
 * @property {(params?: PageParams) => string} page another address on the same server
 * @property {(changes: Settings) => void} changeSettings takes effect in open pages, without a reload
 * @property {() => Promise<void>} stop ends every process and removes every file; may be called again
 * @property {Promise<{ code: number | null, signal: NodeJS.Signals | null }>} exited
 * @property {string} userDataDir
 * @property {string} extensionsDir
 * @property {number} pid also the ID of the server's process group
 */

/** For unattended servers: they exit some minutes after a runner that was killed. */
export const UNATTENDED = ['--enable-remote-auto-shutdown', '--reconnection-grace-time', '5'];

/**
 * The built-in extensions that the tests need: themes, and the languages of the files that Gantry works with. VS Code
 * would read all others at every start, and run many of them.
 */
export const NEEDED_BUILT_IN = [
  ...['theme-defaults', 'theme-seti'],
  ...['docker', 'json', 'json-language-features', 'yaml'],
];

/**
 * Variables that the extension would take for the user's configuration, and those that would make the server
 * consider itself part of another VS Code or of an npm script.
 */
const NOT_INHERITED = /^(GANTRY|DOCKER|CONTAINER|PODMAN|VSCODE|ELECTRON|NODE_OPTIONS|npm_)/;

const START_LIMIT_MS = 30_000;
/** An extension host whose page is gone would run on for seconds, and has nothing to save. */
const STOP_LIMIT_MS = 1000;

/**
 * @param {NodeJS.ProcessEnv} extra
 * @param {string} temporary
 */
function environment(extra, temporary) {
  const inherited = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name));
  return {
    ...Object.fromEntries(inherited),
    TMPDIR: temporary,
    // The server stores a machine ID there.
    XDG_CACHE_HOME: temporary,
    // Otherwise every start contacts open-vsx.org.
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    ...extra,
  };
}

/**
 * @param {string} extensionsDir
 * @param {readonly string[]} extensions
 */
function link(extensionsDir, extensions) {
  mkdirSync(extensionsDir);
  for (const extension of extensions) {
    const { publisher, name, version } = manifestOf(extension);
    symlinkSync(extension, join(extensionsDir, `${publisher}.${name}-${version}`));
  }
}

/**
 * @param {string} dir
 * @param {string | undefined} token
 */
function tokenArgs(dir, token) {
  if (token === undefined) return ['--without-connection-token'];
  // In a file, because every user of the machine can read a command line.
  const file = join(dir, 'token');
  writeFileSync(file, token, { mode: 0o600 });
  return ['--connection-token-file', file];
}

/**
 * @param {string} dir
 * @param {readonly string[] | undefined} names
 */
function builtInArgs(dir, names) {
  if (names === undefined) return [];
  const folder = join(dir, 'built-in');
  mkdirSync(folder);
  for (const name of names)
    symlinkSync(join(vscodeFolder(), 'extensions', name), join(folder, name));
  return ['--builtin-extensions-dir', folder];
}

/**
 * @param {string} dir
 * @param {ServeOptions} options
 */
function start(dir, options) {
  const { env = {}, token, port = 0, serverArgs = [], trust = false, smoke = false } = options;
  const temporary = join(dir, 'tmp');
  mkdirSync(temporary);
  return spawn(
    nodeForVSCode(),
    [
      join(vscodeFolder(), 'out/server-main.js'),
      ...['--host', '127.0.0.1', '--port', String(port), ...tokenArgs(dir, token)],
      ...['--server-data-dir', join(dir, 'server'), '--user-data-dir', join(dir, 'user')],
      ...['--extensions-dir', join(dir, 'extensions'), '--telemetry-level', 'off'],
      ...builtInArgs(dir, options.builtIn),
      ...['--accept-server-license-terms', ...(trust ? [] : ['--disable-workspace-trust'])],
      // Otherwise the variables of a login shell replace those set here, including DOCKER_HOST.
      '--force-disable-user-env',
      ...(smoke ? ['--enable-smoke-test-driver'] : []),
      ...serverArgs,
    ],
    // In a process group of its own, so that the extension host and terminals die with the server.
    { env: environment(env, temporary), stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
}

/**
 * @param {ReturnType<typeof start>} server
 * @param {(text: string) => void} log
 * @returns {Promise<string>}
 */
function listening(server, log) {
  return new Promise((resolve, reject) => {
    let said = '';
    const late = setTimeout(() => {
      reject(new Error(`VS Code's server did not start in ${START_LIMIT_MS / 1000} s:\n${said}`));
    }, START_LIMIT_MS);
    for (const stream of [server.stdout, server.stderr]) {
      stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
        log(text);
        if (said.length < 20_000) said += text;
        const host = /Server bound to (127\.0\.0\.1:\d+)/.exec(said)?.[1];
        if (host !== undefined) resolve(host);
      });
    }
    server.once('error', reject).once('exit', (code, signal) => {
      reject(new Error(`VS Code's server ended at once (${String(code ?? signal)}):\n${said}`));
    });
    server.once('exit', () => clearTimeout(late));
    /** @type {{ unref(): void }} */ (late).unref();
  });
}

/**
 * @param {number} group
 * @param {NodeJS.Signals | 0} signal
 */
function signalGroup(group, signal) {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
}

/** @param {number} group */
async function endGroup(group) {
  signalGroup(group, 'SIGTERM');
  for (const began = Date.now(); Date.now() - began < STOP_LIMIT_MS && signalGroup(group, 0);)
    await pause(25);
  signalGroup(group, 'SIGKILL');
}

/** @param {string} dir */
function remove(dir) {
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/**
 * @param {ReturnType<typeof start>} server
 * @returns {Served['exited']}
 */
function exitOf(server) {
  return new Promise((resolve) => server.once('exit', (code, signal) => resolve({ code, signal })));
}

/**
 * @param {string} dir
 * @param {string | undefined} wanted
 */
function folderToOpen(dir, wanted) {
  if (wanted === undefined) {
    const empty = join(dir, 'folder');
    mkdirSync(empty);
    return empty;
  }
  if (!existsSync(wanted)) throw new Error(`There is no folder ${wanted}`);
  return wanted;
}

/**
 * @param {string} host
 * @param {string} folder
 * @param {string | undefined} token
 * @returns {(params?: PageParams) => string}
 */
function addresses(host, folder, token) {
  return (params = {}) => {
    const url = new URL(`http://${host}/`);
    if (token !== undefined) url.searchParams.set('tkn', token);
    url.searchParams.set('folder', params.folder ?? folder);
    if (params.payload) url.searchParams.set('payload', JSON.stringify(params.payload));
    return url.href;
  };
}

/**
 * Serves a real VS Code, with extensions installed, to a browser on this machine. Everything it writes is in
 * one temporary folder, which `stop` removes.
 *
 * @param {ServeOptions} options
 * @returns {Promise<Served>}
 */
export async function serveVSCode(options) {
  const extensions = [options.extension ?? [], options.extensions ?? []].flat();
  const dir = mkdtempSync(join(tmpdir(), 'gantry-vscode-'));
  const userDataDir = join(dir, 'user');
  const extensionsDir = join(dir, 'extensions');
  /** @type {ReturnType<typeof start> | undefined} */
  let server;
  const released = atEnd(() => {
    if (server?.pid !== undefined) signalGroup(server.pid, 'SIGKILL');
    remove(dir);
  });
  /** @type {Promise<void> | undefined} */
  let stopping;
  const stop = () =>
    (stopping ??= (async () => {
      if (server?.pid !== undefined) await endGroup(server.pid);
      remove(dir);
      released();
    })());
  try {
    const changeSettings = settingsFiles(userDataDir, extensions);
    changeSettings(options.settings ?? {});
    link(extensionsDir, extensions);
    const folder = folderToOpen(dir, options.folder);
    server = start(dir, options);
    const exited = exitOf(server);
    const host = await listening(server, options.log ?? (() => undefined));
    const page = addresses(host, folder, options.token);
    const pid = server.pid ?? 0;
    return {
      host,
      url: page(),
      page,
      changeSettings,
      stop,
      exited,
      userDataDir,
      extensionsDir,
      pid,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
