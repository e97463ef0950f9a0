import { delay } from '../../../src/base/time.ts';
import { askWell } from '../../bed/http.ts';
import { until } from '../../bed/until.ts';
import { createOne, removeOne, verb } from '../crowd.ts';
import { followEventTimes } from '../eventTimes.ts';
import type { BenchRow } from '../row.ts';
import type { RowSight, Sight } from './eye.ts';
import { figure } from './figure.ts';
import type { BenchWindow } from './windows.ts';

/** The pause between two changes, so that they are measured separately. */
const REST_MS = 800;

/** An engine and a window that shows it. */
export interface Stage {
  readonly socket: string;
  readonly window: BenchWindow;
}

/** Returns the sight of a container row in a given state. */
export function row(label: string, description: string, icon = ''): RowSight {
  return { kind: 'rows', pane: 'Containers', labels: [label], description, icon };
}

/** Measures from the engine's event to the row, for changes made by another client. */
export async function benchEvents(stage: Stage): Promise<BenchRow> {
  const { socket } = stage;
  const id = await createOne(socket, 'lively');
  const events = await followEventTimes(socket, id);
  const times: number[] = [];
  await stage.window.eye.sees(row('lively', '^Created'));
  for (let turn = 0; turn < 10; turn++) {
    await delay(REST_MS);
    const [operation, action, words] =
      turn % 2 === 0 ? ['start', 'start', '^Up'] : ['kill', 'die', '^Stopped'];
    const shown = await stage.window.eye.watch(row('lively', words));
    await verb(socket, id, operation);
    times.push((await shown()) - events.last(action));
  }
  events.stop();
  await removeOne(socket, id);
  return figure({ name: 'engine’s event to row', times, target: 250 });
}

/** Measures the same for created and removed containers. */
export async function benchComing(stage: Stage): Promise<BenchRow[]> {
  const { socket } = stage;
  const events = await followEventTimes(socket);
  const [created, removed]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < 5; turn++) {
    const name = `newcomer-${turn}`;
    await delay(REST_MS);
    const come = await stage.window.eye.watch(row(name, ''));
    const id = await createOne(socket, name);
    created.push((await come()) - events.last('create'));
    await delay(REST_MS);
    const gone: Sight = { kind: 'noRow', pane: 'Containers', label: name };
    const went = await stage.window.eye.watch(gone);
    await removeOne(socket, id);
    removed.push((await went()) - events.last('destroy'));
  }
  events.stop();
  return [
    figure({ name: 'container created to row', times: created, target: 250 }),
    figure({ name: 'container removed to row gone', times: removed, target: 250 }),
  ];
}

/** Measures volumes and networks that another client creates and removes. */
export async function benchOtherViews({ socket, window }: Stage): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const kind of ['volume', 'network'] as const) {
    const pane = kind === 'volume' ? 'Volumes' : 'Networks';
    await window.workbench.expand(pane, true);
    const events = await followEventTimes(socket);
    const [created, removed]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < 5; turn++) {
      const name = `newcomer-${turn}`;
      await delay(REST_MS);
      const come = await window.eye.watch({ kind: 'rows', pane, labels: [name] });
      await askWell(socket, 'POST', `/v1.41/${kind}s/create`, { body: { Name: name } });
      created.push((await come()) - events.last('create'));
      await delay(REST_MS);
      const went = await window.eye.watch({ kind: 'noRow', pane, label: name });
      await askWell(socket, 'DELETE', `/v1.41/${kind}s/${name}`);
      removed.push((await went()) - events.last('destroy'));
    }
    events.stop();
    await window.workbench.expand(pane, false);
    rows.push(
      figure({ name: `${kind} created to row`, times: created, target: 250 }),
      figure({ name: `${kind} removed to row gone`, times: removed, target: 250 }),
    );
  }
  return rows;
}

/** Measures a container's change while another container restarts in a loop. */
export async function benchBesideLoop(stage: Stage): Promise<BenchRow> {
  const { socket, window } = stage;
  const id = await createOne(socket, 'lively');
  const events = await followEventTimes(socket, id);
  const times: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const policy = { RestartPolicy: { Name: 'always' } };
    const loop = await createOne(socket, 'loop', { Cmd: ['true'], HostConfig: policy });
    await verb(socket, loop, 'start');
    await delay(300);
    const shown = await window.eye.watch(row('lively', '^Up'));
    await verb(socket, id, 'start');
    times.push((await shown()) - events.last('start'));
    await removeOne(socket, loop);
    await verb(socket, id, 'kill');
    await window.eye.sees(row('lively', '^Stopped'));
    await delay(REST_MS);
  }
  events.stop();
  await removeOne(socket, id);
  const name = 'event to row while another one restarts in a loop';
  return figure({ name, times, target: 500 });
}

/** Measures many containers started within two seconds by another client. */
export async function benchStorm(stage: Stage, ids: readonly string[]): Promise<BenchRow[]> {
  const { socket, window } = stage;
  const labels = ids.map((_, index) => `crowd-${index}`);
  const [first, right]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < 3; turn++) {
    const events = await followEventTimes(socket);
    const any = await window.eye.watch({ ...row('', '^Up'), labels: [] });
    const all = await window.eye.watch({ ...row('', '^Up'), labels });
    const starts = ids.map(async (id, index) => {
      await delay((index * 2000) / ids.length);
      await verb(socket, id, 'start');
    });
    first.push((await any()) - (await firstOf(events, 'start')));
    await Promise.all(starts);
    const seenAt = await all();
    right.push(seenAt - events.last('start'));
    events.stop();
    await Promise.all(ids.map((id) => verb(socket, id, 'kill')));
    await window.eye.sees({ ...row('', '^Stopped'), labels });
    await delay(REST_MS);
  }
  return [
    figure({
      name: `${ids.length} started in 2 s: the first to its row`,
      times: first,
      target: 250,
    }),
    figure({
      name: `${ids.length} started in 2 s: right after the last`,
      times: right,
      target: 300,
    }),
  ];
}

async function firstOf(
  events: { all(action: string): readonly number[] },
  action: string,
): Promise<number> {
  // On a busy machine the row may appear before this client has read the event.
  await until(() => events.all(action).length > 0, `an event "${action}"`);
  return events.all(action)[0] ?? NaN;
}

/** Checks that a selected row stays selected when another client starts or stops its container. */
export async function benchSelection({ socket, window }: Stage): Promise<BenchRow> {
  const id = await createOne(socket, 'chosen');
  await window.eye.sees(row('chosen', '^Created'));
  const chosen = window.workbench.row('chosen', 'Containers');
  await window.workbench.select(chosen);
  let kept = 0;
  for (let turn = 0; turn < 6; turn++) {
    await verb(socket, id, turn % 2 === 0 ? 'start' : 'kill');
    await window.eye.sees(row('chosen', turn % 2 === 0 ? '^Up' : '^Stopped'));
    await delay(REST_MS);
    if ((await chosen.getAttribute('aria-selected')) === 'true') kept++;
    else await window.workbench.select(chosen);
  }
  await removeOne(socket, id);
  return { name: 'selection kept over start and stop', value: kept, unit: 'of 6', target: '6' };
}
