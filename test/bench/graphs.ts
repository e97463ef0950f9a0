import type { ReadingRow, ToPage } from '../../src/graphs/protocol.ts';
import { END, GraphsLab, members, work } from '../editor/page/openGraphs.ts';
import type { Measurements } from './benchmark.ts';

const CONTAINERS = 20;
const MINUTES = 60;
const STEP_MS = 5000;
const WARM_UP = 5;
const ROUNDS = 20;

/** Measures an update of the statistics page with 20 containers and an hour of data. */
export async function benchGraphs(): Promise<Measurements<'script' | 'task'>> {
  const lab = new GraphsLab();
  try {
    const all = members(...Array.from({ length: CONTAINERS }, (_, at) => `web-${at}`));
    await lab.open({ members: all, readings: all.map((_, at) => work(at, MINUTES)) });
    const update = async (round: number): Promise<void> => {
      await lab.tell(updateOf(round));
      await lab.still();
    };
    for (let round = 1; round <= WARM_UP; round++) await update(round);
    const client = await lab.page.context().newCDPSession(lab.page);
    await client.send('Performance.enable', { timeDomain: 'threadTicks' });
    const scriptMs = async (): Promise<number> => {
      const { metrics } = await client.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0) * 1000;
    };
    const script: number[] = [];
    for (let round = WARM_UP + 1; round <= WARM_UP + ROUNDS; round++) {
      const before = await scriptMs();
      await update(round);
      script.push((await scriptMs()) - before);
    }
    const task = await lab.longestTask(() => update(WARM_UP + ROUNDS + 1));
    return { script: { subject: script }, task: { subject: task } };
  } finally {
    await lab.close();
  }
}

function updateOf(round: number): ToPage {
  const now = END + round * STEP_MS;
  const readings = Array.from({ length: CONTAINERS }, (_, index) => {
    const { key, rows } = work(index, 1);
    const [, cpu = 0, memory = 0, limit = 0] = rows[round % rows.length] ?? [];
    const bytes = 1e9 + round * 90_000 * (1 + (index % 3));
    const row: ReadingRow = [now, cpu ?? 1, memory, limit, bytes, bytes, bytes, bytes, 5];
    return { key, rows: [row] };
  });
  return { type: 'readings', now, readings };
}
