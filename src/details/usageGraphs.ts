import * as l10n from '@vscode/l10n';
import type { LoadedDetails } from '../commands/details/loadDetails.ts';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import type { Clock } from '../base/time.ts';
import type { PanelPage } from '../logviewer/panelPage.ts';
import type { Reading } from '../statistics/reading.ts';
import type { Statistics } from '../statistics/statistics.ts';
import { formatPercent } from '../views/format.ts';
import { formatMemoryUse } from '../views/formatMeasure.ts';
import type { PageGraph, PageUsage, ToPage } from './protocol.ts';

/** Time in milliseconds before the first reading: the page is drawn first, and one that is soon left needs none. */
const START_MS = 500;
/** Time in milliseconds between two readings. */
const INTERVAL_MS = 2000;
/** As many readings as the graphs show. */
const MOST_READINGS = 150;
/** Time in milliseconds without a reading after which a line is not drawn on. */
const GAP_MS = 15_000;
/** An idle container is not drawn as a busy one. */
const LEAST_PERCENT = 10;

/** What the container of a page uses. Measured while the user sees the page, and not otherwise. */
export class UsageGraphs implements Disposable {
  readonly #page: Pick<PanelPage<unknown, ToPage>, 'post'>;
  readonly #load: LoadUsage | undefined;
  readonly #clock: Clock;
  #watch: DisposableStore | undefined;
  /** Which run of the container is shown. */
  #run = '';
  /** What the page has got last. */
  #told: Extract<ToPage, { readonly type: 'usage' }> | undefined;

  constructor(
    page: Pick<PanelPage<unknown, ToPage>, 'post'>,
    { usage, clock }: { readonly usage?: LoadUsage; readonly clock: Clock },
  ) {
    this.#page = page;
    this.#load = usage;
    this.#clock = clock;
  }

  /** Measures what is seen, if it is a container that runs; undefined if nothing is seen. */
  look(seen: LoadedDetails | undefined): void {
    const facts = seen?.kind === 'container' ? seen.facts : undefined;
    // One that is paused keeps its memory.
    const isRunning = facts?.state === 'running' || facts?.state === 'paused';
    const run = isRunning ? `${facts.id} ${facts.startedAt}` : '';
    if (run === this.#run) return;
    this.#watch?.dispose();
    this.#watch = undefined;
    this.#run = run;
    const limit = facts?.limits.find(({ what }) => what === 'memory')?.value;
    if (isRunning) this.#begin(facts.id, limit);
    else if (seen && this.#told) this.#post(undefined);
  }

  /** Tells a new page what the one before has got. */
  repeat(): void {
    if (this.#told) this.#page.post(this.#told);
  }

  dispose(): void {
    this.#watch?.dispose();
    this.#run = '';
  }

  #begin(id: string, limit: number | undefined): void {
    if (!this.#load) return;
    const watch = (this.#watch = new DisposableStore());
    // Takes its place at once, so that nothing moves when there are values.
    this.#post(usageOf([], limit, false));
    const load = this.#load;
    watch.add(this.#clock.after(START_MS, () => void this.#follow(id, limit, { watch, load })));
  }

  async #follow(
    id: string,
    limit: number | undefined,
    { watch, load }: { readonly watch: DisposableStore; readonly load: LoadUsage },
  ): Promise<void> {
    const source = await load();
    if (watch.isDisposed) return;
    const show = (): void =>
      this.#post(usageOf(source.historyOf(id).slice(-MOST_READINGS), limit, source.isOld(id)));
    watch.listen(source.onDidRead, (ids) => {
      if (ids.includes(id)) show();
    });
    watch.add(source.watch({ ids: () => [id], interval: INTERVAL_MS }));
    show();
  }

  #post(usage: PageUsage | undefined): void {
    this.#told = { type: 'usage', usage };
    this.#page.post(this.#told);
  }
}

/** Loads what measures containers. */
export type LoadUsage = () => Promise<UsageSource>;

type UsageSource = Pick<Statistics, 'watch' | 'historyOf' | 'isOld' | 'onDidRead'>;

function usageOf(
  readings: readonly Reading[],
  limit: number | undefined,
  isOld: boolean,
): PageUsage {
  const { cpuPercent, memoryBytes } = readings.at(-1) ?? {};
  const cpus = readings.flatMap((one) => one.cpuPercent ?? []);
  const bytes = readings.map((one) => one.memoryBytes);
  return {
    cpu: graph(l10n.t('CPU'), {
      text: cpuPercent === undefined ? '' : formatPercent(cpuPercent),
      most: formatPercent(Math.max(0, ...cpus)),
      points: pointsOf(readings, (one) => one.cpuPercent),
      scale: LEAST_PERCENT,
    }),
    memory: graph(l10n.t('Memory'), {
      text: memoryBytes === undefined ? '' : formatMemoryUse(memoryBytes, limit),
      most: formatMemoryUse(Math.max(0, ...bytes), limit),
      points: pointsOf(readings, (one) => one.memoryBytes),
      scale: limit ?? 0,
    }),
    isOld,
  };
}

function graph(
  label: string,
  { text, most, ...drawn }: Omit<PageGraph, 'label' | 'spoken'> & { readonly most: string },
): PageGraph {
  const spoken =
    text === ''
      ? l10n.t('{0}: no value yet', label)
      : l10n.t('{0}: {1}, recently {2} at most', label, text, most);
  return { label, text, spoken, ...drawn };
}

/** Breaks the line where readings are missing, and where another run begins. */
function pointsOf(
  readings: readonly Reading[],
  valueOf: (reading: Reading) => number | undefined,
): PageGraph['points'] {
  return readings.flatMap((reading, index) => {
    const before = readings[index - 1];
    const point = { at: reading.at, value: valueOf(reading) };
    const isApart = before && (reading.at - before.at > GAP_MS || reading.cpuPercent === undefined);
    return isApart ? [{ at: before.at, value: undefined }, point] : [point];
  });
}
