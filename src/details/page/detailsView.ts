import { iconButton, make } from '../../logviewer/page/dom.ts';
import { PageStrings } from '../../logviewer/page/pageStrings.ts';
import type { DetailsString } from '../detailsStrings.ts';
import type { DetailsContent, PageHead, PageSection, ToHost, ToPage, Tone } from '../protocol.ts';
import { ProcessTable } from './processTable.ts';
import { SectionList } from './sectionList.ts';
import { UsageSection } from './usageSection.ts';

const ICONS: Readonly<Record<Tone, string>> = {
  good: 'pass-filled',
  bad: 'error',
  warning: 'warning',
  busy: 'pulse',
  plain: 'circle-outline',
};

/** The sections that are in the second column of a wide page. */
const SECOND: readonly string[] = [
  ...['ports', 'mounts', 'networks', 'environment', 'limits', 'labels'],
  ...['users', 'members', 'options'],
];

/** The whole page: the state in a sentence, and the sections below. */
export class DetailsView {
  readonly #host: DetailsHost;
  readonly #strings: PageStrings<DetailsString>;
  readonly #page = make('div', { class: 'page' });
  readonly #title = make('h1');
  readonly #subtitle = make('div', { class: 'subtitle' });
  readonly #head = make('div', { class: 'head', attributes: { role: 'status' } });
  readonly #notice = make('div', { class: 'notice', attributes: { role: 'alert' } });
  readonly #said = make('div', { class: 'unseen', attributes: { role: 'status' } });
  readonly #pin: HTMLButtonElement;
  readonly #first = make('div', { class: 'column' });
  readonly #second = make('div', { class: 'column' });
  readonly #sections = new Map<string, SectionList>();
  readonly #processes: ProcessTable;
  readonly #usage: UsageSection;
  #isPinned = false;
  /** Which object is shown, as it is kept. */
  #kept = '';

  constructor(strings: Readonly<Record<string, string>>, host: DetailsHost) {
    this.#host = host;
    this.#strings = new PageStrings(strings);
    this.#pin = iconButton('pin', this.#strings.get('pin'), () =>
      host.postMessage({ type: 'pin', isOn: !this.#isPinned }),
    );
    this.#usage = new UsageSection(this.#strings);
    this.#processes = new ProcessTable(this.#strings, (key) =>
      host.postMessage({ type: 'signal', key }),
    );
    this.#build();
    document.addEventListener('copy', this.#onCopy);
  }

  /** Handles a message from the extension. Unknown messages are ignored. */
  handle(message: ToPage): void {
    switch (message.type) {
      case 'init':
        this.#keep(message.kept);
        break;
      case 'content':
        this.#show(message.content);
        break;
      case 'processes':
        this.#processes.show(message.processes, message.problem);
        break;
      case 'usage':
        this.#usage.show(message.usage);
        break;
      case 'revealed':
        for (const list of this.#sections.values()) list.reveal(message.key, message.value);
    }
  }

  /** Forgets what was shown of another object. */
  #keep(kept: object): void {
    this.#host.setState(kept);
    const { id, engine } = kept as { readonly id?: unknown; readonly engine?: unknown };
    // The menu of a value is a command of the extension, which gets this.
    document.body.dataset['vscodeContext'] = JSON.stringify({ engine });
    const key = JSON.stringify([engine, id]);
    if (key === this.#kept) return;
    this.#kept = key;
    for (const list of this.#sections.values()) list.element.remove();
    this.#sections.clear();
    this.#processes.show(undefined, '');
    this.#usage.show(undefined);
    this.#page.scrollTop = 0;
  }

  #build(): void {
    const refresh = iconButton('refresh', this.#strings.get('refresh'), () =>
      this.#host.postMessage({ type: 'refresh' }),
    );
    const names = make('div', { class: 'names', children: [this.#title, this.#subtitle] });
    const bar = make('header', { children: [names, this.#pin, refresh] });
    const columns = make('div', { class: 'columns', children: [this.#first, this.#second] });
    const main = make('main', { children: [this.#head, columns] });
    this.#page.append(bar, this.#notice, main, this.#said);
    document.body.replaceChildren(this.#page);
  }

  #show(content: DetailsContent): void {
    setText(this.#title, content.title);
    setText(this.#subtitle, content.subtitle);
    setText(this.#notice, content.notice);
    this.#notice.hidden = content.notice === '';
    this.#page.classList.toggle('old', content.notice !== '');
    this.#showPin(content.isPinned);
    this.#showHead(content.head, content.isLoading);
    this.#showSections(content.sections);
  }

  #showPin(isPinned: boolean): void {
    this.#isPinned = isPinned;
    const title = this.#strings.get(isPinned ? 'unpin' : 'pin');
    this.#pin.title = title;
    this.#pin.setAttribute('aria-label', title);
    this.#pin.setAttribute('aria-pressed', String(isPinned));
    this.#pin.className = `icon codicon-${isPinned ? 'pinned' : 'pin'}`;
  }

  /** Only if it has changed, so that screen readers do not repeat it. */
  #showHead(head: PageHead | undefined, isLoading: boolean): void {
    const shown = JSON.stringify([head, isLoading]);
    if (this.#head.dataset['shown'] === shown) return;
    this.#head.dataset['shown'] = shown;
    if (!head) {
      this.#head.replaceChildren(isLoading ? this.#strings.get('loading') : '');
      return;
    }
    const icon = make('span', {
      class: `tone ${head.tone} codicon-${ICONS[head.tone]}`,
      attributes: { 'aria-hidden': 'true' },
    });
    const sentence = make('p', { class: 'sentence', text: head.sentence });
    const why = head.why.map((line) => make('p', { class: 'why', text: line }));
    this.#head.replaceChildren(icon, make('div', { children: [sentence, ...why] }));
  }

  #showSections(sections: readonly PageSection[]): void {
    const ids = new Set(sections.map(({ id }) => id));
    for (const [id, list] of this.#sections) {
      if (ids.has(id)) continue;
      list.element.remove();
      this.#sections.delete(id);
    }
    const listsIn = (isSecond: boolean): readonly HTMLElement[] =>
      sections.filter(({ id }) => SECOND.includes(id) === isSecond).map((one) => this.#list(one));
    const lists = [this.#usage.element, ...listsIn(false), this.#processes.element];
    arrange(this.#first, lists);
    arrange(this.#second, listsIn(true));
  }

  #list(section: PageSection): HTMLElement {
    const known = this.#sections.get(section.id);
    const list = known ?? new SectionList(this.#strings, this.#tell);
    this.#sections.set(section.id, list);
    list.show(section);
    return list.element;
  }

  readonly #tell = (message: ToHost, label: string): void => {
    this.#host.postMessage(message);
    if (message.type !== 'copy') return;
    // Also if the same is copied again.
    this.#said.textContent = '';
    setTimeout(() => setText(this.#said, this.#strings.get('copied', label)), 50);
  };

  /** Without a selection, the row with the focus is copied. */
  readonly #onCopy = (event: ClipboardEvent): void => {
    if (getSelection()?.isCollapsed === false) return;
    const focused = document.activeElement;
    for (const list of this.#sections.values()) {
      if (!focused || !list.element.contains(focused) || !list.copy(focused)) continue;
      event.preventDefault();
    }
  };
}

/** Port of the page to VS Code. */
export interface DetailsHost {
  postMessage(message: ToHost): void;
  setState(state: object): void;
}

/** Puts elements in order, and touches none that is in its place: one that is moved would lose the focus. */
function arrange(parent: HTMLElement, children: readonly HTMLElement[]): void {
  for (const [at, child] of children.entries())
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
}

/** Changes a text only if it is another one, so that screen readers do not repeat it. */
function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
