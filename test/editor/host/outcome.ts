import { existsSync, readFileSync } from 'node:fs';
import Mocha from 'mocha';
import { mapStack } from './stacks.ts';
import type { Ended, Failure, Line } from './lines.ts';

/** Outcome of the suite in the extension host. */
export interface Outcome {
  readonly ended: readonly Ended[];
  /** Tests that were running when the host died. */
  readonly cutOff: readonly (readonly string[])[];
  /** Whether the suite came to its end, whatever the results of its tests. */
  readonly done: boolean;
}

/**
 * Reads the messages of the suite.
 *
 * @param bundles folder of the bundled suites
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
  // If the suite ended, a test without an end is one whose hook failed, which is reported.
  const cutOff = done ? [] : begun.filter((path) => !known.has(key(path)));
  return { ended, cutOff, done };
}

/**
 * Adds a test with the same result for each test of the suite, so that each is counted and named.
 *
 * Mocha looks for nested suites only after a suite's own tests, so a running test may call this.
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
  // The parent's own tests are already running, so that mocha would ignore another one.
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
  // The inner stack has the location; the stack of this line would be misleading.
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
