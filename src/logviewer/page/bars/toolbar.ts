import { TIME_FORMATS, type ViewerMember, type ToHost, type ViewerStyle } from '../../protocol.ts';
import { iconButton, isMac, make } from '../dom.ts';
import { makeMenuButton, type MenuItem } from './menu.ts';
import type { PageStrings } from '../pageStrings.ts';

export class Toolbar {
  readonly element: HTMLElement;
  readonly #parts: ToolbarOptions;
  readonly #buttons = new Map<Button, HTMLButtonElement>();

  constructor(parts: ToolbarOptions) {
    this.#parts = parts;
    this.element = make('div', {
      class: 'toolbar',
      attributes: { role: 'toolbar', 'aria-label': parts.strings.get('toolbar') },
      children: [...this.#searchButtons(), rule(), ...this.#styling(), rule(), ...this.#doing()],
    });
    this.element.addEventListener('keydown', (event) => rove(event, this.element));
    for (const button of this.element.querySelectorAll('button')) button.tabIndex = -1;
    this.#buttons.get('find')?.setAttribute('tabindex', '0');
    this.update(true);
  }

  /** Updates the state of all buttons. */
  update(isFollowing: boolean): void {
    const { wrap, fold, fields } = this.#parts.style();
    this.press('wrap', wrap);
    this.press('fold', fold);
    this.press('follow', isFollowing);
    this.#buttons.get('fields')?.classList.toggle('chosen', fields.length > 0);
    const members = this.#parts.members();
    const button = this.#buttons.get('members');
    if (!button) return;
    button.hidden = members.length < 2;
    const isAnyHidden = members.some(({ isShown }) => !isShown);
    button.classList.toggle('chosen', isAnyHidden);
  }

  press(name: Button, isOn: boolean): void {
    const button = this.#buttons.get(name);
    if (button) button.ariaPressed = String(isOn);
  }

  #searchButtons(): HTMLElement[] {
    const { strings, onFind, onFilter } = this.#parts;
    const findKey = isMac() ? '⌘F' : 'Ctrl+F';
    const members = this.#named('members', 'layers', strings.get('members'));
    makeMenuButton(members, () => this.#memberChoices());
    return [
      this.#named('find', 'search', strings.get('withKey', strings.get('find'), findKey), onFind),
      this.#named('filter', 'filter', strings.get('filter'), onFilter),
      members,
      iconButton('watch', strings.get('jump'), this.#command('jump')),
    ];
  }

  #styling(): HTMLElement[] {
    const { strings } = this.#parts;
    const flip = (name: 'wrap' | 'fold') => () => {
      const style = this.#parts.style();
      this.#parts.onStyle({ ...style, [name]: !style[name] });
    };
    const times = iconButton('calendar', strings.get('times'));
    makeMenuButton(times, () => this.#timeChoices());
    const fields = this.#named('fields', 'json', strings.get('fields'));
    makeMenuButton(fields, () => this.#fieldChoices());
    return [
      this.#named('wrap', 'word-wrap', strings.get('wrap'), flip('wrap')),
      times,
      this.#named('fold', 'fold', strings.get('fold'), flip('fold')),
      fields,
    ];
  }

  #doing(): HTMLElement[] {
    const { strings, onFollow } = this.#parts;
    const save = iconButton('save', strings.get('save'));
    makeMenuButton(save, () => [
      { label: strings.get('saveAll'), act: this.#command('save') },
      { label: strings.get('saveMatches'), act: this.#command('saveMatches') },
      { label: strings.get('openDocument'), act: this.#command('openDocument') },
    ]);
    return [
      save,
      iconButton('clear-all', strings.get('clear'), this.#command('clear')),
      make('span', { class: 'stretch' }),
      this.#named('follow', 'arrow-circle-down', strings.get('follow'), onFollow),
    ];
  }

  #command(name: Extract<ToHost, { type: 'command' }>['name']): () => void {
    return () => this.#parts.post({ type: 'command', name });
  }

  #named(name: Button, icon: string, title: string, act?: () => void) {
    const button = iconButton(icon, title, act);
    this.#buttons.set(name, button);
    return button;
  }

  #timeChoices(): readonly MenuItem[] {
    const { strings, style, onStyle } = this.#parts;
    return TIME_FORMATS.map((times) => ({
      label: strings.get(`times.${times}`),
      isOn: style().times === times,
      isOneOf: true,
      act: () => onStyle({ ...style(), times }),
    }));
  }

  #fieldChoices(): readonly MenuItem[] {
    const { strings, style, onStyle, fieldNames } = this.#parts;
    const chosen = style().fields;
    const names = [...new Set([...chosen, ...fieldNames()])].slice(0, 60);
    if (names.length === 0) {
      return [{ label: strings.get('fieldsNone'), isDisabled: true, act: () => undefined }];
    }
    const choose = (fields: readonly string[]) => () => onStyle({ ...style(), fields });
    const asTheyAre: MenuItem = {
      label: strings.get('fieldsAll'),
      isOn: chosen.length === 0,
      act: choose([]),
    };
    const each = names.map((name) => {
      const isOn = chosen.includes(name);
      const then = isOn ? chosen.filter((other) => other !== name) : [...chosen, name];
      return { label: name, isOn, act: choose(then) };
    });
    return [asTheyAre, ...each];
  }

  #memberChoices(): readonly MenuItem[] {
    const { strings, members, onMember } = this.#parts;
    const hidden = members().filter(({ isShown }) => !isShown);
    const all: MenuItem = {
      label: strings.get('membersAll'),
      isOn: hidden.length === 0,
      act: () => {
        for (const { index } of hidden) onMember(index, true);
      },
    };
    const each = members().map(({ index, name, color, isShown, isOver }) => ({
      label: isOver ? strings.get('memberEnded', name) : name,
      isOn: isShown,
      color,
      act: () => onMember(index, !isShown),
    }));
    return [all, ...each];
  }
}

interface ToolbarOptions {
  readonly strings: PageStrings;
  readonly style: () => ViewerStyle;
  readonly members: () => readonly ViewerMember[];
  /** Returns the names of the JSON fields of rows near the view. */
  readonly fieldNames: () => readonly string[];
  readonly post: (message: ToHost) => void;
  readonly onMember: (index: number, isShown: boolean) => void;
  readonly onStyle: (style: ViewerStyle) => void;
  readonly onFind: () => void;
  readonly onFilter: () => void;
  readonly onFollow: () => void;
}

type Button = 'find' | 'filter' | 'wrap' | 'fold' | 'fields' | 'members' | 'follow';

function rule(): HTMLElement {
  return make('span', { class: 'rule', attributes: { role: 'separator' } });
}

/** Moves the focus to the next or previous button with the Left and Right arrow keys. Tab leaves the toolbar. */
function rove(event: KeyboardEvent, bar: HTMLElement): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  const buttons = [...bar.querySelectorAll('button')].filter(({ hidden }) => !hidden);
  const at = buttons.findIndex((button) => button === document.activeElement);
  const next = buttons[(at + step + buttons.length) % buttons.length];
  if (!next) return;
  event.preventDefault();
  for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
  next.focus();
}
