import type { Page } from 'playwright-core';
import { delay } from '../../../../src/base/time.ts';
import { longestTask } from '../../../editor/page/tasks.ts';
import { ViewerTab } from '../../../editor/ui/viewerTab.ts';
import type { Measurements } from '../../benchmark.ts';
import { LINE_BYTES, NEEDLE, numberOf } from '../../bigLog.ts';
import { rounded } from '../../figures.ts';
import { residentMB } from '../proc.ts';
import { savedLines } from './saving.ts';
import { clickOnLogs, type LogStage } from './stage.ts';
import type { ViewerMoments } from './viewerEye.ts';

const LINES = 1_000_000;
const RUNS = 5;
const LOG_MB = (LINES * LINE_BYTES) / 1e6;
/** After a forced garbage collection, an extension host returns pages for up to this long. */
const SETTLE_MS = 30_000;

type FindingKey = 'first' | 'all' | 'task' | 'host';

/** The benchmarks of a big log. */
export type BigLogKey = 'lines' | 'held' | 'peak' | FindingKey;

/** Reads a log of a million lines in a log viewer through a search, as a user would, and finds three of them. */
export async function benchBigLog(stage: LogStage, name: string): Promise<Measurements<BigLogKey>> {
  const { window } = stage;
  const viewer = new ViewerTab(window.page);
  await clickOnLogs(window, name);
  await viewer.says(/line 00999999/);
  const before = await heldMemory(stage);
  const heldWithoutYoung = await memoryWithoutYoung(stage);
  const startedAt = performance.now();
  await searchBack(viewer);
  const peak = await highest(stage, () => readToItsStart(viewer));
  const seconds = (performance.now() - startedAt) / 1000;
  const held = (await heldMemory(stage)) - before;
  const finding = await benchFinding(stage, viewer);
  return {
    lines: {
      subject: inOrder(await savedLines(viewer)),
      note: `read back from its end in ${rounded(seconds, 1)} s`,
    },
    held: { subject: held, peer: LOG_MB, note: '30 s after a collection of garbage' },
    peak: { subject: peak - heldWithoutYoung, peer: LOG_MB },
    ...finding,
  };
}

/** Returns how many lines are in order, from the first on. */
function inOrder(lines: readonly string[]): number {
  const said = lines.map((line) => numberOf(line.slice(line.indexOf('line '))));
  const numbers = said.filter((number) => !Number.isNaN(number));
  const wrong = numbers.findIndex((number, index) => number !== index);
  return wrong < 0 ? numbers.length : wrong;
}

/** Opens the search and searches the whole log of the engine. */
async function searchBack(viewer: ViewerTab): Promise<void> {
  await viewer.log.click();
  await viewer.page.keyboard.press('ControlOrMeta+f');
  await viewer.input('Find').fill(NEEDLE);
  await viewer.button('Search the Whole Log').click();
}

async function readToItsStart(viewer: ViewerTab): Promise<void> {
  const timeout = 600_000;
  await viewer.frame.locator('.find .count', { hasText: / of 3$/ }).waitFor({ timeout });
  await viewer.button('Search the Whole Log').waitFor({ timeout });
}

/** The memory after a garbage collection, in megabytes. */
async function heldMemory(stage: LogStage): Promise<number> {
  await stage.probe.collect();
  await delay(SETTLE_MS);
  return memory(stage);
}

async function memory({ window }: LogStage): Promise<number> {
  const pids = [window.host, ...(await window.renderers())];
  return pids.map(residentMB).reduce((sum, one) => sum + (Number.isNaN(one) ? 0 : one), 0);
}

/**
 * Returns the memory without the space that V8 holds for new objects in the extension host, after a garbage
 * collection, in megabytes: that space grows by more than a hundred megabytes, whatever is read.
 */
async function memoryWithoutYoung(stage: LogStage): Promise<number> {
  const young = await stage.probe.collect();
  return (await memory(stage)) - young / 1e6;
}

/** Returns the highest {@link memoryWithoutYoung} while work is running. */
async function highest(stage: LogStage, work: () => Promise<void>): Promise<number> {
  let most = 0;
  let isOver = false as boolean;
  const working = work().finally(() => (isOver = true));
  while (!isOver) {
    most = Math.max(most, await memoryWithoutYoung(stage));
    await Promise.race([working, delay(500)]);
  }
  await working;
  return most;
}

async function benchFinding(stage: LogStage, viewer: ViewerTab): Promise<Measurements<FindingKey>> {
  const found: ViewerMoments[] = [];
  const findAll = async (): Promise<void> => {
    for (let run = 0; run < RUNS; run++) found.push(await find(stage, viewer, run));
  };
  const host = await stage.probe.longestPiece(findAll);
  const first = found.map(({ firstFound, asked }) => firstFound - asked);
  const all = found.map(({ allFound, asked }) => allFound - asked);
  // Run it again separately: tracing takes time of its own.
  const task = await longestTaskIn(viewer.page, findAll);
  return {
    first: { subject: first },
    all: { subject: all },
    task: { subject: task, note: 'VS Code’s own tasks too, each by its own time' },
    host: { subject: host },
  };
}

async function find({ viewers }: LogStage, viewer: ViewerTab, run: number): Promise<ViewerMoments> {
  await viewer.input('Find').fill('');
  // A different text each time.
  await viewer.input('Find').fill(NEEDLE.slice(0, NEEDLE.length - (run % 3)));
  return viewers.when('three hits', ({ allFound, asked }) => allFound >= asked);
}

function longestTaskIn(page: Page, work: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (!browser) throw new Error('A page without a browser');
  return longestTask(browser, page, work);
}
