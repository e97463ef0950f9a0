// Debian's packages, without the services they would start and enable. Node 20, no dependencies.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locked } from './vscode/lock.mjs';

/** @typedef {import('./system.mjs').Log} Log */

const POLICY = '/usr/sbin/policy-rc.d';
const MARK = 'put here by the set-up of a test bed';
/** Another package manager may be at work, the nightly upgrade for one. */
const WAIT = ['-o', 'DPkg::Lock::Timeout=600'];
const TICK = 10_000;
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** Whether this is a system that `aptInstall` can do something for. */
export function hasApt() {
  return existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');
}

/**
 * Installs packages; none of the services they bring is started, now or at the next boot.
 *
 * @param {readonly string[]} packages
 * @param {Log} log
 * @param {() => boolean} needed asked again when another run may have done it meanwhile
 */
export async function aptInstall(packages, log, needed) {
  await locked(
    join(tmpdir(), 'gantry-apt.lock'),
    async () => {
      if (!needed()) return;
      log(`Installing Debian packages: ${packages.join(' ')}`);
      await withoutServices(() => runApt(packages, log), log);
    },
    (pid) => {
      log(`Another run (process ${pid}) is installing Debian packages; waiting for it …`);
    },
  );
}

/**
 * @param {readonly string[]} packages
 * @param {Log} log
 */
async function runApt(packages, log) {
  // An install that was interrupted earlier would make apt refuse everything.
  await run('dpkg', ['--configure', '-a'], log);
  await run('apt-get', [...WAIT, 'update'], log);
  await run('apt-get', [...WAIT, 'install', '--yes', '--no-install-recommends', ...packages], log);
}

/**
 * Keeps services from starting while `work` goes on. Ctrl-C has to wait: a package manager that is cut
 * off leaves a broken system, and one that goes on without the policy starts services.
 *
 * @param {() => Promise<void>} work
 * @param {Log} log
 */
async function withoutServices(work, log) {
  const state = { interrupted: false };
  const hold = () => {
    if (!state.interrupted) log('Stopping as soon as the packages are installed …');
    state.interrupted = true;
  };
  const before = new Set(enabledUnits());
  const allow = forbidStarts();
  for (const signal of SIGNALS) process.on(signal, hold);
  try {
    await work();
  } finally {
    allow();
    const added = enabledUnits().filter((unit) => !before.has(unit));
    if (added.length > 0) systemctl('disable', '--now', ...added);
    for (const signal of SIGNALS) process.off(signal, hold);
  }
  if (state.interrupted) process.exit(130);
}

/** Debian's packages ask this file before they start a service; one that is there already stays. */
function forbidStarts() {
  if (existsSync(POLICY) && !readFileSync(POLICY, 'utf8').includes(MARK)) return () => undefined;
  writeFileSync(POLICY, `#!/bin/sh\n# ${MARK}\nexit 101\n`, { mode: 0o755 });
  return () => {
    rmSync(POLICY, { force: true });
  };
}

/** @returns {string[]} */
function enabledUnits() {
  if (!existsSync('/run/systemd/system')) return [];
  const list = systemctl('list-unit-files', '--state=enabled', '--no-legend', '--plain');
  return list
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '')
    .filter(Boolean);
}

/** @param {string[]} args */
function systemctl(...args) {
  return execFileSync('systemctl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/**
 * @param {string} file
 * @param {string[]} args
 * @param {Log} log
 */
async function run(file, args, log) {
  const what = `${file} ${args.find((arg) => /^[a-z]+$/.test(arg)) ?? ''}`;
  const child = spawn(file, args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: Ctrl-C is for us.
    detached: true,
  });
  const began = Date.now();
  let said = '';
  const hear = (/** @type {Buffer} */ chunk) => (said = (said + chunk.toString()).slice(-4000));
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const ticking = setInterval(() => {
    const last = said.trim().split('\n').at(-1) ?? '';
    log(`  ${what}: ${Math.round((Date.now() - began) / 1000)} s, ${last.slice(0, 100)}`);
  }, TICK);
  /** @type {Promise<number | null>} */
  const end = new Promise((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const code = await end.finally(() => {
    clearInterval(ticking);
  });
  if (code !== 0) throw new Error(`${what} failed:\n${said}`);
}
