import { delay } from '../../../src/base/time.ts';
import { createOne, removeOne, verb } from '../crowd.ts';
import { median, rounded } from '../figures.ts';
import type { BenchRow } from '../row.ts';
import { figure } from './figure.ts';
import { FLOOR_LINE } from './floor.ts';
import type { Sight } from './eye.ts';
import { row, type Stage } from './live.ts';
import type { BenchWindow } from './windows.ts';

const ROUNDS = 7;
const REST_MS = 800;
const LINE = 'hello from the container';

/** Measures from a click on Start to the updated row, compared with the engine's start alone. */
export async function benchStart({ socket, window }: Stage, floor: BenchWindow): Promise<BenchRow> {
  const id = await createOne(socket, 'idler');
  const [ours, least, engine]: [number[], number[], number[]] = [[], [], []];
  await window.eye.sees(row('idler', '^Created'));
  for (let turn = 0; turn < ROUNDS; turn++) {
    least.push(await press(floor, 'row-3', 'Start', row('row-3', turn % 2 === 0 ? '^Up' : '^Ex')));
    // Pauses of different lengths: young rows change their text every second, which interferes.
    const rest = REST_MS + turn * 170;
    ours.push(await press(window, 'idler', 'Start', row('idler', '^Up'), rest));
    await verb(socket, id, 'kill');
    await window.eye.sees(row('idler', '^Stopped'));
    const startedAt = performance.now();
    await verb(socket, id, 'start');
    engine.push(performance.now() - startedAt);
    await window.eye.sees(row('idler', '^Up'));
    await verb(socket, id, 'kill');
    await window.eye.sees(row('idler', '^Stopped'));
  }
  await removeOne(socket, id);
  return figure({
    name: 'click on Start to row',
    times: ours,
    target: 350,
    floor: median(least),
    note: `the engine’s start alone takes ${rounded(median(engine), 0)} ms`,
  });
}

async function press(
  window: BenchWindow,
  label: string,
  title: string,
  sight: Sight,
  restMs = REST_MS,
): Promise<number> {
  await delay(restMs);
  const { workbench, eye } = window;
  const shown = await eye.watch(sight);
  await workbench.inlineAction(workbench.row(label, 'Containers'), title);
  return (await shown()) - (await eye.pressedAt());
}

/** Measures from a click on Show Logs to the first line, with the panel closed. */
export async function benchLogs({ socket, window }: Stage, floor: BenchWindow): Promise<BenchRow> {
  const [ours, least]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < ROUNDS; turn++) {
    const name = `talker-${turn}`;
    const id = await createOne(socket, name, { Cmd: ['sh', '-c', `echo ${LINE}; sleep 100000`] });
    await verb(socket, id, 'start');
    await window.eye.sees(row(name, '^Up'));
    least.push(await openLog(floor, `row-${turn}`, `${FLOOR_LINE} row-${turn}`));
    ours.push(await openLog(window, name, LINE));
    await removeOne(socket, id);
    await window.eye.sees({ kind: 'noRow', pane: 'Containers', label: name });
  }
  // The first click loads the panel.
  return figure({
    name: 'click on Show Logs to first line',
    times: ours.slice(1),
    target: 315,
    floor: median(least.slice(1)),
    note: `the first one of a window ${rounded(ours[0] ?? NaN, 0)} ms, floor ${rounded(least[0] ?? NaN, 0)} ms`,
  });
}

async function openLog(window: BenchWindow, label: string, text: string): Promise<number> {
  const time = await press(window, label, 'Show Logs', { kind: 'output', text });
  await window.page.keyboard.press('Control+j');
  await window.workbench.output.view.waitFor({ state: 'hidden' });
  return time;
}
