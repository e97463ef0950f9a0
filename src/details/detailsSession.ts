import * as l10n from '@vscode/l10n';
import type { CommandId } from '../commands/ui/ui.ts';
import type { CommandContext } from '../commands/frame/commandContext.ts';
import type { DetailsTarget } from '../commands/frame/detailsTarget.ts';
import { loadDetails, type LoadedDetails } from '../commands/details/loadDetails.ts';
import { errorMessage, failureMessage } from '../commands/ui/errorMessage.ts';
import { formatEngine } from '../commands/ui/formatNames.ts';
import { asRecord, asText } from '../engine/wire/wire.ts';
import type { Reading } from '../statistics/reading.ts';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import { oneLine } from '../base/plainText.ts';
import { Throttle, type Clock } from '../base/time.ts';
import type { PanelPage } from '../logviewer/panelPage.ts';
import { detailsContent, goneContent } from './detailsContent.ts';
import { detailsStrings } from './detailsStrings.ts';
import { ExitReport } from './exitReport.ts';
import { ImageMemory } from './imageMemory.ts';
import type { KeptExits } from './keptExits.ts';
import { ProcessList } from './processList.ts';
import { RowActions } from './rowActions.ts';
import { followChanges } from './followChanges.ts';
import type { DetailsContent, ToPage } from './protocol.ts';
import { UsageGraphs, type LoadUsage } from './usageGraphs.ts';
import { keyedSections } from './sections/keyedSections.ts';

/** Minimum time in milliseconds between two requests for the details of one object. */
const LOAD_MS = 300;

/** Shows one object in a page, keeps that true while the page is visible, and does what the page asks for. */
export class DetailsSession implements Disposable {
  readonly #context: CommandContext;
  /** Sends `ready` each time it is created. */
  readonly #page: PanelPage<unknown, ToPage>;
  readonly #options: SessionOptions;
  readonly #store = new DisposableStore();
  readonly #loads: Throttle;
  readonly #images = new ImageMemory();
  readonly #processes: ProcessList;
  readonly #usage: UsageGraphs;
  readonly #exit: ExitReport;
  readonly #actions: RowActions;
  readonly target: DetailsTarget;
  #loading: AbortController | undefined;
  #loaded: LoadedDetails | undefined;
  #isGone = false;
  #isStale = true;
  #isEnded = false;
  #isPinned: boolean;
  #problem = '';

  constructor(context: CommandContext, page: PanelPage<unknown, ToPage>, options: SessionOptions) {
    this.#context = context;
    this.#page = page;
    this.#options = options;
    this.target = options.target;
    this.#isPinned = options.isPinned;
    this.#loads = this.#store.add(new Throttle(options.clock, LOAD_MS, () => void this.#load()));
    this.#processes = this.#store.add(new ProcessList(context, page, options));
    this.#usage = this.#store.add(new UsageGraphs(page, options));
    const kept = options.exits;
    this.#exit = this.#store.add(
      new ExitReport(context, options.target, { kept, onRead: () => this.#post() }),
    );
    this.#actions = new RowActions(context, page, options);
    this.#store.listen(page.onMessage, (message) => this.#handle(message));
    this.#store.listen(page.onDidChangeVisibility, () => this.#look());
    this.#store.add(followChanges(options.target, context, page, this.#follow));
  }

  get isPinned(): boolean {
    return this.#isPinned;
  }

  /** Sends the page all that it shows. */
  greet(): void {
    this.#page.post({ type: 'init', strings: detailsStrings(), kept: this.#kept() });
    this.#processes.repeat();
    this.#usage.repeat();
    this.#look();
    this.#post();
  }

  /** Copies the value of a row, or what its mask hides. */
  copy(key: string): void {
    void this.#actions.handle('copy', key, this.#loaded);
  }

  /** Ends here, because the engine was removed from the settings. */
  end(): void {
    this.#isEnded = true;
    this.#loading?.abort();
    this.#look();
    this.#post();
  }

  dispose(): void {
    this.#loading?.abort();
    this.#store.dispose();
  }

  #handle(message: unknown): void {
    const { type, key, isOn } = asRecord(message);
    if (type === 'ready') this.greet();
    else if (type === 'pin') this.#pin(isOn === true);
    else if (this.#isEnded) return;
    else if (type === 'refresh') this.#refresh();
    else if (type === 'signal') void this.#processes.signal(asText(key));
    else void this.#actions.handle(asText(type), asText(key), this.#loaded);
  }

  /** What restores the panel after a reload of the window. */
  #kept(): object {
    return { engine: this.#context.unit.id, ...this.target, isPinned: this.#isPinned };
  }

  #pin(isOn: boolean): void {
    this.#isPinned = isOn;
    this.greet();
  }

  #refresh(): void {
    this.#isStale = true;
    this.#look();
  }

  /** The object, or what is known around it, may have changed. */
  readonly #follow = (isChanged: boolean): void => {
    if (isChanged) this.#isStale = true;
    this.#look();
    this.#post();
  };

  /** Asks for what is out of date, if somebody sees it. */
  #look(): void {
    if (this.#store.isDisposed) return;
    const isSeen = this.#page.isVisible && !this.#isEnded;
    const { kind } = this.#context.inventory.phase;
    if (isSeen && this.#isStale && kind === 'live') this.#loads.request();
    const seen = isSeen && kind === 'live' ? this.#loaded : undefined;
    this.#processes.look(seen);
    this.#usage.look(seen);
  }

  async #load(): Promise<void> {
    if (this.#store.isDisposed || !this.#isStale) return;
    this.#isStale = false;
    this.#loading?.abort();
    const controller = new AbortController();
    this.#loading = controller;
    this.#post();
    const { signal } = controller;
    try {
      const connection = await this.#context.engine.connect(signal);
      const readImage = this.#images.reader(connection, signal);
      const found = await loadDetails(this.target, connection, this.#context, {
        signal,
        readImage,
      });
      await this.#exit.follow(found, signal);
      signal.throwIfAborted();
      this.#problem = '';
      this.#isGone = found === undefined;
      this.#loaded = found ?? this.#loaded;
    } catch (error) {
      if (signal.aborted) return;
      this.#problem = failureMessage(l10n.t('Could not load the details'), error);
    }
    this.#loading = undefined;
    this.#look();
    this.#post();
  }

  /** VS Code throws if a closed panel is asked whether it is visible. */
  #post(): void {
    if (this.#store.isDisposed || !this.#page.isVisible) return;
    const content = this.#content();
    this.#options.onTitle(content.title);
    this.#page.post({ type: 'content', content });
  }

  #content(): DetailsContent {
    const loaded = this.#loaded;
    const found = this.#found();
    const { sections, rows } = keyedSections(found?.sections ?? []);
    this.#actions.offer(rows);
    const notice = this.#notice();
    return {
      title: oneLine(this.#title()),
      subtitle: [kindTitle(this.target), formatEngine(this.#context)].filter(Boolean).join(' · '),
      head: found?.head,
      notice,
      isLoading: !loaded && notice === '',
      isPinned: this.#isPinned,
      sections,
    };
  }

  #found(): ReturnType<typeof detailsContent> | undefined {
    const { shown } = this.#exit;
    const readings = this.#options.readingsOf?.(this.target.id) ?? [];
    const exit = shown && { shown, readings };
    if (this.#loaded) return detailsContent(this.#loaded, this.target, this.#context, exit);
    return exit && goneContent(exit);
  }

  /** A container may have been renamed. */
  #title(): string {
    const loaded = this.#loaded;
    const isNamed = loaded?.kind === 'container' || loaded?.kind === 'network';
    return isNamed ? loaded.facts.name : this.target.name;
  }

  #notice(): string {
    const { phase } = this.#context.inventory;
    if (this.#isEnded) return l10n.t('The engine was removed from the settings.');
    if (phase.kind === 'lost')
      return l10n.t('These values may be out of date. {0}', errorMessage(phase.error));
    if (phase.kind === 'off')
      return l10n.t('These values may be out of date. The engine is disconnected.');
    if (this.#problem !== '') return this.#problem;
    if (!this.#isGone) return '';
    return this.#loaded
      ? l10n.t('{0} no longer exists. These are its last values.', oneLine(this.target.name))
      : l10n.t('{0} no longer exists.', oneLine(this.target.name));
  }
}

export interface SessionOptions {
  readonly target: DetailsTarget;
  readonly isPinned: boolean;
  readonly clock: Clock;
  readonly exits: KeptExits;
  /** Loads what measures containers. */
  readonly usage?: LoadUsage;
  /** Returns what a container used, the oldest first, as far as it was measured. */
  readonly readingsOf?: (id: string) => readonly Reading[];
  /** Called with the name of the object, which may be another one than before. */
  readonly onTitle: (name: string) => void;
  /** Runs a command with an argument. */
  readonly run: (id: CommandId, argument: object) => Promise<unknown>;
}

function kindTitle({ kind }: DetailsTarget): string {
  switch (kind) {
    case 'container':
      return l10n.t('Container');
    case 'image':
      return l10n.t('Image');
    case 'volume':
      return l10n.t('Volume');
    case 'network':
      return l10n.t('Network');
  }
}
