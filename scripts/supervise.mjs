// Runs the real work of a script in a child under the installed Node, and sees to it that the child
// hears of every end this process may come to. Node 20, no dependencies.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
/** How often to look whether npm, whose child this is, has been killed. */
const WATCH = 500;

/** The Node the project runs on: the installed one, else this one. */
export function projectNode() {
  const own = join(root, 'node_modules/.bin/node');
  return existsSync(own) ? own : process.execPath;
}

/**
 * @typedef {object} Outcome
 * @property {number} code the child's exit status, or 128 and the signal's number
 * @property {unknown} message the last it sent
 */

/**
 * Runs a program to its end. Signals are passed on to it; when this process or its parent is killed
 * outright it is told by the end of its channel.
 *
 * @param {readonly string[]} argv a file in the repository and its arguments
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Outcome>}
 */
export function supervise([file = '', ...args], env) {
  const child = spawn(projectNode(), [join(root, file), ...args], {
    cwd: root,
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  /** @type {unknown} */
  let message;
  child.on('message', (latest) => (message = latest));
  const stopListening = passOn((signal) => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      stopListening();
      resolve({ code: code ?? (signal ? 130 : 1), message });
    });
  });
}

/** The processes from npm down to this one; a process whose parent has died gets another one. */
function npmAbove() {
  if (!process.env['npm_lifecycle_event']) return [];
  const parent = process.ppid;
  // npm runs a script by a shell, and some shells stay between.
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
 * Calls `tell` for each signal, and when npm is no more: it cannot pass on its own SIGKILL.
 *
 * @param {(signal: NodeJS.Signals) => void} tell
 */
function passOn(tell) {
  for (const signal of SIGNALS) process.on(signal, tell);
  const parents = npmAbove();
  const watch = setInterval(() => {
    if (parents.join() !== npmAbove().join()) tell('SIGTERM');
  }, WATCH);
  watch.unref();
  return () => {
    clearInterval(watch);
    for (const signal of SIGNALS) process.off(signal, tell);
  };
}
