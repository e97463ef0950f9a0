// Runs the actual work of a script in a child process under the installed Node, and makes sure that the child
// is notified of every way this process may end. Runs on Node 20, without dependencies.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
/** Interval of the checks whether npm, the parent of this process, has been killed, in milliseconds. */
const WATCH = 500;

/** Returns the Node that the project runs on: the installed one, otherwise that of this process. */
export function projectNode() {
  const own = join(root, 'node_modules/.bin/node');
  return existsSync(own) ? own : process.execPath;
}

/**
 * @typedef {object} Outcome
 * @property {number} code the child's exit code, or 130 if a signal ended it
 * @property {unknown} message the last message the child sent
 */

/**
 * Runs a program to its end and forwards signals to it. If this process or its parent is killed, the closed IPC
 * channel notifies the child.
 *
 * @param {readonly string[]} argv a file in the repository and its arguments
 * @param {NodeJS.ProcessEnv} env
 * @param {Promise<unknown>} [provided] when this settles, the child gets one message
 * @returns {Promise<Outcome>}
 */
export function supervise([file = '', ...args], env, provided = Promise.resolve()) {
  const child = spawn(projectNode(), [join(root, file), ...args], {
    cwd: root,
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  /** @type {unknown} */
  let message;
  child.on('message', (latest) => (message = latest));
  const notify = () => child.connected && child.send('provided', () => undefined);
  provided.then(notify, notify);
  const stopListening = passOn((signal) => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      stopListening();
      resolve({ code: code ?? (signal ? 130 : 1), message });
    });
  });
}

/** Returns the process IDs from npm down to this process; they change when a parent dies. */
function npmAbove() {
  if (!process.env['npm_lifecycle_event']) return [];
  const parent = process.ppid;
  // npm runs a script in a shell, and some shells do not replace themselves with the script.
  const { command, ppid } = processFacts(parent);
  return /^(da|ba|z)?sh$/.test(command) ? [parent, ppid] : [parent];
}

/** @param {number} pid */
function processFacts(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, command = '', ppid] = /\((.*)\) \S (\d+)/.exec(status) ?? [];
    return { command, ppid: Number(ppid) };
  } catch {
    return { command: '', ppid: 0 };
  }
}

/**
 * Calls `notify` on each signal, and when npm is gone: npm cannot forward its own SIGKILL.
 *
 * @param {(signal: NodeJS.Signals) => void} notify
 */
function passOn(notify) {
  for (const signal of SIGNALS) process.on(signal, notify);
  const parents = npmAbove();
  const watch = setInterval(() => {
    if (parents.join() !== npmAbove().join()) notify('SIGTERM');
  }, WATCH);
  watch.unref();
  return () => {
    clearInterval(watch);
    for (const signal of SIGNALS) process.off(signal, notify);
  };
}
