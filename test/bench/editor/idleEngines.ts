import { delay } from '../../../src/base/time.ts';
import { startDocker, startPodman, type BedEngine } from '../../bed/engines.ts';
import { importBusybox } from '../../bed/images.ts';
import { createCrowd, verb } from '../crowd.ts';
import { median, rounded } from '../figures.ts';
import type { BenchRow } from '../row.ts';
import { tapped, type Line } from './line.ts';
import { cpuMs } from './proc.ts';
import { GANTRY, withWindows, type Windows } from './windows.ts';

/** Per engine; half of them are running. */
const CONTAINERS = 6;
/** The pause between the last row and the measurement. */
const SETTLE_MS = 20_000;
/** The number of windows of each kind. */
const PAIRS = 3;
/** CPU time in milliseconds per ten minutes. */
const TARGET = { cpuMs: 600, minutes: 10 };

/**
 * Measures the cost of an idle window that shows three engines, compared with one without Gantry. Uses
 * several windows at the same time, because a garbage collection in one would be attributed to Gantry.
 */
export async function benchIdleEngines(minutes: number): Promise<BenchRow[]> {
  const engines: BedEngine[] = [];
  const lines: Line[] = [];
  try {
    for (const start of [startDocker, startDocker, startPodman]) {
      const engine = await start();
      engines.push(engine);
      await fill(engine);
      lines.push(await tapped(engine.socket));
    }
    return await benchWindows(lines, minutes);
  } finally {
    for (const line of lines) line.close();
    for (const engine of engines) await engine.stop();
  }
}

async function fill(engine: BedEngine): Promise<void> {
  await importBusybox(engine);
  const ids = await createCrowd(engine.socket, CONTAINERS);
  for (const id of ids.slice(0, CONTAINERS / 2)) await verb(engine.socket, id, 'start');
}

function benchWindows(lines: readonly Line[], minutes: number): Promise<BenchRow[]> {
  const [host = '', second = '', podman = ''] = lines.map(({ socket }) => `unix://${socket}`);
  const settings = { 'gantry.engines': { second, podman } };
  return withWindows(
    GANTRY,
    { DOCKER_HOST: host },
    (gantry) =>
      withWindows(undefined, {}, async (bare) => {
        const [ours, without]: [number[], number[]] = [[], []];
        for (let pair = 0; pair < PAIRS; pair++) {
          without.push((await bare.open()).host);
          ours.push(await openEngines(gantry));
        }
        return measure({ ours, without }, lines, minutes);
      }),
    settings,
  );
}

/** Opens a window with all engines. It stays open. */
async function openEngines(windows: Windows): Promise<number> {
  const { eye, workbench, host } = await windows.open();
  await workbench.icon('Gantry').click();
  const labels = ['Default', 'second', 'podman'];
  await eye.sees({ kind: 'rows', pane: 'Containers', labels, description: 'API 1' });
  return host;
}

/** The extension hosts of both kinds of windows. */
interface Hosts {
  readonly ours: readonly number[];
  readonly without: readonly number[];
}

async function measure(
  { ours, without }: Hosts,
  lines: readonly Line[],
  minutes: number,
): Promise<BenchRow[]> {
  await delay(SETTLE_MS);
  const sent = (): number => lines.reduce((sum, line) => sum + line.sent(), 0);
  const before = { sent: sent(), ours: ours.map(cpuMs), without: without.map(cpuMs) };
  await delay(minutes * 60_000);
  const used = (hosts: readonly number[], since: readonly number[]): number =>
    median(hosts.map((host, index) => cpuMs(host) - (since[index] ?? NaN)));
  const cpu = { ours: used(ours, before.ours), without: used(without, before.without) };
  const among = `${lines.length} engines, ${minutes} idle min`;
  return [
    {
      name: `${among}: bytes sent to them, so requests`,
      value: sent() - before.sent,
      unit: 'B',
      target: '0',
      note: `${PAIRS} windows together`,
    },
    {
      name: `${among}: processor time, more than without`,
      value: rounded(cpu.ours - cpu.without, 0),
      unit: 'ms',
      ...(minutes === TARGET.minutes && { target: `≤ ${TARGET.cpuMs}` }),
      peer: `a window without Gantry, ${rounded(cpu.without, 0)} ms`,
      note: `of the extension host, medians of ${PAIRS} windows of each`,
    },
  ];
}
