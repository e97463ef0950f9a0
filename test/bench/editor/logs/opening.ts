import { delay } from '../../../../src/base/time.ts';
import type { Measurement } from '../../benchmark.ts';
import { removeOne } from '../../crowd.ts';
import { clickOnLogs, talker, type LogStage } from './stage.ts';

const ROUNDS = 7;
const REST_MS = 800;

/** Measures from a click on Show Logs, which opens a log viewer here, to the first painted row. */
export async function benchOpening(stage: LogStage): Promise<Measurement> {
  const { window, viewers } = stage;
  const times: number[] = [];
  for (let turn = 0; turn <= ROUNDS; turn++) {
    const name = `shown-${turn}`;
    const id = await talker(stage, name);
    await delay(REST_MS);
    const pressedAt = await clickOnLogs(window, name);
    const { painted } = await viewers.when(name, (seen) => seen.painted > pressedAt);
    times.push(painted - pressedAt);
    await window.workbench.quick.run('View: Close All Editors');
    await window.page.locator('.tabs-container .tab').waitFor({ state: 'detached' });
    await removeOne(stage.socket, id);
  }
  // The first viewer of a window also loads the viewer's resources.
  const note = `the first one of a window ${Math.round(times[0] ?? NaN)} ms`;
  return { subject: times.slice(1), note };
}
