import { delay } from '../../../src/base/time.ts';
import { askWell } from '../../bed/http.ts';
import type { Measurement, Measurements } from '../benchmark.ts';
import { createOne, removeOne, verb } from '../crowd.ts';
import { followEventTimes } from '../eventTimes.ts';
import { containerRow, type RowSight, type Sight } from './eye.ts';
import { GANTRY, inWindow, withWindows, type BenchWindow } from './windows.ts';

/** The pause between two changes, so that they are measured separately. */
const REST_MS = 800;

/** The changes by other clients. */
export type Change = 'state' | `${'container' | 'volume' | 'network'}${'Created' | 'Removed'}`;

/** Measures from the engine's event to the row, for changes made by another client. */
export function benchChanges(socket: string): Promise<Measurements<Change>> {
  const env = { DOCKER_HOST: `unix://${socket}` };
  return withWindows({ extension: GANTRY, env }, (windows) =>
    inWindow(windows, async (window) => {
      await window.workbench.openView('Gantry');
      await window.eye.sees({ kind: 'rows', pane: 'Containers', labels: [] });
      const state = await benchStates(socket, window);
      const container = await benchComing(socket, window, 'Containers', {
        create: (name) => createOne(socket, name),
        remove: (id) => removeOne(socket, id),
      });
      const volume = await benchFolded(socket, window, 'Volumes');
      const network = await benchFolded(socket, window, 'Networks');
      return {
        state,
        containerCreated: container.created,
        containerRemoved: container.removed,
        volumeCreated: volume.created,
        volumeRemoved: volume.removed,
        networkCreated: network.created,
        networkRemoved: network.removed,
      };
    }),
  );
}

/** Measures starts and kills of a container. */
async function benchStates(socket: string, { eye }: BenchWindow): Promise<Measurement> {
  const id = await createOne(socket, 'lively');
  const events = await followEventTimes(socket, id);
  const times: number[] = [];
  await eye.sees(containerRow('lively', '^Created'));
  for (let turn = 0; turn < 10; turn++) {
    await delay(REST_MS);
    const isStart = turn % 2 === 0;
    const shown = await eye.watch(containerRow('lively', isStart ? '^Up' : '^Stopped'));
    await verb(socket, id, isStart ? 'start' : 'kill');
    times.push((await shown()) - events.last(isStart ? 'start' : 'die'));
  }
  events.stop();
  await removeOne(socket, id);
  return { subject: times };
}

/** Measures in a view that is folded at first. */
async function benchFolded(
  socket: string,
  window: BenchWindow,
  pane: 'Volumes' | 'Networks',
): ReturnType<typeof benchComing> {
  const path = `/v1.41/${pane.toLowerCase()}`;
  await window.workbench.expand(pane, true);
  const coming = await benchComing(socket, window, pane, {
    create: async (name) => {
      await askWell(socket, 'POST', `${path}/create`, { body: { Name: name } });
      return name;
    },
    remove: async (name) => {
      await askWell(socket, 'DELETE', `${path}/${name}`);
    },
  });
  await window.workbench.expand(pane, false);
  return coming;
}

/** How another client creates something, which resolves to its ID, and removes it. */
interface OtherClient {
  create(name: string): Promise<string>;
  remove(id: string): Promise<void>;
}

async function benchComing(
  socket: string,
  { eye }: BenchWindow,
  pane: string,
  other: OtherClient,
): Promise<Measurements<'created' | 'removed'>> {
  const events = await followEventTimes(socket);
  const created: number[] = [];
  const removed: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const name = `newcomer-${turn}`;
    const row: RowSight = { kind: 'rows', pane, labels: [name] };
    const noRow: Sight = { kind: 'noRow', pane, label: name };
    await delay(REST_MS);
    const come = await eye.watch(row);
    const id = await other.create(name);
    created.push((await come()) - events.last('create'));
    await delay(REST_MS);
    const went = await eye.watch(noRow);
    await other.remove(id);
    removed.push((await went()) - events.last('destroy'));
  }
  events.stop();
  return { created: { subject: created }, removed: { subject: removed } };
}
