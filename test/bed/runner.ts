// `npm test` under the project's own Node: runs the steps named on the command line, or all of them, and sends
// the counts to the script that started it. With `--all`, runs the whole matrix.
import { shortfall } from './newestSystem.ts';
import { isStopped, stopPrograms, type Sink } from './programs.ts';
import { STEPS } from './steps.ts';
import type { Outcome } from './suite.ts';
import type { Step } from './suiteStep.ts';
import { missingParts } from './system.mjs';

/** Number of parallel steps on two cores: most of the time, a step waits for the engine. */
const AT_ONCE = 4;

const strict = process.env['CI'] === 'true';
const total: Outcome = { passed: [], failed: [], skipped: [] };
const times: string[] = [];

const say = (line: string) => process.stdout.write(`${line}\n`);
const counts = ({ passed, failed, skipped }: Outcome) =>
  `${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`;

/** Resolves when the parts of the bed are installed, as reported by the script that started this one. */
const provided = new Promise<void>((resolve) => {
  if (!process.connected) resolve();
  process.once('message', () => resolve());
});

/** Resolves to the outcome of a step; never rejects. */
async function outcomeOf(step: Step, sink: Sink): Promise<Outcome> {
  if (step.parts.length > 0) await provided;
  const missing = missingParts(step.parts).map(({ what, how }) => `${what} is missing. ${how}`);
  try {
    if (missing.length === 0) return await step.run(sink);
    for (const line of missing) sink(`${line}\n`);
    if (strict) return { passed: [], failed: [`${step.title}: ${missing.join(' ')}`], skipped: [] };
    const skipped = await step.list();
    for (const name of skipped) sink(`  skipped: ${name}\n`);
    return { passed: [], failed: [], skipped };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    sink(`${words}\n`);
    return { passed: [], failed: [`${step.title}: ${words.split('\n')[0] ?? ''}`], skipped: [] };
  }
}

/** Runs a step. The output of parallel steps is printed step by step, each when it is done. */
async function runStep(step: Step, live: boolean): Promise<void> {
  if (isStopped()) return;
  const began = performance.now();
  const kept: string[] = [];
  say(live ? `\n== ${step.title}` : `.. ${step.title} (in the background)`);
  const outcome = await outcomeOf(
    step,
    live ? (text) => process.stdout.write(text) : kept.push.bind(kept),
  );
  if (!live) say(`\n== ${step.title}\n${kept.join('').trimEnd()}`);
  const seconds = (performance.now() - began) / 1000;
  say(`== ${step.title}: ${counts(outcome)}, ${seconds.toFixed(1)} s`);
  times.push(`${(began / 1000).toFixed(0)} s + ${seconds.toFixed(1)} s: ${step.title}`);
  for (const key of ['passed', 'failed', 'skipped'] as const) total[key].push(...outcome[key]);
}

/**
 * Starts the steps in order, as soon as there is room. A step that has to wait for the window lets others go
 * first.
 */
async function runAll(steps: readonly Step[]): Promise<void> {
  const waiting = [...steps];
  const running = new Map<Step, Promise<void>>();
  while (waiting.length > 0) {
    const next = waiting.findIndex((step) => mayBegin(step, [...running.keys()]));
    const [step] = next < 0 ? [] : waiting.splice(next, 1);
    if (!step) {
      await Promise.race(running.values());
      continue;
    }
    const over = runStep(step, steps.length === 1).finally(() => running.delete(step));
    running.set(step, over);
  }
  await Promise.all(running.values());
}

function mayBegin({ drivesWindow, mostlyWaits }: Step, running: readonly Step[]): boolean {
  // What a window shows in time must not depend on steps that need the whole machine.
  const windows = running.filter((other) => other.drivesWindow).length;
  if (drivesWindow && windows > 0 && (windows > 1 || windows < running.length)) return false;
  return mostlyWaits === true || running.filter((other) => !other.mostlyWaits).length < AT_ONCE;
}

async function main(args: readonly string[]): Promise<void> {
  const names = args.filter((arg) => arg !== '--all');
  const left = args.includes('--all') ? 'usual' : 'whole';
  const isWanted = ({ name, only }: Step) =>
    only !== left && (names.length === 0 || names.includes(name));
  await runAll(STEPS.filter(isWanted));
  say(`\nBegin and duration of each step:\n  ${times.join('\n  ')}`);
  if (total.failed.length > 0) say('\nFailed:');
  for (const name of total.failed) say(`  ${name}`);
  const { passed, failed, skipped } = total;
  const message = { passed: passed.length, failed: failed.length, skipped: skipped.length };
  process.send?.({ ...message, shortfall: await shortfall() });
  if (process.connected) process.disconnect();
}

function interrupt(): void {
  if (isStopped()) return;
  say('\nStopping …');
  process.exitCode = 130;
  stopPrograms();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
// The channel closes with the script that started this, or when all has been sent.
process.once('disconnect', () => {
  if (process.exitCode === undefined) stopPrograms();
});
void provided.then(() => process.channel?.unref());
await main(process.argv.slice(2));
if (process.exitCode === undefined && total.failed.length > 0) process.exitCode = 1;
