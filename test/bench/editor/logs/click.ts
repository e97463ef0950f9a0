import { request } from 'node:http';
import { delay } from '../../../../src/base/time.ts';
import { removeOne } from '../../crowd.ts';
import { median, rounded } from '../../figures.ts';
import { atMost } from '../../limit.ts';
import type { BenchRow } from '../../row.ts';
import { FLOOR_LINE } from '../floor.ts';
import type { BenchWindow } from '../windows.ts';
import type { Probe } from './probe.ts';
import { clickOnLogs, GREETING, talker, type LogStage } from './stage.ts';

const ROUNDS = 9;
const REST_MS = 800;

/** The measured times of a click, in milliseconds. */
interface Click {
  readonly appended: number;
  readonly painted: number;
}

/**
 * Measures from a click on Show Logs to the first append to the output channel and to the first line on the
 * screen, compared with the engine's time to first byte and an extension that appends the same line
 * immediately.
 */
export async function benchClick(
  stage: LogStage,
  floor: { readonly window: BenchWindow; readonly probe: Probe },
): Promise<BenchRow[]> {
  const [ours, least, raw]: [Click[], Click[], number[]] = [[], [], []];
  for (let turn = 0; turn < ROUNDS; turn++) {
    const name = `talker-${turn}`;
    const id = await talker(stage, name);
    raw.push(await timeToFirstByte(stage.socket, id));
    const text = `${FLOOR_LINE} row-${turn}`;
    least.push(await click(floor, `row-${turn}`, { channel: `row-${turn}`, text }));
    ours.push(await click(stage, name, { channel: `Gantry: ${name}`, text: GREETING }));
    await removeOne(stage.socket, id);
    await stage.window.eye.sees({ kind: 'noRow', pane: 'Containers', label: name });
  }
  return rowsOf(ours.slice(1), least.slice(1), median(raw));
}

function rowsOf(ours: readonly Click[], least: readonly Click[], raw: number): BenchRow[] {
  const middle = (clicks: readonly Click[], what: keyof Click): number =>
    rounded(median(clicks.map((one) => one[what])), 0);
  const appended = middle(ours, 'appended');
  const limit = rounded(3 * raw + 20, 0);
  return [
    {
      name: 'click on Show Logs to the first append',
      value: appended,
      unit: 'ms',
      peer: `an extension that appends at once, ${middle(least, 'appended')} ms`,
      ...atMost(appended, limit),
      note: `3 × the engine’s time to its first byte, ${rounded(raw, 1)} ms, and 20 ms`,
    },
    {
      name: 'to the line on the screen',
      value: middle(ours, 'painted'),
      unit: 'ms',
      peer: `VS Code’s own channel fed at once, ${middle(least, 'painted')} ms`,
      ratio: rounded(middle(ours, 'painted') / middle(least, 'painted'), 2),
    },
  ];
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
