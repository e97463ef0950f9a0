// The module that the extension host runs: runs mocha on all bundled suites beside it.
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Mocha from 'mocha';
import { bed } from '../../bed/env.ts';
import { useHost } from './kit/settings.ts';
import { LINES_FILE, OTHER_ENGINE, type Failure, type Line, type OtherEngine } from './lines.ts';

/** Longer than the limit of `until`, whose error names what was missing. */
const TIMEOUT_MS = 60_000;
const SUITES = join(__dirname, 'suite');

/** The class. Node 22, unlike later ones, loads the module as an object with all of its exports. */
const { Mocha: Runner = Mocha } = Mocha as typeof Mocha & { readonly Mocha?: typeof Mocha };

function tell(line: Line): void {
  const file = process.env[LINES_FILE];
  if (file === undefined) throw new Error(`${LINES_FILE} is not set`);
  // Written synchronously, so that the line of a test that kills its process is not lost.
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error) };
  return { message: error.message, ...(error.stack === undefined ? {} : { stack: error.stack }) };
}

function report(runner: Mocha.Runner, around: readonly string[]): void {
  const pathOf = (test: Mocha.Runnable): string[] => [...around, ...test.titlePath()];
  runner.on('test', (test) => tell({ event: 'begun', path: pathOf(test) }));
  runner.on('pass', (test) => tell({ event: 'ended', path: pathOf(test), state: 'passed' }));
  runner.on('pending', (test) => tell({ event: 'ended', path: pathOf(test), state: 'pending' }));
  // Called for a failed hook too.
  runner.on('fail', (test, error: unknown) => {
    const failure = failureOf(error);
    tell({ event: 'ended', path: pathOf(test), state: 'failed', failure });
  });
}

/** Resolves to the number of failures. */
function runSuites(files: readonly string[], around: readonly string[] = []): Promise<number> {
  const mocha = new Runner({ ui: 'bdd', timeout: TIMEOUT_MS, reporter: 'spec', color: false });
  for (const file of files) mocha.addFile(join(SUITES, file));
  // Loads a suite again that has run on another engine.
  mocha.unloadFiles();
  return new Promise((resolve) => report(mocha.run(resolve), around));
}

async function runOnOther({ variables, suites }: OtherEngine): Promise<number> {
  Object.assign(process.env, variables);
  const { kind, socket } = bed();
  await useHost(socket);
  return runSuites(
    suites.map((name) => `${name}.test.cjs`),
    [`on ${kind}`],
  );
}

/** Entry point that VS Code calls and awaits; rejects if the run failed. */
export async function run(): Promise<void> {
  const all = readdirSync(SUITES).filter((name) => name.endsWith('.test.cjs'));
  let failures = await runSuites(all.sort());
  const other = process.env[OTHER_ENGINE];
  if (other !== undefined) failures += await runOnOther(JSON.parse(other) as OtherEngine);
  tell({ event: 'done' });
  if (failures > 0) throw new Error(`${failures} failed`);
}
