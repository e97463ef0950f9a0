// Installs Debian packages without starting or enabling their services. Runs on Node 20, without dependencies.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locked } from './vscode/lock.mjs';

/** @typedef {import('./system.mjs').Log} Log */

const POLICY = '/usr/sbin/policy-rc.d';
const MARK = 'put here by the set-up of a test bed';
/** If it exists, each installation updates the index of manual pages, which takes seconds. */
const MANUAL_INDEX = '/var/lib/man-db/auto-update';
/**
 * Waits up to 600 s for the lock, because another package manager may be running, for example the nightly
 * upgrade.
 */
const WAIT = ['-o', 'DPkg::Lock::Timeout=600'];
const TICK = 10_000;
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** Returns whether `aptInstall` can install packages on this system. */
export function hasApt() {
  return existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');
}

/**
 * Installs packages. None of their services is started, now or at the next boot.
 *
 * @param {readonly string[]} packages
 * @param {Log} log
 * @param {() => boolean} needed checked under the lock, because another run may have installed the packages
 */
export async function aptInstall(packages, log, needed) {
  await locked(
    join(tmpdir(), 'gantry-apt.lock'),
    async () => {
      if (!needed()) return;
      log(`Installing Debian packages: ${packages.join(' ')}`);
      await withoutServices(() => runApt(packages, log), log);
    },
    (pid) => log(`Another run (process ${pid}) is installing Debian packages; waiting for it …`),
  );
}

/**
 * @param {readonly string[]} packages
 * @param {Log} log
 */
async function runApt(packages, log) {
  // apt refuses all work after an interrupted installation.
  await run('dpkg', ['--configure', '-a'], log);
  await run('apt-get', [...WAIT, 'update'], log);
  await run('apt-get', [...WAIT, 'install', '--yes', '--no-install-recommends', ...packages], log);
}

/**
 * Prevents services from starting during `work`. Ctrl-C has to wait: an interrupted package manager leaves a
 * broken system, and one that continues without the policy starts services.
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
  const index = postponeManualIndex();
  for (const signal of SIGNALS) process.on(signal, hold);
  try {
    await work();
  } finally {
    allow();
    index();
    const added = enabledUnits().filter((unit) => !before.has(unit));
    if (added.length > 0) systemctl('disable', '--now', ...added);
    for (const signal of SIGNALS) process.off(signal, hold);
  }
  if (state.interrupted) process.exit(130);
}

/** Creates the file that Debian packages check before they start a service; a foreign file is kept. */
function forbidStarts() {
  if (existsSync(POLICY) && !readFileSync(POLICY, 'utf8').includes(MARK)) return () => undefined;
  writeFileSync(POLICY, `#!/bin/sh\n# ${MARK}\nexit 101\n`, { mode: 0o755 });
  return () => rmSync(POLICY, { force: true });
}

/** Leaves the index of manual pages to the daily job of its package. Returns what ends that. */
function postponeManualIndex() {
  if (!existsSync(MANUAL_INDEX)) return () => undefined;
  rmSync(MANUAL_INDEX);
  return () => writeFileSync(MANUAL_INDEX, '');
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
    // In a process group of its own, so that Ctrl-C does not reach the package manager.
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
  const end = new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  const code = await end.finally(() => clearInterval(ticking));
  if (code !== 0) throw new Error(`${what} failed:\n${said}`);
}
