import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { delay } from '../../../src/lifetime.ts';
import { rounded } from '../figures.ts';
import type { BenchRow } from '../row.ts';
import { makeFloor } from './floor.ts';
import { childFaults, childrenOf, cpuMs, residentMB } from './proc.ts';
import { GANTRY, inWindow, withWindows, type BenchWindow } from './windows.ts';

const IDLE_MS = 60_000;
/** After the view is open, before the minute begins. */
const SETTLE_MS = 20_000;

/** What a window costs in which the view is open and nothing happens, beside one with an empty extension. */
export async function benchIdle(socket: string, containers: number): Promise<BenchRow[]> {
  const floor = makeFloor(containers);
  const line = await tapped(socket);
  try {
    const host = `unix://${line.socket}`;
    return await withWindows(GANTRY, { DOCKER_HOST: host }, (gantry) =>
      withWindows(floor.folder, {}, (empty) =>
        inWindow(gantry, (ours) => inWindow(empty, (least) => measure(ours, least, line))),
      ),
    );
  } finally {
    line.close();
    floor.remove();
  }
}

async function measure(ours: BenchWindow, floor: BenchWindow, line: Line): Promise<BenchRow[]> {
  for (const { eye, workbench } of [ours, floor]) {
    await workbench.icon('Gantry').click();
    await eye.sees({ kind: 'rows', pane: 'Containers', labels: [] });
  }
  await delay(SETTLE_MS);
  const before = { bytes: line.sent(), ours: cpuMs(ours.host), floor: cpuMs(floor.host) };
  const processes = await startedProcesses(ours.host, IDLE_MS);
  const cpu = { ours: cpuMs(ours.host) - before.ours, floor: cpuMs(floor.host) - before.floor };
  const memory = { ours: residentMB(ours.host), floor: residentMB(floor.host) };
  const among = `in ${IDLE_MS / 1000} idle seconds`;
  return [
    { name: `processes started ${among}`, value: processes, unit: '', target: '0' },
    {
      name: `bytes sent to the engine ${among}, so requests`,
      value: line.sent() - before.bytes,
      unit: 'B',
      target: '0',
    },
    over(`processor time ${among}, more than the floor’s`, cpu, 'ms', 20),
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
  return { name, value: rounded(ours - floor, 1), unit, target: `≤ ${target}`, peer };
}

/** How many processes another one starts; such as are too short-lived to be met count as one. */
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

/** A way to the engine on which what is sent to it is counted. */
interface Line {
  readonly socket: string;
  /** Bytes sent to the engine so far. */
  sent(): number;
  close(): void;
}

function tapped(engine: string): Promise<Line> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-line-'));
  const socket = join(folder, 'engine.sock');
  let bytes = 0;
  const server = createServer((near) => {
    const far = connect(engine);
    near.on('data', (chunk) => (bytes += chunk.length));
    near.pipe(far).pipe(near);
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const)
      end.on('error', () => other.destroy());
  });
  return new Promise((resolve) => {
    server.listen(socket, () => {
      const close = (): void => {
        server.close();
        rmSync(folder, { recursive: true, force: true });
      };
      resolve({ socket, sent: () => bytes, close });
    });
  });
}
