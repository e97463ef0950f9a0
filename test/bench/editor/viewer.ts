// The benchmarks of logs in VS Code: the output channel and the log viewer, timed in their pages and measured
// in the extension host.
import { startDocker } from '../../bed/engines.ts';
import { importBusybox } from '../../bed/images.ts';
import type { Settings } from '../../bed/vscode/settings.mjs';
import { makeBigLog } from '../bigLog.ts';
import type { BenchRow } from '../row.ts';
import { makeFloor } from './floor.ts';
import { row } from './live.ts';
import { BUDGETS, benchBigLog } from './logs/bigLog.ts';
import { benchClick } from './logs/click.ts';
import { benchFlood } from './logs/flood.ts';
import { benchFollowing } from './logs/following.ts';
import { benchOpening } from './logs/opening.ts';
import { makeProbe, type Probe } from './logs/probe.ts';
import type { LogStage } from './logs/stage.ts';
import { ViewerEye } from './logs/viewerEye.ts';
import { GANTRY, inWindow, withWindows, type BenchWindow } from './windows.ts';

const LINES = 1_000_000;
/** Maximum time to follow twenty containers. */
const FOLLOWED_SECONDS = 60;
const FLOOR_ROWS = 20;

/** @param minutes how long to follow containers, if less than a minute. */
export async function benchViewer(minutes: number): Promise<BenchRow[]> {
  const engine = await startDocker();
  try {
    await importBusybox(engine);
    const { socket } = engine;
    const rows = await onStage(socket, { 'gantry.logs.tail': 'all' }, async (stage) => [
      ...(await besideFloor((floor) => benchClick(stage, floor))),
      await benchFlood(stage),
    ]);
    await makeBigLog(socket, 'million', LINES);
    const seconds = Math.min(FOLLOWED_SECONDS, Math.round(minutes * 60));
    const viewer = { 'gantry.logs.openIn': 'viewer' };
    rows.push(
      ...(await onStage(socket, viewer, async (stage) => [
        await benchOpening(stage),
        ...(await benchFollowing(stage, seconds)),
      ])),
    );
    for (const budget of BUDGETS) {
      const settings = { ...viewer, 'gantry.logs.memory': budget.megabytes };
      const run = (stage: LogStage): Promise<BenchRow[]> => benchBigLog(stage, 'million', budget);
      rows.push(...(await onStage(socket, settings, run)));
    }
    return rows;
  } finally {
    await engine.stop();
  }
}

/** Runs work in a window that shows the containers of the engine. */
async function onStage<T>(
  socket: string,
  settings: Settings,
  use: (stage: LogStage) => Promise<T>,
): Promise<T> {
  return withProbed(GANTRY, { DOCKER_HOST: `unix://${socket}` }, settings, async (found) => {
    const viewers = await ViewerEye.openIn(found.window.page);
    return use({ ...found, socket, viewers });
  });
}

/** Runs work next to a window with an extension that has its only line in memory. */
async function besideFloor<T>(
  use: (floor: { readonly window: BenchWindow; readonly probe: Probe }) => Promise<T>,
): Promise<T> {
  const floor = makeFloor(FLOOR_ROWS);
  try {
    return await withProbed(floor.folder, {}, {}, async (found) => {
      await found.window.eye.sees(row('row-0', ''));
      return use(found);
    });
  } finally {
    floor.remove();
  }
}

async function withProbed<T>(
  extension: string,
  env: NodeJS.ProcessEnv,
  settings: Settings,
  use: (found: { readonly window: BenchWindow; readonly probe: Probe }) => Promise<T>,
): Promise<T> {
  const probe = await makeProbe();
  const all = { ...env, ...probe.env };
  const inOne = async (window: BenchWindow): Promise<T> => {
    await probe.ready();
    await window.workbench.openView('Gantry');
    return use({ window, probe });
  };
  try {
    return await withWindows(extension, all, (windows) => inWindow(windows, inOne), settings, [
      probe.folder,
    ]);
  } finally {
    probe.remove();
  }
}
