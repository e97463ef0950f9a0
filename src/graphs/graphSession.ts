import * as l10n from '@vscode/l10n';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import { Throttle, type Clock } from '../base/time.ts';
import type { CommandContext } from '../commands/frame/commandContext.ts';
import { withErrorMessage } from '../commands/ui/withErrorMessage.ts';
import { asRecord } from '../engine/wire/wire.ts';
import type { LogPositions } from '../logviewer/logPositions.ts';
import type { PanelPage } from '../logviewer/panelPage.ts';
import type { Reading } from '../statistics/reading.ts';
import type { Statistics } from '../statistics/statistics.ts';
import { engineLostMessage } from '../views/engines/engineState.ts';
import { GraphMembers } from './graphMembers.ts';
import { graphStrings } from './graphStrings.ts';
import type { GraphMark, GraphMember, GraphSelection, MemberReadings, ToPage } from './protocol.ts';
import { readingRow } from './readingRow.ts';
import { HOUR_MS } from './timeSeries.ts';

/** The statistics of some containers of one engine: reads them while the panel is open, and sends what is new. */
export class GraphSession implements Disposable {
  readonly #context: CommandContext;
  readonly #page: PanelPage<unknown, ToPage>;
  readonly #parts: GraphSessionOptions;
  readonly #store = new DisposableStore();
  readonly #members: GraphMembers;
  readonly #updates: Throttle;
  /** The time of the last reading that the page has, by container. */
  readonly #sent = new Map<string, number>();
  #sentMarks = '';
  #watch: Disposable | undefined;
  #interval = 0;
  #isReady = false;
  #isEnded = false;

  constructor(
    context: CommandContext,
    page: PanelPage<unknown, ToPage>,
    parts: GraphSessionOptions,
  ) {
    this.#context = context;
    this.#page = page;
    this.#parts = parts;
    this.#members = new GraphMembers(parts.selection);
    this.#updates = this.#store.add(new Throttle(parts.clock, UPDATE_MS, this.#sendReadings));
    this.#store.listen(page.onMessage, (message) => void this.#handle(message));
    this.#store.listen(page.onDidChangeVisibility, () => {
      // A hidden page is destroyed; the next page sends `ready`.
      if (!page.isVisible) this.#isReady = false;
    });
    this.#store.listen(context.inventory.onDidChange, this.#follow);
    this.#store.listen(parts.statistics.onDidRead, (ids) => {
      if (this.#isReady && ids.some((id) => this.#isMember(id))) this.#updates.request();
    });
    this.#store.listen(parts.positions.onDidMove, () => this.#sendPosition());
    this.#members.update(context.inventory.containers, this.#isLive);
    this.#look();
  }

  /** Ends here, because the engine was removed from the settings. */
  end(): void {
    this.#isEnded = true;
    this.#watch?.dispose();
    this.#sendMembers();
  }

  dispose(): void {
    this.#watch?.dispose();
    this.#store.dispose();
  }

  get #isLive(): boolean {
    return this.#context.inventory.phase.kind === 'live';
  }

  #isMember(id: string): boolean {
    return this.#members.all.some(({ key }) => key === id);
  }

  /** Reads more often while there are few. */
  #look(): void {
    const interval = this.#members.running.length <= FEW ? FAST_MS : SLOW_MS;
    if (interval === this.#interval || this.#isEnded) return;
    this.#interval = interval;
    this.#watch?.dispose();
    this.#watch = this.#parts.statistics.watch({ ids: () => this.#members.running, interval });
    if (this.#isReady) this.#greet();
  }

  readonly #follow = (change: {
    readonly phase: boolean;
    readonly containers: ReadonlySet<string>;
  }) => {
    if (this.#isEnded || (!change.phase && change.containers.size === 0)) return;
    const { containers } = this.#context.inventory;
    const hasChanged = this.#members.update(containers, this.#isLive);
    this.#look();
    if (!hasChanged && !change.phase) return;
    this.#sendMembers();
    // For the marks.
    this.#updates.request();
  };

  async #handle(message: unknown): Promise<void> {
    const { type, at } = asRecord(message);
    if (type === 'ready') this.#greet();
    else if (type === 'openLog' && typeof at === 'number' && Number.isFinite(at))
      await this.#openLog(at);
  }

  #greet(): void {
    const { title, selection } = this.#parts;
    this.#isReady = true;
    this.#sent.clear();
    this.#sentMarks = '';
    const utcOffset = -new Date().getTimezoneOffset();
    const strings = graphStrings();
    const step = this.#interval;
    this.#page.post({ type: 'init', strings, title, selection, step, utcOffset });
    this.#sendMembers();
    this.#sendReadings();
    this.#sendPosition();
  }

  #sendMembers(): void {
    const { all: members, hidden } = this.#members;
    this.#post({ type: 'members', members, hidden, problem: this.#problem });
  }

  get #problem(): string {
    const { phase } = this.#context.inventory;
    if (this.#isEnded) return l10n.t('The engine was removed from the settings.');
    if (phase.kind === 'lost') return engineLostMessage(phase.error);
    return phase.kind === 'off' ? l10n.t('The engine is disconnected.') : '';
  }

  /** Only what the page does not have yet. The axis of time stands still while the engine is lost. */
  readonly #sendReadings = (): void => {
    if (!this.#isReady) return;
    const now = this.#parts.clock.now();
    // The clock was set back: what the page has is later than all that comes now.
    if ([...this.#sent.values()].some((at) => at > now)) {
      this.#greet();
      return;
    }
    const readings = this.#members.all
      .map((member) => this.#newReadings(member, now))
      .filter(({ rows }) => rows.length > 0);
    if (readings.length > 0 || this.#isLive) this.#post({ type: 'readings', now, readings });
    this.#sendMarks();
  };

  #newReadings({ key }: GraphMember, now: number): MemberReadings {
    const since = this.#sent.get(key) ?? now - HOUR_MS;
    const history = this.#parts.statistics.historyOf(key);
    const isNew = ({ at }: Reading): boolean => at > since && at <= now;
    const rows = history.slice(history.findLastIndex((one) => !isNew(one)) + 1).map(readingRow);
    const last = rows.at(-1)?.[0];
    if (last !== undefined) this.#sent.set(key, last);
    return { key, rows };
  }

  #sendMarks(): void {
    const since = this.#parts.clock.now() - HOUR_MS;
    const marks = this.#members.all.flatMap(({ key }): readonly GraphMark[] =>
      this.#parts.statistics.marksOf(key).map((mark) => ({ ...mark, key })),
    );
    const recent = marks.filter(({ at }) => at >= since).sort((a, b) => a.at - b.at);
    const shown = recent.slice(-MOST_MARKS);
    const text = JSON.stringify(shown);
    if (text === this.#sentMarks) return;
    this.#sentMarks = text;
    this.#post({ type: 'marks', marks: shown });
  }

  #sendPosition(): void {
    const ids = new Set(this.#members.all.map(({ key }) => key));
    const at = this.#parts.positions.of(this.#context.unit.id, ids);
    this.#post({ type: 'position', at });
  }

  /** The log of what the page shows: of the whole project, also of what does not fit here. */
  async #openLog(at: number): Promise<void> {
    const { project, service } = this.#parts.selection;
    const { existing, all } = this.#members;
    const ids = existing.length > 0 ? existing : all.map(({ key }) => key);
    const names = all.flatMap(({ key, name }) => (ids.includes(key) ? name : []));
    const selection = service === undefined && project !== undefined ? { ids, project } : { ids };
    if (ids.length === 0) return;
    await withErrorMessage(l10n.t('Could not open the log viewer'), this.#context, async () => {
      await this.#context.openViewer(selection, names, at);
    });
  }

  #post(message: ToPage): void {
    if (this.#isReady && !this.#store.isDisposed) this.#page.post(message);
  }
}

export interface GraphSessionOptions {
  readonly title: string;
  readonly selection: GraphSelection;
  readonly statistics: GraphStatistics;
  readonly positions: LogPositions;
  readonly clock: Clock;
}

/** What the page needs of the statistics of an engine. */
export type GraphStatistics = Pick<Statistics, 'watch' | 'historyOf' | 'marksOf' | 'onDidRead'>;

/** Up to so many containers are read fast. */
const FEW = 5;
const FAST_MS = 2000;
const SLOW_MS = 5000;

/** Minimum time between two updates: readings of several containers come one after the other. */
const UPDATE_MS = 1000;

/** The newest marks that are sent. */
const MOST_MARKS = 500;
