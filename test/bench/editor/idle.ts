import { delay } from '../../../src/base/time.ts';
import { median, rounded } from '../figures.ts';
import type { Measurement, Measurements } from '../benchmark.ts';
import { makeFloor } from './floor.ts';
import { tapped, type Line } from './line.ts';
import { cpuSince, residentMB } from './proc.ts';
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
export async function benchIdle(
  socket: string,
  containers: number,
): Promise<Measurements<'cpu' | 'requests' | 'memory'>> {
  const floor = makeFloor(containers);
  const line = await tapped(socket);
  try {
    const env = { DOCKER_HOST: `unix://${line.socket}` };
    return await withWindows({ extension: GANTRY, env }, (gantry) =>
      withWindows({ extension: floor.folder }, async (empty) => {
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

async function measure({ ours, floor }: Hosts, line: Line): ReturnType<typeof benchIdle> {
  await delay(SETTLE_MS);
  const bytes = line.sent();
  const [usedByOurs, usedByFloor] = [cpuSince(ours), cpuSince(floor)];
  await delay(IDLE_MS);
  return {
    cpu: more(usedByOurs(), usedByFloor(), 'ms'),
    requests: { subject: line.sent() - bytes, note: `${PAIRS} windows together` },
    memory: more(median(ours.map(residentMB)), median(floor.map(residentMB)), 'MB'),
  };
}

function more(ours: number, floor: number, unit: string): Measurement {
  const note = `more than the ${rounded(floor, 1)} ${unit} of an empty extension`;
  return { subject: ours - floor, note: `${note}, medians of ${PAIRS} windows of each` };
}
