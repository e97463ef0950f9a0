import { delay } from '../../../src/base/time.ts';
import { rounded } from '../figures.ts';
import type { Measurement } from '../benchmark.ts';
import { createOne, verb } from '../crowd.ts';
import { cpuSince } from './proc.ts';
import { GANTRY, withWindows, type BenchWindow, type Windows } from './windows.ts';

const TIMED_MS = 60_000;
/** The pause between the last row and the measurement. */
const SETTLE_MS = 20_000;
/** The number of windows of each kind. */
const PAIRS = 3;

/** Uses a little of a processor, not always the same, so that the text of the row changes. */
const LOAD =
  'n=0; while :; do n=$(((n + 700) % 3000)); i=0; while [ $i -lt $n ]; do i=$((i + 1)); done; sleep 1; done';

/**
 * Measures how much of one core the extension host of a window uses more if the rows show CPU and memory. Uses
 * several windows at the same time, because a garbage collection in one would be attributed to the rows.
 */
export async function benchUsage(socket: string, containers: number): Promise<Measurement> {
  for (let number = 0; number < containers; number++) {
    const wish = { Cmd: ['sh', '-c', LOAD] };
    await verb(socket, await createOne(socket, `busy-${number}`, wish), 'start');
  }
  const serving = { extension: GANTRY, env: { DOCKER_HOST: `unix://${socket}` } };
  const settings = { 'gantry.containers.statistics': true };
  return withWindows({ ...serving, settings }, (shown) =>
    withWindows(serving, async (hidden) => {
      const ours: BenchWindow[] = [];
      const without: BenchWindow[] = [];
      for (let pair = 0; pair < PAIRS; pair++) {
        without.push(await openRows(hidden, containers, '^Up'));
        ours.push(await openRows(shown, containers, USED));
      }
      await delay(SETTLE_MS);
      const measured = await measure(ours, without);
      // A window that has lost the focus reads nothing after a minute.
      for (const { eye } of ours) await eye.sees(rowsOf(containers, USED));
      return measured;
    }),
  );
}

const USED = '^\\d[\\d.]*% · ';

function rowsOf(containers: number, description: string) {
  const labels = Array.from({ length: containers }, (_, number) => `busy-${number}`);
  return { kind: 'rows', pane: 'Containers', labels, description } as const;
}

/** Opens a window with all rows. It stays open. */
async function openRows(
  windows: Windows,
  containers: number,
  description: string,
): Promise<BenchWindow> {
  const window = await windows.open();
  await window.workbench.icon('Gantry').click();
  await window.eye.sees(rowsOf(containers, description));
  return window;
}

async function measure(
  ours: readonly BenchWindow[],
  without: readonly BenchWindow[],
): Promise<Measurement> {
  const usedByOurs = cpuSince(ours.map(({ host }) => host));
  const usedWithout = cpuSince(without.map(({ host }) => host));
  const startedAt = performance.now();
  await delay(TIMED_MS);
  const inMs = performance.now() - startedAt;
  const bare = (usedWithout() / inMs) * 100;
  return {
    subject: (usedByOurs() / inMs) * 100 - bare,
    note: `more than the ${rounded(bare, 1)} of one without, medians of ${PAIRS} windows of each`,
  };
}
