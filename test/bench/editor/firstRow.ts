import { median } from '../figures.ts';
import type { BenchRow } from '../row.ts';
import { atMost } from '../limit.ts';
import { figure } from './figure.ts';
import { makeFloor } from './floor.ts';
import { GANTRY, inWindow, withWindows, type Windows } from './windows.ts';

const ROUNDS = 7;

/**
 * Measures from a click on the icon to the first row, in windows in which the view was never shown.
 *
 * @param limit the most times longer than an extension with as many fixed rows.
 */
export async function benchFirstRow(
  socket: string,
  count: number,
  limit: number,
): Promise<BenchRow> {
  const floor = makeFloor(count);
  const [ours, least]: [number[], number[]] = [[], []];
  try {
    await withWindows(GANTRY, { DOCKER_HOST: `unix://${socket}` }, (gantry) =>
      withWindows(floor.folder, {}, async (empty) => {
        // Discard the first round, which loads what all windows share.
        for (let round = 0; round <= ROUNDS; round++) {
          const times = [await firstRow(empty), await firstRow(gantry)] as const;
          if (round === 0) continue;
          least.push(times[0]);
          ours.push(times[1]);
        }
      }),
    );
  } finally {
    floor.remove();
  }
  const row = figure({
    name: `icon click to first row, ${count} containers`,
    times: ours,
    floor: median(least),
    note: 'a fresh window each',
  });
  return { ...row, ...atMost(row.ratio ?? Infinity, limit) };
}

function firstRow(windows: Windows): Promise<number> {
  return inWindow(windows, async ({ eye, workbench }) => {
    const shown = await eye.watch({ kind: 'rows', pane: 'Containers', labels: [] });
    await workbench.icon('Gantry').click();
    return (await shown()) - (await eye.pressedAt());
  });
}
