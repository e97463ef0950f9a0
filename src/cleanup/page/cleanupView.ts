import { CLEANUP_KINDS, type CleanupKind } from '../../engine/system/cleanupKinds.ts';
import { asRecord, asTexts } from '../../engine/wire/wire.ts';
import { iconButton, make } from '../../logviewer/page/dom.ts';
import { PageStrings } from '../../logviewer/page/pageStrings.ts';
import { formatSize, joinParts } from '../../views/format.ts';
import type { CleanupString } from '../cleanupStrings.ts';
import { GROUPINGS, groupItems, reclaimedBy, selectedKeys, type Grouping } from '../groupItems.ts';
import type { PageContent, PageItem, ToHost, ToPage } from '../protocol.ts';
import { confirmRemoval } from './confirmRemoval.ts';
import { ItemGrid } from './itemGrid.ts';
import { usesTable } from './usesTable.ts';

type Init = Extract<ToPage, { readonly type: 'init' }>;

/** The whole page: what uses disk space, the list, and what is selected in it. */
export class CleanupView {
  readonly #host: CleanupHost;
  readonly #engine: string;
  readonly #strings: PageStrings<CleanupString>;
  readonly #choices: Map<string, boolean>;
  readonly #closed: Set<string>;
  /** Keys selected unless the user chose otherwise. */
  readonly #suggested: Set<string>;
  #isSettled: boolean;
  readonly #grid: ItemGrid;
  readonly #banner = make('div', { class: 'banner', attributes: { role: 'alert' } });
  readonly #uses = make('div', { class: 'uses' });
  readonly #empty = make('div', { class: 'empty' });
  readonly #status = make('div', { class: 'status', attributes: { role: 'status' } });
  readonly #sum = make('div', { class: 'sum' });
  readonly #by: HTMLSelectElement;
  readonly #refresh: HTMLButtonElement;
  readonly #button: HTMLButtonElement;
  #content: PageContent | undefined;
  /** When the user selected; see `PageContent.switches`. */
  #switches: unknown;
  #selected: ReadonlySet<string> = new Set();
  #only: CleanupKind | undefined;

  constructor({ strings, title, engine }: Init, host: CleanupHost) {
    this.#host = host;
    this.#engine = engine;
    this.#strings = new PageStrings(strings);
    const kept = asRecord(host.getState());
    const isOn = (list: unknown, value: boolean) =>
      asTexts(list).map((key): [string, boolean] => [key, value]);
    this.#choices = new Map([...isOn(kept['on'], true), ...isOn(kept['off'], false)]);
    this.#closed = new Set(asTexts(kept['closed']));
    this.#suggested = new Set(asTexts(kept['suggested']));
    this.#isSettled = kept['suggested'] !== undefined;
    this.#only = CLEANUP_KINDS.find((kind) => kind === kept['only']);
    this.#switches = kept['switches'];
    this.#by = this.#makeGrouping(kept['by']);
    this.#refresh = iconButton('refresh', this.#strings.get('refresh'), () => {
      host.postMessage({ type: 'refresh' });
    });
    this.#button = make('button', {
      class: 'primary',
      text: this.#strings.get('removeButton'),
      onClick: () => void this.#remove(),
    });
    this.#grid = new ItemGrid(this.#strings, {
      onChoose: this.#choose,
      onFold: this.#fold,
      onExclude: (key, isExcluded) => host.postMessage({ type: 'exclude', key, isOn: isExcluded }),
    });
    this.#build(title);
    this.#show();
  }

  /** Handles a message from the extension. Unknown messages are ignored. */
  handle(message: ToPage): void {
    if (message.type === 'content') this.#setContent(message.content);
    else if (message.type === 'focus') this.#focus(message.kind);
    else return;
    this.#show();
  }

  /** Drops what was selected, or is to be confirmed, if another engine is in use now. */
  #setContent(content: PageContent): void {
    this.#content = content;
    if (content.switches !== this.#switches) {
      this.#switches = content.switches;
      this.#forget();
      document.querySelector('dialog')?.close();
    }
    this.#suggest(content);
  }

  #forget(): void {
    this.#choices.clear();
    this.#suggested.clear();
    this.#isSettled = false;
  }

  /** Selects what is suggested until all is listed. What comes later was not seen by the user, and stays as it is. */
  #suggest({ items, isMeasuring }: PageContent): void {
    for (const { key, isSuggested } of items) {
      if (!isSuggested || this.#suggested.has(key)) continue;
      if (!this.#isSettled) this.#suggested.add(key);
      else if (!this.#choices.has(key)) this.#choices.set(key, false);
    }
    this.#isSettled ||= items.length > 0 && !isMeasuring;
  }

  #makeGrouping(kept: unknown): HTMLSelectElement {
    const by = make('select', {
      attributes: { 'aria-label': this.#strings.get('groupBy') },
      children: GROUPINGS.map((value) =>
        make('option', { text: this.#strings.get(`by.${value}`), attributes: { value } }),
      ),
    });
    by.value = GROUPINGS.find((one) => one === kept) ?? 'kind';
    by.addEventListener('change', this.#show);
    return by;
  }

  #build(title: string): void {
    const toolbar = make('div', {
      class: 'toolbar',
      children: [
        make('label', {
          children: [make('span', { text: this.#strings.get('groupBy') }), this.#by],
        }),
        this.#status,
        this.#refresh,
      ],
    });
    const body = make('main', {
      class: 'body',
      attributes: { 'aria-label': title },
      children: [this.#uses, this.#empty, this.#grid.element],
    });
    const footer = make('div', { class: 'footer', children: [this.#sum, this.#button] });
    const page = make('div', { class: 'page', children: [toolbar, this.#banner, body, footer] });
    document.body.replaceChildren(page);
  }

  /** A page that is shown again keeps what the user selected in it. */
  #focus(kind: CleanupKind | undefined): void {
    if (kind === this.#only) return;
    this.#only = kind;
    this.#by.value = 'kind';
    this.#forget();
    if (this.#content) this.#suggest(this.#content);
    this.#closed.clear();
    for (const one of kind === undefined ? [] : CLEANUP_KINDS)
      if (one !== kind) this.#closed.add(`kind ${one}`);
  }

  readonly #choose = (keys: readonly string[], isChosen: boolean): void => {
    for (const key of keys) this.#choices.set(key, isChosen);
    this.#select();
  };

  readonly #fold = (id: string, isClosed: boolean): void => {
    const key = `${this.#grouping} ${id}`;
    if (isClosed) this.#closed.add(key);
    else this.#closed.delete(key);
    this.#show();
  };

  get #grouping(): Grouping {
    return GROUPINGS.find((one) => one === this.#by.value) ?? 'kind';
  }

  readonly #show = (): void => {
    const {
      items = [],
      hidden = 0,
      isLoading = true,
      isMeasuring,
      isRemoving,
    } = this.#content ?? {};
    const by = this.#grouping;
    const groups = groupItems(items, by).map((group) => ({
      ...group,
      label: this.#labelOf(group.id, by),
      isClosed: this.#closed.has(`${by} ${group.id}`),
    }));
    const strings = this.#strings;
    this.#grid.show(groups, by);
    const busy = isRemoving ? 'removing' : isLoading ? 'loading' : isMeasuring ? 'measuring' : '';
    setText(this.#status, busy && strings.get(busy));
    this.#refresh.disabled = busy !== '';
    this.#showProblem(this.#content?.problem ?? '');
    this.#uses.replaceChildren(...usesTable(this.#content?.uses ?? [], strings));
    const more = hidden > 0 ? strings.get('hidden', strings.formatCount(hidden)) : '';
    setText(this.#empty, isLoading || items.length > 0 ? more : strings.get('empty'));
    this.#select();
  };

  #showProblem(problem: string): void {
    setText(this.#banner, problem);
    this.#banner.hidden = problem === '';
    const isFailed = problem !== '' && (this.#content?.items.length ?? 0) === 0;
    this.#empty.hidden = isFailed;
  }

  #labelOf(id: string, by: Grouping): string {
    if (by === 'project') return id || this.#strings.get('noProject');
    if (by === 'worktree') return id || this.#strings.get('noWorktree');
    return this.#strings.get(`${by}.${id}` as CleanupString);
  }

  #select(): void {
    const items = this.#content?.items ?? [];
    this.#selected = selectedKeys(items, this.#choices, this.#only);
    this.#grid.select(this.#selected);
    const chosen = this.#chosen();
    const { isConnected = false, isRemoving = false } = this.#content ?? {};
    this.#button.disabled = chosen.length === 0 || !isConnected || isRemoving;
    setText(this.#sum, this.#sumOf(chosen));
    this.#keep();
  }

  #chosen(): readonly PageItem[] {
    return (this.#content?.items ?? []).filter(({ key }) => this.#selected.has(key));
  }

  #sumOf(chosen: readonly PageItem[]): string {
    const strings = this.#strings;
    if (chosen.length === 0) return strings.get('none');
    const count = strings.formatCount(chosen.length);
    const selected =
      chosen.length === 1 ? strings.get('selectedOne') : strings.get('selected', count);
    return joinParts(selected, reclaimedText(chosen, strings));
  }

  async #remove(): Promise<void> {
    const chosen = this.#chosen();
    const engine = this.#content?.engine ?? '';
    const texts = { engine, reclaimed: reclaimedText(chosen, this.#strings) };
    if (!(await confirmRemoval(chosen, texts, this.#strings))) return;
    this.#host.postMessage({ type: 'remove', seen: chosen.map((one) => one.seen) });
  }

  #keep(): void {
    const known = new Set(this.#content?.items.map(({ key }) => key));
    const chosen = (isOn: boolean) =>
      [...this.#choices].flatMap(([key, one]) =>
        one === isOn && (known.size === 0 || known.has(key)) ? [key] : [],
      );
    this.#host.setState({
      engine: this.#engine,
      by: this.#grouping,
      only: this.#only,
      switches: this.#switches,
      closed: [...this.#closed],
      on: chosen(true),
      off: chosen(false),
      ...(this.#isSettled && { suggested: [...this.#suggested] }),
    });
  }
}

/** Port of the page to VS Code. */
export interface CleanupHost {
  postMessage(message: ToHost): void;
  getState(): unknown;
  setState(state: object): void;
}

function reclaimedText(items: readonly PageItem[], strings: PageStrings<CleanupString>): string {
  const { size, isAtLeast } = reclaimedBy(items);
  return strings.get(isAtLeast ? 'reclaimsAtLeast' : 'reclaims', formatSize(size));
}

/** Changes a text only if it is another one, so that screen readers do not repeat it. */
function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
