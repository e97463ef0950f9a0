import { delay } from '../../../src/base/time.ts';
import { median, rounded } from '../figures.ts';
import type { BenchRow } from '../row.ts';
import { makeFloor } from './floor.ts';
import { tapped, type Line } from './line.ts';
import { childFaults, childrenOf, cpuMs, residentMB } from './proc.ts';
import { GANTRY, withWindows, type Windows } from './windows.ts';

const IDLE_MS = 60_000;
/** The pause between opening the view and the measurement. */
const SETTLE_MS = 20_000;
/** The number of windows of each kind. */
const PAIRS = 5;

/**
 * Measures the cost of an idle window with all views open, compared with one with an empty extension. Uses
 * several windows at the same time, because a garbage collection changes the memory of one a lot.
 */
export async function benchIdle(socket: string, containers: number): Promise<BenchRow[]> {
  const floor = makeFloor(containers);
  const line = await tapped(socket);
  try {
    const env = { DOCKER_HOST: `unix://${line.socket}` };
    return await withWindows(GANTRY, env, (gantry) =>
      withWindows(floor.folder, {}, async (empty) => {
        const hosts: Hosts = { ours: [], floor: [] };
        for (let pair = 0; pair < PAIRS; pair++) {
          hosts.floor.push(await openView(empty, []));
          hosts.ours.push(await openView(gantry, ['Builds', 'Volumes', 'Networks']));
        }
        return measure(hosts, line);
      }),
    );
  } finally {
    line.close();
    floor.remove();
  }
}

/** The extension hosts of windows that show rows. */
interface Hosts {
  readonly ours: number[];
  readonly floor: number[];
}

/** Opens a window and its views, including those that are folded at first. The window stays open. */
async function openView(windows: Windows, folded: readonly string[]): Promise<number> {
  const { eye, workbench, host } = await windows.open();
  await workbench.icon('Gantry').click();
  await eye.sees({ kind: 'rows', pane: 'Containers', labels: [] });
  for (const pane of folded) await workbench.expand(pane, true);
  return host;
}

async function measure({ ours, floor }: Hosts, line: Line): Promise<BenchRow[]> {
  await delay(SETTLE_MS);
  const bytes = line.sent();
  const before = { ours: ours.map(cpuMs), floor: floor.map(cpuMs) };
  const started = await Promise.all(ours.map((host) => startedProcesses(host, IDLE_MS)));
  const used = (hosts: readonly number[], since: readonly number[]): number =>
    median(hosts.map((host, index) => cpuMs(host) - (since[index] ?? NaN)));
  const cpu = { ours: used(ours, before.ours), floor: used(floor, before.floor) };
  const memory = { ours: median(ours.map(residentMB)), floor: median(floor.map(residentMB)) };
  const among = `in ${IDLE_MS / 1000} idle seconds`;
  return [
    { name: `processes started ${among}`, value: Math.max(...started), unit: '', target: '0' },
    {
      name: `bytes sent to the engine ${among}, so requests`,
      value: line.sent() - bytes,
      unit: 'B',
      target: '0',
      note: `${PAIRS} windows together`,
    },
    over(`processor time ${among}, more than the floor’s`, cpu, 'ms', 40),
    over('memory (RSS), more than the floor’s', memory, 'MB', 30),
  ];
}

function over(
  name: string,
  { ours, floor }: { readonly ours: number; readonly floor: number },
  unit: string,
  target: number,
): BenchRow {
  const peer = `an empty extension, ${rounded(floor, 1)} ${unit}`;
  const note = `medians of ${PAIRS} windows of each`;
  return { name, value: rounded(ours - floor, 1), unit, target: `≤ ${target}`, peer, note };
}

/** Counts the processes that a process starts. Any that are too short-lived to be seen count as one in total. */
async function startedProcesses(pid: number, milliseconds: number): Promise<number> {
  const [known, met] = [new Set(childrenOf(pid)), new Set<number>()];
  const faults = childFaults(pid);
  const end = Date.now() + milliseconds;
  while (Date.now() < end) {
    await delay(1000);
    for (const child of childrenOf(pid)) if (!known.has(child)) met.add(child);
  }
  return met.size > 0 ? met.size : Number(childFaults(pid) > faults);
}
