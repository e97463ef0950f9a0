// One run of mocha as a program: node test/bed/suite.ts OUT TIMEOUT PATTERN [--list]
// Prints what mocha prints, and writes the tests' names by outcome to OUT as JSON. With --list the
// tests are only named, none is run.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** Full names of tests by outcome. */
export interface Outcome {
  readonly passed: string[];
  readonly failed: string[];
  readonly skipped: string[];
}

/** These are for the extension host of a VS Code; a test beside them takes them there. */
const INSIDE = 'test/editor/host/suite/**';
/** A process that holds on after its last test has left something open. */
const LINGER = 10_000;

/** Reads what a run wrote; `undefined` when it ended before it could. */
export function readOutcome(file: string): Outcome | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Outcome;
  } catch {
    return undefined;
  }
}

function note(runner: Mocha.Runner): Outcome {
  const outcome: Outcome = { passed: [], failed: [], skipped: [] };
  runner.on('pass', (test) => outcome.passed.push(test.fullTitle()));
  runner.on('fail', (test) => outcome.failed.push(test.fullTitle()));
  runner.on('pending', (test) => outcome.skipped.push(test.fullTitle()));
  return outcome;
}

async function main([out, timeout, pattern, flag]: string[]): Promise<void> {
  const dryRun = flag === '--list';
  // A rejection nobody handles is an error of the test that is running.
  process.on('unhandledRejection', (reason) => {
    throw reason;
  });
  const mocha = new Mocha({ timeout: Number(timeout), dryRun, reporter: dryRun ? 'min' : 'spec' });
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
