import { delay } from '../../../src/base/time.ts';
import { startDocker, startPodman, type BedEngine } from '../../bed/engines.ts';
import { importBusybox } from '../../bed/images.ts';
import type { BenchOptions, Measurements } from '../benchmark.ts';
import { createCrowd, verb } from '../crowd.ts';
import { rounded } from '../figures.ts';
import { tapped, type Line } from './line.ts';
import { cpuSince } from './proc.ts';
import { GANTRY, withWindows, type Windows } from './windows.ts';

/** Per engine; half of them are running. */
const CONTAINERS = 6;
/** The pause between the last row and the measurement. */
const SETTLE_MS = 20_000;
/** The number of windows of each kind. */
const PAIRS = 3;
/** CPU time in milliseconds per minute. */
const MOST_CPU_MS = 60;

/**
 * Measures the cost of an idle window that shows three engines, compared with one without Gantry. Uses
 * several windows at the same time, because a garbage collection in one would be attributed to Gantry.
 */
export async function benchIdleEngines({
  minutes,
}: BenchOptions): Promise<Measurements<'sent' | 'cpu'>> {
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

function benchWindows(
  lines: readonly Line[],
  minutes: number,
): ReturnType<typeof benchIdleEngines> {
  const [host = '', second = '', podman = ''] = lines.map(({ socket }) => `unix://${socket}`);
  const settings = { 'gantry.engines': { second, podman } };
  return withWindows({ extension: GANTRY, env: { DOCKER_HOST: host }, settings }, (gantry) =>
    withWindows({}, async (bare) => {
      const ours: number[] = [];
      const without: number[] = [];
      for (let pair = 0; pair < PAIRS; pair++) {
        without.push((await bare.open()).host);
        ours.push(await openEngines(gantry));
      }
      return measure({ ours, without }, lines, minutes);
    }),
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
): ReturnType<typeof benchIdleEngines> {
  await delay(SETTLE_MS);
  const sent = (): number => lines.reduce((sum, line) => sum + line.sent(), 0);
  const before = sent();
  const [usedByOurs, usedWithout] = [cpuSince(ours), cpuSince(without)];
  await delay(minutes * 60_000);
  const note = `in ${minutes} min, ${PAIRS} windows`;
  const bare = usedWithout();
  return {
    sent: { subject: sent() - before, note: `${note} together` },
    cpu: {
      subject: usedByOurs() - bare,
      limit: { most: MOST_CPU_MS * minutes },
      note: `${note} of each, more than the ${rounded(bare, 0)} ms of one without Gantry`,
    },
  };
}
