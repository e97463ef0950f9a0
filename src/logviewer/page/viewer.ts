import type { ViewerMember, ViewerQuery, ToPage, ViewerStyle } from '../protocol.ts';
import { hasMainKey, make } from './dom.ts';
import { FilterBar } from './bars/filterBar.ts';
import { FindWidget } from './bars/findWidget.ts';
import type { Host } from './host.ts';
import { LogPane } from './rows/logPane.ts';
import { Toolbar } from './bars/toolbar.ts';
import { PageStrings } from './pageStrings.ts';

type Init = Extract<ToPage, { type: 'init' }>;

/** The whole page: the rows, the bars around them, and the messages between them and the extension. */
export class Viewer {
  readonly #host: Host;
  readonly #strings: PageStrings;
  readonly #notice = new Notice();
  readonly #pane: LogPane;
  readonly #find: FindWidget;
  readonly #filter: FilterBar;
  readonly #toolbar: Toolbar;
  #style: ViewerStyle;
  #members: readonly ViewerMember[] = [];
  #kept = '';

  constructor(host: Host, { strings, style, filter, title }: Init) {
    this.#host = host;
    this.#strings = new PageStrings(strings);
    this.#style = style;
    this.#pane = new LogPane({
      strings: this.#strings,
      title,
      post: host.post,
      onFrame: this.#onFrame,
    });
    this.#find = this.#makeFind();
    this.#filter = new FilterBar(this.#strings, (words) => {
      host.post({ type: 'filter', filter: words });
      this.#pane.refresh();
    });
    this.#filter.filter = filter;
    this.#filter.element.hidden = !this.#filter.isOn;
    this.#toolbar = this.#makeToolbar();
    this.#build();
    this.#listen();
    this.#setStyle(style);
    this.#restore();
  }

  /** Handles a message from the extension. Unknown messages are ignored. */
  handle(message: ToPage): void {
    switch (message.type) {
      case 'init':
      case 'style':
        this.#setStyle(message.style);
        break;
      case 'members':
        this.#setMembers(message.members);
        break;
      case 'shape':
        this.#applyExtent(message);
        break;
      case 'rows':
        this.#pane.applyRows(message.generation, message);
        break;
      case 'shifted':
        this.#pane.applyShift(message.generation, message.by);
        break;
      case 'find':
        this.#find.show(message.find);
        break;
      case 'reveal':
        this.#pane.reveal(message.row, message.id);
        break;
      case 'notice':
        this.#notice[message.isQuiet ? 'announce' : 'show'](message.text);
        break;
      case 'ask':
        if (message.what === 'find') this.#openFind();
        else this.#pane.effective.copy(message.what === 'copyWithColors');
        break;
      case 'keep':
        this.#host.keep({ kept: message.kept });
        break;
      default:
        message satisfies never;
    }
  }

  #applyExtent(message: Extract<ToPage, { type: 'shape' }>): void {
    const { shape } = message;
    this.#pane.applyExtent(message);
    this.#filter.count(shape);
    const hasNews = !this.#pane.list.isFollowing && this.#pane.newLines.update(shape.rowCount);
    const { text } = this.#pane.newLines;
    if (hasNews && text !== undefined) this.#notice.announceThrottled(text);
  }

  #makeFind(): FindWidget {
    return new FindWidget({
      strings: this.#strings,
      post: this.#host.post,
      onQuery: this.#ask,
      onStep: this.#step,
      onToggle: (isOpen) => {
        this.#toolbar.press('find', isOpen);
        this.#pane.element.classList.toggle('finding', isOpen);
        if (!isOpen) this.#pane.focus();
      },
    });
  }

  readonly #ask = (query: ViewerQuery | undefined): void => {
    this.#host.post({ type: 'find', query, fromRow: this.#pane.searchRow });
    this.#pane.refresh();
    this.#keep();
  };

  readonly #step = (step: 1 | -1): void => {
    this.#host.post({ type: 'findNext', step, fromRow: this.#pane.searchRow });
  };

  #makeToolbar(): Toolbar {
    return new Toolbar({
      strings: this.#strings,
      style: () => this.#style,
      members: () => this.#members,
      fieldNames: () => this.#pane.fieldNames,
      post: this.#host.post,
      onMember: (index, isShown) => {
        this.#host.post({ type: 'showMember', index, isShown });
        const changed = (member: ViewerMember) =>
          member.index === index ? { ...member, isShown } : member;
        this.#setMembers(this.#members.map(changed));
      },
      onStyle: (style) => {
        this.#host.post({ type: 'style', style });
        this.#setStyle(style);
      },
      onFind: () => {
        if (this.#find.isOpen) this.#find.close();
        else this.#openFind();
      },
      onFilter: () => {
        this.#filter.toggle(!this.#filter.isOpen);
        this.#updateBars();
      },
      onFollow: () => {
        const { list } = this.#pane;
        list.isFollowing = !list.isFollowing;
      },
    });
  }

  #build(): void {
    const { element } = this.#pane;
    element.append(this.#find.marks, this.#find.element, this.#notice.element);
    const shown = make('div', {
      class: 'viewer',
      children: [this.#toolbar.element, this.#filter.element, element, this.#notice.spoken],
    });
    document.body.replaceChildren(shown);
  }

  #listen(): void {
    window.addEventListener('keydown', (event) => {
      if (!this.#onKey(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    // VS Code's Copy command arrives as this event.
    document.addEventListener('copy', (event) => {
      if (document.activeElement instanceof HTMLInputElement) return;
      event.preventDefault();
      this.#pane.effective.copyUnlessHandled();
    });
    const themed = new MutationObserver(() => this.#pane.restyle(this.#style.wrap));
    const attributeFilter = ['class', 'style', 'data-vscode-theme-id'];
    themed.observe(document.documentElement, { attributeFilter });
    themed.observe(document.body, { attributeFilter });
  }

  #onKey(event: KeyboardEvent): boolean {
    const { key, shiftKey } = event;
    if (hasMainKey(event) && !shiftKey && !event.altKey && key.toLowerCase() === 'f') {
      this.#openFind();
      return true;
    }
    if (key !== 'F3' || !this.#find.query) return false;
    this.#step(shiftKey ? -1 : 1);
    return true;
  }

  #openFind(): void {
    this.#find.open(this.#pane.effective.text);
  }

  #setStyle(style: ViewerStyle): void {
    this.#style = style;
    this.#pane.restyle(style.wrap);
    this.#pane.refresh();
    this.#updateBars();
  }

  #setMembers(members: readonly ViewerMember[]): void {
    this.#members = members;
    this.#pane.setMembers(members);
    this.#updateBars();
  }

  #updateBars(): void {
    this.#toolbar.update(this.#pane.list.isFollowing);
    this.#toolbar.press('filter', this.#filter.isOpen || this.#filter.isOn);
  }

  readonly #onFrame = (): void => {
    this.#toolbar.press('follow', this.#pane.list.isFollowing);
    this.#keep();
  };

  #keep(): void {
    const state = { find: this.#find.query, position: this.#pane.position };
    const key = JSON.stringify(state);
    if (key === this.#kept) return;
    this.#kept = key;
    this.#host.keep(state);
  }

  #restore(): void {
    const { find, position } = this.#host.kept();
    this.#pane.restore(position);
    if (!find) {
      this.#pane.focus();
      return;
    }
    this.#find.restore(find);
    // Without `fromRow`, so that no match is revealed and the page keeps its position.
    this.#host.post({ type: 'find', query: find });
  }
}

/** Time in milliseconds for which a notice is shown: long enough to read it twice. */
const SHOWN_MS = 12_000;

/** Minimum time in milliseconds between two announcements of new lines. */
const PAUSE_MS = 10_000;

/**
 * A sentence about what has happened. It is shown over the log until it times out or is clicked, and is
 * announced by screen readers.
 */
class Notice {
  /** Live region for screen readers. */
  readonly spoken = make('div', {
    class: 'unseen',
    attributes: { role: 'status', 'aria-live': 'polite' },
  });
  readonly element = make('div', { class: 'notice', attributes: { 'aria-hidden': 'true' } });
  #timer = 0;
  #quietUntil = 0;

  constructor() {
    this.element.hidden = true;
    this.element.addEventListener('click', this.#hide);
  }

  /** Shows and announces a text. Replaces the text shown before. */
  show(text: string): void {
    this.announce(text);
    this.element.textContent = text;
    this.element.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#hide, SHOWN_MS);
  }

  /** Announces a text politely, after the current speech. */
  announce(text: string): void {
    // Setting the same text again would not be a change, so it would not be announced.
    this.spoken.textContent = this.spoken.textContent === text ? `${text} ` : text;
  }

  /** Announces a text, unless one was announced in this way within the last 10 seconds. */
  announceThrottled(text: string): void {
    const now = performance.now();
    if (now < this.#quietUntil) return;
    this.#quietUntil = now + PAUSE_MS;
    this.announce(text);
  }

  readonly #hide = (): void => {
    clearTimeout(this.#timer);
    this.element.hidden = true;
  };
}
