import * as l10n from '@vscode/l10n';
import type { CommandContext } from '../commands/frame/commandContext.ts';
import { errorMessage, failureMessage } from '../commands/ui/errorMessage.ts';
import { formatEngine } from '../commands/ui/formatNames.ts';
import { excludedMessage, judge, type Verdict } from '../commands/system/cleanupVerdicts.ts';
import {
  exclude,
  isExcludedBy,
  keyOf,
  type CleanupItem,
  type EngineContents,
} from '../commands/system/cleanupItem.ts';
import { CLEANUP_KINDS, type CleanupKind } from '../engine/system/cleanupKinds.ts';
import { kindUses } from '../commands/system/kindUses.ts';
import { listWithoutUse } from '../commands/system/listContents.ts';
import { removeWithProgress } from '../commands/system/removeWithProgress.ts';
import { withErrorMessage } from '../commands/ui/withErrorMessage.ts';
import { sameEngineOnly, type Connect } from '../engine/http/sameEngineOnly.ts';
import { knownDiskUse } from '../engine/volumes/knownSizes.ts';
import { asRecord, asTexts } from '../engine/wire/wire.ts';
import { DisposableStore, isCancellation, type Disposable } from '../base/lifetime.ts';
import type { PanelPage } from '../logviewer/panelPage.ts';
import { Throttle, type Clock } from '../base/time.ts';
import { cleanupStrings } from './cleanupStrings.ts';
import { NewerLists } from './newerLists.ts';
import { OfferedItems } from './offeredItems.ts';
import { pageItems } from './pageItems.ts';
import { worktreeNames } from './worktreeNames.ts';
import type { PageContent, PageItem, ToPage } from './protocol.ts';

/** Minimum time in milliseconds between two updates of the page. */
const UPDATE_MS = 300;

/** The clean-up of one engine: lists what it has, keeps that true while the page shows it, and removes. */
export class CleanupSession implements Disposable {
  readonly #context: CommandContext;
  /** Sends `ready` each time it is created. */
  readonly #page: PanelPage<unknown, ToPage>;
  readonly #title: string;
  readonly #store = new DisposableStore();
  readonly #updates: Throttle;
  readonly #newer: NewerLists;
  #loading: AbortController | undefined;
  #found: EngineContents | undefined;
  /** Connects only to the engine of what was found. */
  #connect: Connect | undefined;
  #verdicts: readonly Verdict[] = [];
  #worktrees: ReadonlyMap<string, string> = new Map();
  /** Items that the page shows since the last list; those that vanish stay as such. */
  readonly #shown = new Map<string, PageItem>();
  readonly #offered = new OfferedItems();
  #problem = '';
  #isLive: boolean;
  #isMeasuring = false;
  #isRemoving = false;
  #isEnded = false;
  #only: CleanupKind | undefined;

  constructor(context: CommandContext, page: PanelPage<unknown, ToPage>, options: SessionOptions) {
    this.#context = context;
    this.#page = page;
    this.#title = options.title;
    this.#only = options.only;
    this.#isLive = context.inventory.phase.kind === 'live';
    this.#updates = this.#store.add(new Throttle(options.clock, UPDATE_MS, this.#post));
    this.#store.listen(page.onMessage, (message) => void this.#handle(message));
    this.#store.listen(context.inventory.onDidChange, ({ phase }) => {
      if (phase) this.#updatePhase();
    });
    this.#newer = this.#store.add(new NewerLists(context.inventory, this.#follow));
    this.#store.listen(page.onDidChangeVisibility, () => this.#newer.look(page.isVisible));
    this.#newer.look(page.isVisible);
  }

  /** Lists everything again, and asks for the sizes. Shows the lists as soon as they are there. */
  async load(): Promise<void> {
    if (this.#store.isDisposed) return;
    this.#loading?.abort();
    const controller = new AbortController();
    this.#loading = controller;
    this.#problem = '';
    this.#isMeasuring = true;
    this.#post();
    try {
      await this.#list(controller.signal);
    } catch (error) {
      if (!controller.signal.aborted)
        this.#problem = failureMessage(l10n.t('Could not list unused data'), error);
    }
    if (this.#loading !== controller) return;
    this.#loading = undefined;
    this.#isMeasuring = false;
    this.#post();
  }

  /** Shows only what is of a kind, or everything again. */
  focus(only: CleanupKind | undefined): void {
    this.#only = only;
    this.#page.post({ type: 'focus', kind: only });
  }

  /** Ends here, because the engine was removed from the settings. */
  end(): void {
    this.#isEnded = true;
    this.#loading?.abort();
    this.#problem = l10n.t('The engine was removed from the settings.');
    this.#post();
  }

  dispose(): void {
    this.#loading?.abort();
    this.#store.dispose();
  }

  /** The sizes of the last time stay until there are new ones. */
  async #list(signal: AbortSignal): Promise<void> {
    const { engine } = this.#context;
    const connection = await engine.connect(signal);
    this.#newer.clear();
    const sizes = knownDiskUse(connection, signal).catch((error: unknown) => {
      if (isCancellation(error) || signal.aborted) throw error;
      this.#problem = failureMessage(l10n.t('Could not calculate sizes'), error);
      return undefined;
    });
    // Fails with the lists, too, which report it.
    sizes.catch(() => undefined);
    const names = worktreeNames(await this.#context.window.worktrees());
    const lists = await listWithoutUse(connection, CLEANUP_KINDS, signal);
    this.#worktrees = await names;
    signal.throwIfAborted();
    this.#found = { ...lists, use: this.#found?.use };
    this.#connect = sameEngineOnly(connection, (later) => engine.connect(later));
    this.#shown.clear();
    this.#post();
    const use = await sizes;
    signal.throwIfAborted();
    // Only this tells which records are gone; shown are those of the list before.
    for (const [key, { kind }] of this.#shown) if (kind === 'buildCache') this.#shown.delete(key);
    // It includes the changes since.
    this.#found = { ...this.#found, use };
  }

  async #handle(message: unknown): Promise<void> {
    const { type, seen, key, isOn } = asRecord(message);
    if (type === 'ready') this.#greet();
    else if (this.#isEnded) return;
    else if (type === 'refresh') await this.load();
    else if (type === 'remove') await this.#remove(asTexts(seen));
    else if (type === 'exclude') await this.#exclude(key, isOn === true);
  }

  #greet(): void {
    const { unit } = this.#context;
    const strings = cleanupStrings();
    this.#page.post({ type: 'init', strings, title: this.#title, engine: unit.id });
    this.#page.post({ type: 'focus', kind: this.#only });
    if (!this.#found && !this.#loading) void this.load();
    else this.#post();
  }

  /** Each as the user saw it: what has changed since is kept, and reported. */
  async #remove(seen: readonly string[]): Promise<void> {
    const connect = this.#connect;
    const confirmed = new Set(seen);
    const items = this.#verdicts.flatMap(({ item, reason }) =>
      reason === undefined ? (this.#offered.find(item, confirmed) ?? []) : [],
    );
    if (this.#isRemoving || items.length === 0 || !connect) return;
    this.#isRemoving = true;
    this.#post();
    await withErrorMessage(l10n.t('Could not clean up'), this.#context, async () => {
      await removeWithProgress(this.#context, await connect(), items);
    });
    this.#isRemoving = false;
    if (!this.#isEnded) await this.load();
  }

  async #exclude(key: unknown, isOn: boolean): Promise<void> {
    const item = this.#verdicts.find((one) => keyOf(one.item) === key)?.item;
    if (!item) return;
    const { window, unit } = this.#context;
    await withErrorMessage(l10n.t('Could not save your choice'), this.#context, () =>
      exclude(window.exclusions, unit.id, item, isOn),
    );
    this.#post();
  }

  #updatePhase(): void {
    const wasLive = this.#isLive;
    const { kind } = this.#context.inventory.phase;
    this.#isLive = kind === 'live';
    if (kind === 'connecting') this.#startOver();
    else if (this.#isLive && !wasLive && this.#problem !== '') this.#listAgain();
  }

  /** The engine is back, and something could not be listed. A hidden page lists again when it is shown. */
  #listAgain(): void {
    if (this.#isEnded) return;
    if (this.#page.isVisible) void this.load();
    else this.#forget();
  }

  /** Another engine may be in use from now on. A hidden page lists again when it is shown. */
  #startOver(): void {
    if (this.#isEnded) return;
    this.#forget();
    this.#verdicts = [];
    this.#shown.clear();
    this.#offered.clear();
    if (this.#page.isVisible) void this.load();
  }

  #forget(): void {
    this.#loading?.abort();
    this.#loading = undefined;
    this.#found = undefined;
  }

  readonly #follow = (): void => {
    if (this.#found && !this.#isEnded && this.#page.isVisible) this.#updates.request(true);
  };

  /** VS Code throws if a closed panel is asked whether it is visible. */
  readonly #post = (): void => {
    if (this.#store.isDisposed || !this.#page.isVisible) return;
    if (this.#found && !this.#isEnded) this.#found = this.#newer.update(this.#found);
    this.#page.post({ type: 'content', content: this.#content() });
  };

  #content(): PageContent {
    const { inventory } = this.#context;
    const isConnected = !this.#isEnded && !['lost', 'off'].includes(inventory.phase.kind);
    const found = this.#found;
    const state = {
      engine: formatEngine(this.#context),
      isLoading: !found && this.#loading !== undefined,
      isMeasuring: this.#isMeasuring,
      isRemoving: this.#isRemoving,
      switches: this.#offered.switches,
      problem: this.#problem || (isConnected ? '' : this.#lossMessage()),
      isConnected,
    };
    if (!found) return { ...state, items: [], hidden: 0, uses: [] };
    return { ...state, ...this.#items(found), uses: found.use ? kindUses(found) : [] };
  }

  #items(found: EngineContents): Pick<PageContent, 'items' | 'hidden'> {
    const { window, unit } = this.#context;
    const isExcluded = isExcludedBy(window.exclusions.of(unit.id));
    const keep = (item: CleanupItem): string | undefined =>
      isExcluded(item) ? excludedMessage() : undefined;
    this.#verdicts = judge(found, keep);
    this.#offered.offer(
      this.#verdicts.map(({ item }) => item),
      (key) => this.#shown.has(key),
    );
    const seenOf = (item: CleanupItem): string => this.#offered.seenOf(item);
    const worktrees = this.#worktrees;
    const facts = { found, isExcluded, seenOf, worktrees, now: Date.now() };
    const { items, hidden } = pageItems(this.#verdicts, facts);
    const now = new Set(items.map(({ key }) => key));
    const gone = [...this.#shown.values()].filter(({ key }) => hidden === 0 && !now.has(key));
    for (const item of items) this.#shown.set(item.key, item);
    return {
      items: [...items, ...gone.map((item) => ({ ...item, state: 'gone' as const }))],
      hidden,
    };
  }

  #lossMessage(): string {
    const { inventory } = this.#context;
    const { phase } = inventory;
    const why =
      phase.kind === 'lost' ? errorMessage(phase.error) : l10n.t('The engine is disconnected.');
    return l10n.t('This list may be out of date. {0}', why);
  }
}

interface SessionOptions {
  readonly title: string;
  readonly clock: Clock;
  /** See {@link CleanupSession.focus}. */
  readonly only: CleanupKind | undefined;
}
