import { delay } from '../../../src/base/time.ts';
import { askWell } from '../../bed/http.ts';
import { createOne, removeOne, verb } from '../crowd.ts';
import { followEventTimes } from '../eventTimes.ts';
import type { BenchRow } from '../row.ts';
import { figure } from './figure.ts';
import { row, type Stage } from './live.ts';

/** Measures from the engine's health event (unhealthy, or healthy again) to the icon. */
export async function benchHealth({ socket, window }: Stage): Promise<BenchRow> {
  const Healthcheck = { Test: ['CMD-SHELL', 'test ! -e /tmp/ill'], Interval: 1e9, Retries: 1 };
  const id = await createOne(socket, 'patient', { Healthcheck });
  const events = await followEventTimes(socket, id);
  await verb(socket, id, 'start');
  await window.eye.sees(row('patient', '^healthy', 'codicon-pass-filled'));
  const times: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    await delay(800);
    const ill = await window.eye.watch(row('patient', '^unhealthy', 'codicon-warning'));
    await execute(socket, id, ['touch', '/tmp/ill']);
    times.push((await ill()) - events.last('health_status: unhealthy'));
    await execute(socket, id, ['rm', '/tmp/ill']);
    await window.eye.sees(row('patient', '^healthy', 'codicon-pass-filled'));
  }
  events.stop();
  await removeOne(socket, id);
  return figure({ name: 'unhealthy to icon', times, target: 500 });
}

/** Runs a command in a container. */
async function execute(socket: string, id: string, Cmd: readonly string[]): Promise<void> {
  const made = await askWell(socket, 'POST', `/v1.41/containers/${id}/exec`, { body: { Cmd } });
  const { Id } = JSON.parse(made) as { readonly Id: string };
  await askWell(socket, 'POST', `/v1.41/exec/${Id}/start`, { body: { Detach: true } });
}
