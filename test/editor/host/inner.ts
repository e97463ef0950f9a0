// The module that the extension host runs: runs mocha on all bundled suites beside it.
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Mocha from 'mocha';
import { LINES_FILE, type Failure, type Line } from './lines.ts';

/** Longer than the limit of `until`, whose error names what was missing. */
const TIMEOUT_MS = 60_000;

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

function report(runner: Mocha.Runner): void {
  runner.on('test', (test) => {
    tell({ event: 'begun', path: test.titlePath() });
  });
  runner.on('pass', (test) => {
    tell({ event: 'ended', path: test.titlePath(), state: 'passed' });
  });
  runner.on('pending', (test) => {
    tell({ event: 'ended', path: test.titlePath(), state: 'pending' });
  });
  // Called for a failed hook too.
  runner.on('fail', (test, error: unknown) => {
    const failure = failureOf(error);
    tell({ event: 'ended', path: test.titlePath(), state: 'failed', failure });
  });
}

/** Entry point that VS Code calls and awaits; rejects if the run failed. */
export async function run(): Promise<void> {
  const mocha = new Runner({ ui: 'bdd', timeout: TIMEOUT_MS, reporter: 'spec', color: false });
  const suites = join(__dirname, 'suite');
  for (const name of readdirSync(suites).sort()) {
    if (name.endsWith('.test.cjs')) mocha.addFile(join(suites, name));
  }
  const failures = await new Promise<number>((resolve) => {
    report(mocha.run(resolve));
  });
  tell({ event: 'done' });
  if (failures > 0) throw new Error(`${failures} failed`);
}
