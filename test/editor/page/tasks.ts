import type { Browser, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * Returns how long the longest task of the page's main thread ran during `work`, in milliseconds. This is the CPU time
 * of the thread: unlike the durations seen by a `longtask` observer, it does not grow on a busy machine.
 */
export async function longestTask(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  await work().catch(async (error: unknown) => {
    await browser.stopTracing();
    throw error;
  });
  const trace = JSON.parse((await browser.stopTracing()).toString()) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  const mains = trace.traceEvents
    .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
    .map(({ pid, tid }) => `${pid}/${tid}`);
  const tasks = trace.traceEvents.filter(
    ({ pid, tid, tdur }) => tdur !== undefined && mains.includes(`${pid}/${tid}`),
  );
  if (tasks.length === 0) throw new Error('The trace has no task of the page.');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

/**
 * Returns the CPU time of a task that users would notice, in milliseconds: that of a fixed computation, so that a slow
 * machine has accordingly more. About 50 ms where this was written.
 */
export function noticeableMs(): number {
  const before = process.threadCpuUsage();
  Array.from({ length: 75_000 }, (_, index) => String((index * 7919) % 100_003)).sort();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
