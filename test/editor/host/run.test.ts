// Runs the suites of ./suite in the extension host of a real VS Code, and reports each of their tests here.
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { runTests } from '@vscode/test-electron';
import { makeBed } from '../../bed/bed.ts';
import { bedVariables, buildUnderTest } from '../../bed/env.ts';
import { atEnd } from '../../bed/vscode/cleanup.mjs';
import { bundleSuites } from './bundle.ts';
import { LINES_FILE, OTHER_ENGINE, type OtherEngine } from './lines.ts';
import { addResults, readOutcome, type Outcome } from './outcome.ts';

const ROOT = join(import.meta.dirname, '../../..');
const OUT = join(ROOT, 'out/host');
const KIND = process.env['GANTRY_BED_KIND'] ?? 'no engine';
const LOG = join(OUT, `${KIND.replace(' ', '-')}.log`);

/** Suites (comma-separated) that run on Podman too. */
const ON_PODMAN = process.env['GANTRY_HOST_ON_PODMAN'] ?? '';

/** Limit of the shim, in milliseconds; mocha itself waits a little longer. */
const LIMIT_MS = Number(process.env['GANTRY_HOST_TIMEOUT_MS'] ?? 600_000);
const SPARE_MS = 60_000;

/**
 * Whether to use the downloaded desktop build instead of the one that is served to a browser and runs
 * everywhere.
 */
const desktop = process.env['VSCODE_REAL'] === '1';

function environment(lines: string): Record<string, string | undefined> {
  const socket = process.env['GANTRY_BED_SOCKET'];
  const ours = Object.keys(process.env).filter((name) => name.startsWith('DOCKER_'));
  return {
    // Keeps the user's own engine and credentials out of the tests.
    ...Object.fromEntries(ours.map((name) => [name, undefined])),
    DOCKER_HOST: socket === undefined ? undefined : `unix://${socket}`,
    DOCKER_CONFIG: join(ROOT, 'out/no-docker-config'),
    REGISTRY_AUTH_FILE: join(ROOT, 'out/no-docker-config/auth.json'),
    // The first line of the shim runs `node`, which has to be this one.
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
    GANTRY_HOST_TIMEOUT_MS: String(LIMIT_MS),
    [LINES_FILE]: lines,
  };
}

/** Starts Podman for the suites that run there too, during `work`. */
async function withOther<T>(work: (other: OtherEngine | undefined) => Promise<T>): Promise<T> {
  if (ON_PODMAN === '') return work(undefined);
  const { engine, facts } = await makeBed('podman', { build: buildUnderTest() });
  try {
    return await work({ variables: bedVariables(facts), suites: ON_PODMAN.split(',') });
  } finally {
    await engine.stop();
  }
}

/** Runs the suites in VS Code, in a separate folder; resolves to the error if the run did not succeed. */
async function runHost(
  tests: string,
  lines: string,
  scratch: string,
  other: OtherEngine | undefined,
): Promise<unknown> {
  const folder = join(scratch, 'work');
  const userData = join(scratch, 'user');
  mkdirSync(folder);
  const log = createWriteStream(LOG);
  try {
    await runTests({
      ...(desktop ? {} : { vscodeExecutablePath: join(ROOT, 'test/bed/vscode/code-shim.mjs') }),
      extensionDevelopmentPath: process.env['GANTRY_EXTENSION'] ?? ROOT,
      extensionTestsPath: tests,
      launchArgs: [folder, `--user-data-dir=${userData}`],
      extensionTestsEnv: {
        ...environment(lines),
        ...(other && { [OTHER_ENGINE]: JSON.stringify(other) }),
      },
      stdout: log,
      stderr: log,
    });
    return undefined;
  } catch (error) {
    return error;
  } finally {
    log.end();
    await finished(log);
  }
}

function judge({ ended, done }: Outcome, problem: unknown): void {
  const failed = ended.some(({ state }) => state === 'failed');
  // A failed test explains a failed run, and is reported as a test here.
  if (done && ended.length > 0 && failed === (problem !== undefined)) return;
  const said = readFileSync(LOG, 'utf8').slice(-3000);
  throw new Error(`The suite did not come to its end.\n${said}`, { cause: problem });
}

describe(`in the extension host (${KIND})`, () => {
  it('the suite comes to its end', async function () {
    this.timeout(LIMIT_MS + SPARE_MS);
    mkdirSync(OUT, { recursive: true });
    // Runs on two engines may be active at the same time.
    const bundles = mkdtempSync(join(OUT, 'run-'));
    // A short path, because VS Code creates sockets in it, whose paths are limited to about 100 characters.
    const scratch = mkdtempSync(join(tmpdir(), 'gantry-run-'));
    const remove = () => {
      for (const folder of [bundles, scratch]) rmSync(folder, { recursive: true, force: true });
    };
    const released = atEnd(remove);
    try {
      const lines = join(scratch, 'lines');
      const tests = await bundleSuites(bundles);
      const problem = await withOther((other) => runHost(tests, lines, scratch, other));
      const outcome = readOutcome(lines, bundles);
      addResults(this.test!.parent!, outcome);
      judge(outcome, problem);
    } finally {
      remove();
      released();
    }
  });
});
