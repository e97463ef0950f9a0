// The benchmarks in VS Code, served to a browser and timed in its page.
import { startDocker } from '../bed/engines.ts';
import { importBusybox } from '../bed/images.ts';
import { createCrowd, verb } from './crowd.ts';
import { benchActivation } from './editor/activation.ts';
import { benchFirstRow } from './editor/firstRow.ts';
import { makeFloor } from './editor/floor.ts';
import { benchLogs, benchStart } from './editor/hands.ts';
import { benchHealth } from './editor/health.ts';
import { benchIdle } from './editor/idle.ts';
import {
  benchBesideLoop,
  benchComing,
  benchEvents,
  benchOtherViews,
  benchSelection,
  benchStorm,
} from './editor/live.ts';
import { benchLoss } from './editor/loss.ts';
import { GANTRY, inWindow, withWindows, type BenchWindow } from './editor/windows.ts';
import type { BenchRow } from './row.ts';
import type { BedEngine } from '../bed/engines.ts';

const [FEW, MANY] = [20, 500] as const;

/** Measures everything that a user waits for, and the cost of an idle window. */
export async function benchEditor(): Promise<BenchRow[]> {
  const engine = await startDocker();
  try {
    await importBusybox(engine);
    const { socket } = engine;
    const ids = await createCrowd(socket, FEW);
    const half = ids.slice(0, FEW / 2);
    await Promise.all(half.map((id) => verb(socket, id, 'start')));
    const rows = [
      await benchFirstRow(socket, FEW, 2.5),
      await benchActivation(socket),
      ...(await benchIdle(socket, FEW)),
    ];
    await Promise.all(half.map((id) => verb(socket, id, 'kill')));
    rows.push(...(await benchOpenWindow(engine, ids)));
    await createCrowd(socket, MANY - FEW, FEW);
    return [...rows, await benchFirstRow(socket, MANY, 3.5)];
  } finally {
    await engine.stop();
  }
}

/** The benchmarks that share one window with an open view. */
async function benchOpenWindow(engine: BedEngine, ids: readonly string[]): Promise<BenchRow[]> {
  const { socket, url } = engine;
  const floor = makeFloor(FEW);
  try {
    return await withOpened(GANTRY, { DOCKER_HOST: url }, (window) =>
      withOpened(floor.folder, {}, async (empty) => {
        const stage = { socket, window };
        return [
          await benchEvents(stage),
          await benchStart(stage, empty),
          ...(await benchComing(stage)),
          ...(await benchOtherViews(stage)),
          await benchLogs(stage, empty),
          ...(await benchStorm(stage, ids)),
          await benchBesideLoop(stage),
          await benchSelection(stage),
          await benchHealth(stage),
          ...(await benchLoss(engine, window)),
        ];
      }),
    );
  } finally {
    floor.remove();
  }
}

/** Runs work in a window that shows rows. */
function withOpened<T>(
  extension: string,
  env: NodeJS.ProcessEnv,
  use: (window: BenchWindow) => Promise<T>,
): Promise<T> {
  return withWindows(extension, env, (windows) =>
    inWindow(windows, async (window) => {
      await window.workbench.openView('Gantry');
      await window.eye.sees({ kind: 'rows', pane: 'Containers', labels: [] });
      return use(window);
    }),
  );
}
