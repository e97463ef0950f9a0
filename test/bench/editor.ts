// The benchmarks in VS Code, served to a browser and timed in its page.
import type { Measurement, Measurements } from './benchmark.ts';
import { createCrowd, verb } from './crowd.ts';
import { benchChanges, type Change } from './editor/changes.ts';
import { makeFloor } from './editor/floor.ts';
import { benchIdle } from './editor/idle.ts';
import { GANTRY, inWindow, withWindows, type Windows } from './editor/windows.ts';
import { withEngine } from './stage.ts';

const FEW = 20;
const MANY = 500;
const ROUNDS = 7;

/** Measures what a user waits for in the views, and the cost of an idle window. */
export function benchEditor(): Promise<
  Measurements<'few' | 'many' | 'cpu' | 'requests' | 'memory' | Change>
> {
  return withEngine(async ({ socket }) => {
    const ids = await createCrowd(socket, FEW);
    const half = ids.slice(0, FEW / 2);
    await Promise.all(half.map((id) => verb(socket, id, 'start')));
    const few = await benchFirstRow(socket, FEW);
    const idle = await benchIdle(socket, FEW);
    await Promise.all(half.map((id) => verb(socket, id, 'kill')));
    const changes = await benchChanges(socket);
    await createCrowd(socket, MANY - FEW, FEW);
    return { few, ...idle, ...changes, many: await benchFirstRow(socket, MANY) };
  });
}

/**
 * Measures from a click on the icon to the first row, in windows in which the view was never shown, compared
 * with an extension with as many fixed rows.
 */
async function benchFirstRow(socket: string, count: number): Promise<Measurement> {
  const floor = makeFloor(count);
  const subject: number[] = [];
  const peer: number[] = [];
  try {
    await withWindows({ extension: GANTRY, env: { DOCKER_HOST: `unix://${socket}` } }, (gantry) =>
      withWindows({ extension: floor.folder }, async (empty) => {
        // Discard the first round, which loads what all windows share.
        for (let round = 0; round <= ROUNDS; round++) {
          const times = [await firstRow(empty), await firstRow(gantry)] as const;
          if (round === 0) continue;
          peer.push(times[0]);
          subject.push(times[1]);
        }
      }),
    );
  } finally {
    floor.remove();
  }
  return { subject, peer };
}

function firstRow(windows: Windows): Promise<number> {
  return inWindow(windows, async ({ eye, workbench }) => {
    const shown = await eye.watch({ kind: 'rows', pane: 'Containers', labels: [] });
    await workbench.icon('Gantry').click();
    return (await shown()) - (await eye.pressedAt());
  });
}
