import { request } from 'node:http';
import { delay } from '../../../../src/base/time.ts';
import type { Measurement, Measurements } from '../../benchmark.ts';
import { removeOne } from '../../crowd.ts';
import { median, rounded } from '../../figures.ts';
import { FLOOR_LINE } from '../floor.ts';
import type { BenchWindow } from '../windows.ts';
import type { Probe } from './probe.ts';
import { clickOnLogs, GREETING, talker, type LogStage } from './stage.ts';

const ROUNDS = 9;
const REST_MS = 800;

/** The benchmarks of a click. */
export type ClickKey = 'appended' | 'painted';

/** The measured times of a click, in milliseconds. */
type Click = Readonly<Record<ClickKey, number>>;

/**
 * Measures from a click on Show Logs to the first append to the output channel and to the first line on the
 * screen, compared with the engine's time to first byte and an extension that appends the same line
 * immediately.
 */
export async function benchClick(
  stage: LogStage,
  floor: { readonly window: BenchWindow; readonly probe: Probe },
): Promise<Measurements<ClickKey>> {
  const ours: Click[] = [];
  const least: Click[] = [];
  const firstBytes: number[] = [];
  for (let turn = 0; turn < ROUNDS; turn++) {
    const name = `talker-${turn}`;
    const id = await talker(stage, name);
    firstBytes.push(await timeToFirstByte(stage.socket, id));
    const text = `${FLOOR_LINE} row-${turn}`;
    least.push(await click(floor, `row-${turn}`, { channel: `row-${turn}`, text }));
    ours.push(await click(stage, name, { channel: `Gantry: ${name}`, text: GREETING }));
    await removeOne(stage.socket, id);
    await stage.window.eye.sees({ kind: 'noRow', pane: 'Containers', label: name });
  }
  const timesOf = (what: ClickKey): Measurement => ({
    subject: ours.slice(1).map((one) => one[what]),
    peer: least.slice(1).map((one) => one[what]),
  });
  const raw = median(firstBytes);
  return {
    appended: {
      ...timesOf('appended'),
      limit: { most: rounded(3 * raw + 20, 0) },
      note: `3 × the engine’s time to its first byte, ${rounded(raw, 1)} ms, and 20 ms`,
    },
    painted: timesOf('painted'),
  };
}

async function click(
  { window, probe }: { readonly window: BenchWindow; readonly probe: Probe },
  label: string,
  { channel, text }: { readonly channel: string; readonly text: string },
): Promise<Click> {
  await delay(REST_MS);
  const shown = await window.eye.watch({ kind: 'output', text });
  const pressedAt = await clickOnLogs(window, label);
  const painted = (await shown()) - pressedAt;
  const appended = (await probe.firstAppend(channel)) - pressedAt;
  await window.page.keyboard.press('Control+j');
  await window.workbench.output.view.waitFor({ state: 'hidden' });
  return { appended, painted };
}

/** Measures the time to first byte of the same request on a connection of its own. */
function timeToFirstByte(socketPath: string, id: string): Promise<number> {
  const query = 'stdout=1&stderr=1&follow=1&timestamps=1&tail=1000';
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const path = `/v1.41/containers/${id}/logs?${query}`;
    const asked = request({ socketPath, path, agent: false }, (answer) => {
      answer.once('data', () => {
        resolve(performance.now() - startedAt);
        asked.destroy();
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}
