import type {
  ViewerMember,
  PageCommand,
  ViewerQuery,
  ToHost,
  ToPage,
  ViewerStyle,
} from '../protocol.ts';
import { hasMainKey, make } from './dom.ts';
import { FilterBar } from './bars/filterBar.ts';
import { FindWidget } from './bars/findWidget.ts';
import type { Host } from './host.ts';
import { LogPane } from './rows/logPane.ts';
import { Notice } from './bars/notice.ts';
import { Toolbar } from './bars/toolbar.ts';
import { PageStrings } from './pageStrings.ts';

type Init = Extract<ToPage, { type: 'init' }>;

/** The whole page: the rows and the bars around them, and what goes on between these. */
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
      tell: this.#tell,
      onFrame: () => {
        this.#onFrame();
      },
    });
    this.#find = this.#makeFind();
    this.#filter = new FilterBar(this.#strings, (words) => {
      this.#tell({ type: 'filter', filter: words });
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

  /** Takes what the extension says. What is none of its messages is left out. */
  take(message: ToPage): void {
    switch (message.type) {
      case 'init':
      case 'style':
        this.#setStyle(message.style);
        break;
      case 'members':
        this.#setMembers(message.members);
        break;
      case 'shape':
        this.#takeExtent(message);
        break;
      case 'rows':
        this.#pane.takeRows(message.generation, message);
        break;
      case 'shifted':
        this.#pane.takeShift(message.generation, message.by);
        break;
      case 'find':
        this.#find.show(message.find);
        break;
      case 'reveal':
        this.#pane.reveal(message.row, message.id);
        break;
      case 'notice':
        this.#notice[message.isQuiet ? 'say' : 'show'](message.text);
        break;
      case 'ask':
        this.#do(message.what);
        break;
      case 'keep':
        this.#host.carry(message.kept);
        break;
      default:
        message satisfies never;
    }
  }

  readonly #tell = (message: ToHost): void => {
    this.#host.tell(message);
  };

  #do(what: PageCommand): void {
    if (what === 'find') this.#openFind();
    else this.#pane.effective.copy(what === 'copyWithColors');
  }

  #takeExtent(message: Extract<ToPage, { type: 'shape' }>): void {
    const { shape } = message;
    this.#pane.takeExtent(message);
    this.#filter.count(shape);
    const hasNews = !this.#pane.isFollowing && this.#pane.newLines.update(shape.rowCount);
    const { text } = this.#pane.newLines;
    if (hasNews && text !== undefined) this.#notice.sayNowAndThen(text);
  }

  #makeFind(): FindWidget {
    return new FindWidget({
      strings: this.#strings,
      onQuery: (query) => {
        this.#ask(query);
      },
      onStep: (step) => {
        this.#tell({ type: 'findNext', step, fromRow: this.#pane.searchRow });
      },
      onSearchBack: (isOn) => {
        this.#tell({ type: 'searchBack', isOn });
      },
      onToggle: (isOpen) => {
        this.#toolbar.press('find', isOpen);
        this.#pane.element.classList.toggle('finding', isOpen);
        if (!isOpen) this.#pane.focus();
      },
    });
  }

  #ask(query: ViewerQuery | undefined): void {
    this.#tell({ type: 'find', query, fromRow: this.#pane.searchRow });
    this.#pane.refresh();
    this.#keep();
  }

  #makeToolbar(): Toolbar {
    return new Toolbar({
      strings: this.#strings,
      style: () => this.#style,
      members: () => this.#members,
      fieldNames: () => this.#pane.fieldNames,
      tell: this.#tell,
      onMember: (index, isShown) => {
        this.#tell({ type: 'showMember', index, isShown });
        const changed = (member: ViewerMember) =>
          member.index === index ? { ...member, isShown } : member;
        this.#setMembers(this.#members.map(changed));
      },
      onStyle: (style) => {
        this.#tell({ type: 'style', style });
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
        if (this.#pane.isFollowing) this.#pane.stay();
        else this.#pane.toEnd();
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
    // The editor's own command for copying comes as this event.
    document.addEventListener('copy', (event) => {
      if (isField(document.activeElement)) return;
      event.preventDefault();
      this.#pane.effective.copyUnlessHeard();
    });
    const themed = new MutationObserver(() => {
      this.#pane.restyle(this.#style.wrap);
    });
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
    this.#tell({ type: 'findNext', step: shiftKey ? -1 : 1, fromRow: this.#pane.searchRow });
    return true;
  }

  #openFind(): void {
    this.#find.open(this.#pane.selectedText);
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
    this.#toolbar.update(this.#pane.isFollowing);
    this.#toolbar.press('filter', this.#filter.isOpen || this.#filter.isOn);
  }

  #onFrame(): void {
    this.#toolbar.press('follow', this.#pane.isFollowing);
    this.#keep();
  }

  #keep(): void {
    const state = { find: this.#find.query, place: this.#pane.position };
    const key = JSON.stringify(state);
    if (key === this.#kept) return;
    this.#kept = key;
    this.#host.keep(state);
  }

  #restore(): void {
    const { find, place } = this.#host.kept();
    this.#pane.restore(place);
    if (!find) {
      this.#pane.focus();
      return;
    }
    this.#find.restore(find);
    // It leads nowhere: the page is to be as it was.
    this.#tell({ type: 'find', query: find });
  }
}

function isField(element: Element | null): boolean {
  return element instanceof HTMLInputElement;
}
