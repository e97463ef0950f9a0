import { delay } from '../../../src/base/time.ts';
import type { CrowdProcess } from '../crowdProcess.ts';
import { median, rounded } from '../figures.ts';
import type { BenchRow } from '../row.ts';
import { row } from './live.ts';
import { GANTRY, inWindow, withWindows, type BenchWindow } from './windows.ts';

const ROUNDS = 7;
/** After a change, until the window is idle. */
const REST_MS = 2000;
/** Stopped. The second row from the top. */
const CHOSEN = { index: 1, label: 'crowd-1' } as const;

/** Measures from the event of a start to the row on the screen. */
export async function benchScreen(few: CrowdProcess, many: CrowdProcess): Promise<BenchRow> {
  const [least, value] = [await startsIn(few), await startsIn(many)];
  return {
    name: 'one event among 10,000: start, to its row on the screen',
    value: rounded(value, 0),
    unit: 'ms',
    peer: `among ${few.count}, ${rounded(least, 0)} ms`,
    ratio: rounded(value / least, 1),
  };
}

function startsIn(engine: CrowdProcess): Promise<number> {
  return withWindows(GANTRY, { DOCKER_HOST: `unix://${engine.socket}` }, (windows) =>
    inWindow(windows, async (window) => {
      await window.workbench.openView('Gantry');
      await window.eye.sees({ kind: 'rows', pane: 'Containers', labels: ['crowd-0'] });
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) times.push(await start(engine, window));
      return median(times);
    }),
  );
}

async function start(engine: CrowdProcess, { eye }: BenchWindow): Promise<number> {
  await delay(REST_MS);
  const shown = await eye.watch(row(CHOSEN.label, '^Up'));
  const writtenAt = sinceEpoch(await engine.happen({ action: 'start', index: CHOSEN.index }));
  const taken = (await shown()) - writtenAt;
  await delay(REST_MS);
  await engine.happen({ action: 'die', index: CHOSEN.index });
  await eye.sees(row(CHOSEN.label, '^Exited'));
  return taken;
}

/** Converts a time of the monotonic clock in nanoseconds to milliseconds since 1970. */
function sinceEpoch(nanoseconds: bigint): number {
  return Date.now() - Number(process.hrtime.bigint() - nanoseconds) / 1e6;
}
