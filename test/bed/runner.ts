// `npm test` under the project's own Node: runs the steps named on the command line, or all of them,
// and sends the counts to the script that started it.
import { isStopped, stopPrograms, type Sink } from './programs.ts';
import { STAGES, type Step } from './steps.ts';
import type { Outcome } from './suite.ts';
import { missingParts } from './system.mjs';

const strict = process.env['CI'] === 'true';
const total: Outcome = { passed: [], failed: [], skipped: [] };

const say = (line: string) => process.stdout.write(`${line}\n`);
const counts = ({ passed, failed, skipped }: Outcome) =>
  `${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`;

/** What came of a step, whatever happens in it. */
async function outcomeOf(step: Step, sink: Sink): Promise<Outcome> {
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

/** Two that run at once are shown one after the other, each when it is done. */
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
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  say(`== ${step.title}: ${counts(outcome)}, ${seconds} s`);
  for (const key of ['passed', 'failed', 'skipped'] as const) total[key].push(...outcome[key]);
}

async function main(names: readonly string[]): Promise<void> {
  const wanted = ({ name, isByHand }: Step) =>
    names.length > 0 ? names.includes(name) : isByHand !== true;
  for (const stage of STAGES) {
    const steps = stage.filter(wanted);
    await Promise.all(steps.map((step) => runStep(step, steps.length === 1)));
  }
  if (total.failed.length > 0) say('\nFailed:');
  for (const name of total.failed) say(`  ${name}`);
  const { passed, failed, skipped } = total;
  const message = { passed: passed.length, failed: failed.length, skipped: skipped.length };
  process.send?.(message);
  if (process.connected) process.disconnect();
}

function interrupt(): void {
  if (isStopped()) return;
  say('\nStopping …');
  process.exitCode = 130;
  stopPrograms();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
// The channel ends with the script that started this, or when all has been said.
process.once('disconnect', () => {
  if (process.exitCode === undefined) stopPrograms();
});
process.channel?.unref();
await main(process.argv.slice(2));
if (process.exitCode === undefined && total.failed.length > 0) process.exitCode = 1;
