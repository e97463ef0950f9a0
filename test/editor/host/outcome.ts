import { existsSync, readFileSync } from 'node:fs';
import Mocha from 'mocha';
import { mapStack } from './stacks.ts';
import type { Ended, Failure, Line } from './lines.ts';

/** What became of the suite in the extension host. */
export interface Outcome {
  readonly ended: readonly Ended[];
  /** Tests that were under way when the host died. */
  readonly cutOff: readonly (readonly string[])[];
  /** The suite came to its end, whatever its tests' results. */
  readonly done: boolean;
}

/**
 * Reads what the suite has told.
 *
 * @param bundles where its bundles are
 */
export function readOutcome(file: string, bundles: string): Outcome {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const events = lines.map((line) => JSON.parse(line) as Line);
  const ended = events
    .filter((line) => line.event === 'ended')
    .map((line) => withSources(line, bundles));
  const done = events.some((line) => line.event === 'done');
  const known = new Set(ended.map(({ path }) => key(path)));
  const begun = events.filter((line) => line.event === 'begun').map(({ path }) => path);
  // In a suite that ended, a test without an end is one whose hook failed, and that is told.
  const cutOff = done ? [] : begun.filter((path) => !known.has(key(path)));
  return { ended, cutOff, done };
}

/**
 * Makes a test for each of the suite's, with the same result, so that each is counted and named.
 *
 * Mocha looks for a suite's further suites only after its own tests, so a running test may call this.
 */
export function addResults(parent: Mocha.Suite, { ended, cutOff }: Outcome): void {
  for (const { path, state, failure } of ended) {
    add(parent, path, state === 'pending' ? 'pending' : failure);
  }
  for (const path of cutOff) {
    add(parent, path, { message: 'The extension host died, or was given up, during this test.' });
  }
}

function add(
  parent: Mocha.Suite,
  path: readonly string[],
  result: Failure | 'pending' | undefined,
): void {
  const title = path.at(-1) ?? '';
  // The parent's own tests are being run, and mocha would not see another one.
  const around = path.length > 1 ? path.slice(0, -1) : ['outside any suite'];
  const suite = around.reduce(childSuite, parent);
  if (result === 'pending') {
    suite.addTest(new Mocha.Test(title));
    return;
  }
  const test = new Mocha.Test(title, () => {
    if (result !== undefined) throw errorOf(result);
  });
  suite.addTest(test);
}

function childSuite(parent: Mocha.Suite, title: string): Mocha.Suite {
  const known = parent.suites.find((suite) => suite.title === title);
  return known ?? Mocha.Suite.create(parent, title);
}

function errorOf({ message, stack }: Failure): Error {
  const error = new Error(message);
  // The inner stack says where; the one of this line would only mislead.
  error.stack = stack ?? message;
  return error;
}

function withSources(line: Ended, bundles: string): Ended {
  if (line.failure?.stack === undefined) return line;
  return { ...line, failure: { ...line.failure, stack: mapStack(line.failure.stack, bundles) } };
}

function key(path: readonly string[]): string {
  return JSON.stringify(path);
}
