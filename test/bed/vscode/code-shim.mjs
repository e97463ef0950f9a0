#!/usr/bin/env node
// Replaces the `code` executable that @vscode/test-electron starts: accepts the same flags, runs the tests in
// the extension host of a served VS Code, prints their output, and exits with their result.
import { existsSync, fstatSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { format } from 'node:util';
import { launchBrowser } from './browser.ts';
import { atEnd } from './cleanup.mjs';
import { NEEDED_BUILT_IN, serveVSCode } from './serve.mjs';

/** Timeout of the whole run, because nothing else reports an endless loop in a test. */
const LIMIT_MS = Number(process.env['GANTRY_HOST_TIMEOUT_MS'] ?? 300_000);

/** The tests look at no window: what it draws only costs time, so it is small, and draws little. */
const SIZE = { width: 480, height: 320 };
const SETTINGS = {
  'breadcrumbs.enabled': false,
  'editor.bracketPairColorization.enabled': false,
  'editor.codeLens': false,
  'editor.colorDecorators': false,
  'editor.folding': false,
  'editor.links': false,
  'editor.maxTokenizationLineLength': 1,
  'editor.minimap.enabled': false,
  'editor.occurrencesHighlight': 'off',
  'editor.stickyScroll.enabled': false,
  'editor.unicodeHighlight.ambiguousCharacters': false,
  'editor.unicodeHighlight.invisibleCharacters': false,
  'remote.autoForwardPorts': false,
  'remote.autoForwardPortsSource': 'output',
  'terminal.integrated.gpuAcceleration': 'off',
  'workbench.activityBar.location': 'hidden',
  'workbench.editor.languageDetection': false,
  'workbench.editor.showTabs': 'none',
  'workbench.reduceMotion': 'on',
  'workbench.statusBar.visible': false,
};
/** VS Code's own lines on the console to which the tests write. */
const NOISE =
  /^(Resolv|Creating a socket|Updating additional|Ignoring fetching additional|No search provider|\[(reconnection-grace|Service Worker|AgentHost|AccountPolicy))/;

/** @param {string} name */
function flag(name) {
  const prefix = `--${name}=`;
  return process.argv
    .filter((arg) => arg.startsWith(prefix))
    .map((arg) => resolve(arg.slice(prefix.length)));
}

function testsFile() {
  const [path] = flag('extensionTestsPath');
  if (path === undefined) throw new Error('Only runs tests: --extensionTestsPath is missing');
  return path;
}

/** Returns the variables that the caller set for the tests, because `serveVSCode` does not inherit them. */
function passedOn() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(GANTRY|DOCKER|CONTAINER)/.test(name)),
  );
}

/**
 * @param {import('playwright-core').Page} page one that has loaded nothing yet
 * @returns {Promise<{ result: Promise<number> }>} what VS Code reports as the result of the tests
 */
async function listen(page) {
  /** @type {PromiseWithResolvers<number>} */
  const { promise, resolve: ended, reject } = Promise.withResolvers();
  // Prevents an unhandled rejection before the caller awaits the result.
  promise.catch(() => undefined);
  page.once('crash', () => reject(new Error('The page crashed')));
  page.once('close', () => reject(new Error('The page was closed')));
  setTimeout(() => {
    reject(new Error(`The tests did not end in ${LIMIT_MS / 1000} s`));
  }, LIMIT_MS).unref();
  // The workbench calls these two functions if the page has them.
  await page.exposeFunction('codeAutomationLog', print);
  await page.exposeFunction('codeAutomationExit', ended);
  return { result: promise };
}

/**
 * @param {string} _level
 * @param {unknown[]} args
 */
function print(_level, args) {
  const text = format(...args);
  if (!NOISE.test(text)) process.stdout.write(`${text}\n`);
}

/**
 * Returns the payload by which a page requests which extension to develop and which tests to run.
 *
 * @param {string} host
 * @returns {[string, string][]}
 */
function payload(host) {
  /** @type {(name: string, path: string) => [string, string]} */
  const entry = (name, path) => [name, `vscode-remote://${host}${path}`];
  return [
    ...flag('extensionDevelopmentPath').map((path) => entry('extensionDevelopmentPath', path)),
    entry('extensionTestsPath', join(import.meta.dirname, 'exthost-wrap.cjs')),
    ['skipWelcome', 'true'],
  ];
}

/**
 * @param {string} proof file that receives the outcome when the tests end
 * @returns {Promise<number>} the exit code
 */
async function run(proof) {
  const folder = process.argv.slice(2).find((arg) => !arg.startsWith('-'));
  const served = await serveVSCode({
    ...(folder === undefined ? {} : { folder: resolve(folder) }),
    env: { ...passedOn(), GANTRY_HOST_TESTS: testsFile(), GANTRY_HOST_PROOF: proof },
    settings: SETTINGS,
    builtIn: NEEDED_BUILT_IN,
    smoke: true,
    serverArgs: ['--enable-remote-auto-shutdown', '--remote-auto-shutdown-without-delay'],
  });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage(SIZE);
    const { result } = await listen(page);
    await page.goto(served.page({ payload: payload(served.host) }));
    const code = await result;
    if (code !== 0) return code;
    if (existsSync(proof) && readFileSync(proof, 'utf8') === 'passed') return 0;
    console.error('VS Code reports success, but the tests never ended: the extension host died.');
    return 1;
  } finally {
    await browser.close();
    await served.stop();
  }
}

/** Exits when the starter is gone: the starter holds the other end of stdin, which ends with it. */
function dieWithStarter() {
  const input = fstatSync(0);
  if (!input.isFIFO() && !input.isSocket()) return;
  process.stdin.resume().once('end', () => process.exit(1));
  process.stdin.unref();
}

const dir = mkdtempSync(join(tmpdir(), 'gantry-host-'));
const remove = () => rmSync(dir, { recursive: true, force: true });
atEnd(remove);
dieWithStarter();
try {
  process.exitCode = await run(join(dir, 'proof'));
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
remove();
process.exit();
