// The benchmarks of logs in VS Code: the output channel and the log viewer, timed in their pages and measured
// in the extension host.
import type { Settings } from '../../bed/vscode/settings.mjs';
import { prefixed, type BenchOptions, type Measurements } from '../benchmark.ts';
import { makeBigLog } from '../bigLog.ts';
import { withEngine } from '../stage.ts';
import { containerRow } from './eye.ts';
import { makeFloor } from './floor.ts';
import { benchBigLog, type BigLogKey } from './logs/bigLog.ts';
import { benchClick, type ClickKey } from './logs/click.ts';
import { benchFlood } from './logs/flood.ts';
import { benchFollowing, type FollowingKey } from './logs/following.ts';
import { benchOpening } from './logs/opening.ts';
import { makeProbe, type Probe } from './logs/probe.ts';
import type { LogStage } from './logs/stage.ts';
import { ViewerEye } from './logs/viewerEye.ts';
import { GANTRY, inWindow, withWindows, type BenchWindow } from './windows.ts';

const LINES = 1_000_000;
/** Maximum time to follow twenty containers. */
const FOLLOWED_SECONDS = 60;
const FLOOR_ROWS = 20;
const NO_SPILL_MB = 1024;
/** The default of the setting. */
const BUDGET_MB = 32;

/** The benchmarks of logs in windows. */
type ViewerKey =
  | ClickKey
  | 'flood'
  | 'opening'
  | FollowingKey
  | `${'noSpill' | 'budget'} ${BigLogKey}`;

/** Measures logs in windows. Follows containers for a minute, or for less if the run is shorter. */
export function benchViewer({ minutes }: BenchOptions): Promise<Measurements<ViewerKey>> {
  return withEngine(async ({ socket }) => {
    const all = { 'gantry.logs.tail': 'all' };
    const output = await onStage(socket, all, async (stage) => ({
      ...(await besideFloor((floor) => benchClick(stage, floor))),
      flood: await benchFlood(stage),
    }));
    await makeBigLog(socket, 'million', LINES);
    const seconds = Math.min(FOLLOWED_SECONDS, Math.round(minutes * 60));
    const viewer = { 'gantry.logs.openIn': 'viewer' };
    const small = await onStage(socket, viewer, async (stage) => ({
      opening: await benchOpening(stage),
      ...(await benchFollowing(stage, seconds)),
    }));
    const big = (megabytes: number): Promise<Measurements<BigLogKey>> =>
      onStage(socket, { ...viewer, 'gantry.logs.memory': megabytes }, (stage) =>
        benchBigLog(stage, 'million'),
      );
    return {
      ...output,
      ...small,
      ...prefixed('noSpill', await big(NO_SPILL_MB)),
      ...prefixed('budget', await big(BUDGET_MB)),
    };
  });
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
      await found.window.eye.sees(containerRow('row-0', ''));
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
  const beside = [probe.folder];
  const inOne = async (window: BenchWindow): Promise<T> => {
    await probe.ready();
    await window.workbench.openView('Gantry');
    return use({ window, probe });
  };
  try {
    return await withWindows(
      { extension, env: { ...env, ...probe.env }, settings, beside },
      (windows) => inWindow(windows, inOne),
    );
  } finally {
    probe.remove();
  }
}
