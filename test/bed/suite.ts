// One run of mocha as a program: node test/bed/suite.ts OUT TIMEOUT PATTERN [--list]
// Prints the failures, and writes the test names by outcome to OUT as JSON. With --list, only lists the names and
// runs no test.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import Mocha from 'mocha';
import { BriefReporter } from './briefReporter.ts';

/** Full names of tests by outcome. */
export interface Outcome {
  readonly passed: string[];
  /** Each with the first lines of its error. */
  readonly failed: string[];
  readonly skipped: string[];
}

/** These suites run in the extension host of VS Code; run.test.ts beside them starts them there. */
const INSIDE = 'test/editor/host/suite/**';
/** What Node.js makes of the TypeScript files, kept for other processes and later runs. */
const COMPILED = join(import.meta.dirname, '../../.bed/compiled');
/** In milliseconds. A process that runs longer after its last test has left something open. */
const LINGER = 10_000;
const ERROR_LINES = 12;
const ERROR_WIDTH = 300;

/** Reads the outcome of a run; returns undefined if the run ended before it wrote one. */
export function readOutcome(file: string): Outcome | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Outcome;
  } catch {
    return undefined;
  }
}

/** Returns the first lines of an error for the list of failures at the end of a run. */
function headOf(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const lines = text.split('\n').slice(0, ERROR_LINES);
  return lines.map((line) => `      ${line.slice(0, ERROR_WIDTH)}`).join('\n');
}

function note(runner: Mocha.Runner): Outcome {
  const outcome: Outcome = { passed: [], failed: [], skipped: [] };
  runner.on('pass', (test) => outcome.passed.push(test.fullTitle()));
  runner.on('fail', (test, error) => outcome.failed.push(`${test.fullTitle()}\n${headOf(error)}`));
  runner.on('pending', (test) => outcome.skipped.push(test.fullTitle()));
  return outcome;
}

async function main([out, timeout, pattern, flag]: string[]): Promise<void> {
  enableCompileCache(COMPILED);
  const dryRun = flag === '--list';
  // An unhandled rejection fails the running test.
  process.on('unhandledRejection', (reason) => {
    throw reason;
  });
  const mocha = new Mocha({
    timeout: Number(timeout),
    dryRun,
    reporter: dryRun ? 'min' : BriefReporter,
  });
  mocha.files = globSync(pattern!, { exclude: [INSIDE] }).sort();
  if (mocha.files.length === 0) throw new Error(`There are no tests ${pattern!}`);
  await mocha.loadFilesAsync();
  const runner = mocha.run((failures) => {
    writeFileSync(out!, JSON.stringify(outcome));
    process.exitCode = failures > 0 ? 1 : 0;
    setTimeout(complain, LINGER).unref();
  });
  const outcome = note(runner);
}

function complain(): void {
  console.error(`The tests are over, but something keeps the process alive.`);
  process.exit(1);
}

if (import.meta.main) await main(process.argv.slice(2));
