import type { Page } from 'playwright-core';
import { delay } from '../../../../src/base/time.ts';
import { longestTask } from '../../../editor/page/tasks.ts';
import { ViewerTab } from '../../../editor/ui/viewerTab.ts';
import { LINE_BYTES, NEEDLE, numberOf } from '../../bigLog.ts';
import { median, rounded } from '../../figures.ts';
import { atMost, exactly } from '../../limit.ts';
import type { BenchRow } from '../../row.ts';
import { residentMB } from '../proc.ts';
import { savedLines } from './saving.ts';
import { clickOnLogs, type LogStage } from './stage.ts';
import type { ViewerMoments } from './viewerEye.ts';

const [LINES, RUNS] = [1_000_000, 5];
const BYTES = LINES * LINE_BYTES;
/** After a forced garbage collection, an extension host returns pages for up to this long. */
const SETTLE_MS = 30_000;
const [LONGEST_PIECE, FIRST, ALL] = [50, 50, 1500];

/** The memory budget of a window for a log of a million lines. */
export interface Budget {
  readonly megabytes: number;
  readonly words: string;
  /** The allowed growth of the window's memory, in megabytes. */
  readonly most: number;
}

/** Without spilling, and the default. */
export const BUDGETS: readonly Budget[] = [
  { megabytes: 1024, words: 'no spill', most: (2 * BYTES) / 1e6 },
  { megabytes: 32, words: 'budget of 32 MB', most: 64 },
];

/** Reads a log of a million lines in a log viewer through a search, as a user would, and finds three of them. */
export async function benchBigLog(
  stage: LogStage,
  name: string,
  budget: Budget,
): Promise<BenchRow[]> {
  const { window } = stage;
  const viewer = new ViewerTab(window.page);
  await clickOnLogs(window, name);
  await viewer.says(/line 00999999/);
  const before = await heldMemory(stage);
  const heldWithoutYoung = await memoryWithoutYoung(stage);
  const startedAt = performance.now();
  await searchBack(viewer);
  const peak = await highest(stage, () => readToItsStart(viewer));
  const loaded = performance.now() - startedAt;
  const held = rounded((await heldMemory(stage)) - before, 0);
  const rows = await benchFinding(stage, viewer, budget.words);
  const lines = await savedLines(viewer);
  return [
    {
      name: `a log of 1,000,000 lines in a log viewer, ${budget.words}: all of it`,
      value: inOrder(lines),
      unit: 'lines',
      ...exactly(inOrder(lines), LINES),
      note: `read back from its end in ${rounded(loaded / 1000, 1)} s`,
    },
    {
      ...memoryRow(`memory it keeps, extension host and page, ${budget.words}`, held, budget),
      note: 'more than with its end alone, 30 s after a collection of garbage',
    },
    {
      ...memoryRow(
        'the most while it is read, extension host and page',
        rounded(peak - heldWithoutYoung, 0),
        budget,
      ),
      note: 'without what V8 holds for new objects in the extension host',
    },
    ...rows,
  ];
}

function memoryRow(name: string, value: number, { most }: Budget): BenchRow {
  const ratio = rounded(value / (BYTES / 1e6), 2);
  return { name, value, unit: 'MB', ratio, peer: 'the log itself', ...atMost(value, most) };
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
  let [most, isOver] = [0, false];
  const working = work().finally(() => (isOver = true));
  while (!isOver) {
    most = Math.max(most, await memoryWithoutYoung(stage));
    await Promise.race([working, delay(500)]);
  }
  await working;
  return most;
}

async function benchFinding(
  stage: LogStage,
  viewer: ViewerTab,
  words: string,
): Promise<BenchRow[]> {
  const found: ViewerMoments[] = [];
  const findAll = async (): Promise<void> => {
    for (let run = 0; run < RUNS; run++) found.push(await find(stage, viewer, run));
  };
  const host = await stage.probe.longestPiece(findAll);
  const times = (name: 'firstFound' | 'allFound'): number =>
    rounded(median(found.map((one) => one[name] - one.asked)), 0);
  // Run it again separately: tracing takes time of its own.
  const task = await longestTaskIn(viewer.page, findAll);
  const note = `from the last key to the count on the page, median of ${RUNS}`;
  const row = (what: string, value: number, most: number): BenchRow => {
    return {
      name: `find in its window, ${words}: ${what}`,
      value,
      unit: 'ms',
      ...atMost(value, most),
    };
  };
  return [
    { ...row('first', times('firstFound'), FIRST), note },
    { ...row('all three', times('allFound'), ALL), note },
    {
      ...row('longest task of the window', rounded(task, 0), LONGEST_PIECE),
      note: 'VS Code’s own tasks too, each by its own time',
    },
    row('longest work in the extension host', rounded(host, 0), LONGEST_PIECE),
  ];
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
