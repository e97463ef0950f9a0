import { make } from '../../logviewer/page/dom.ts';
import type { PageStrings } from '../../logviewer/page/pageStrings.ts';
import type { GraphString } from '../graphStrings.ts';
import type { LineStyle } from '../lineStyle.ts';
import type { GraphMember } from '../protocol.ts';
import type { GraphTheme } from './graphTheme.ts';
import type { ValueTexts } from './memberValues.ts';

/** The containers with their values, one row each. Its first column is the legend: it shows and hides lines. */
export class MemberTable {
  readonly element: HTMLElement;
  readonly #strings: PageStrings<GraphString>;
  readonly #onToggle: (key: string) => void;
  readonly #body = make('tbody');
  readonly #rows = new Map<string, MemberRow>();

  constructor(strings: PageStrings<GraphString>, onToggle: (key: string) => void) {
    this.#strings = strings;
    this.#onToggle = onToggle;
    const titles = COLUMNS.map((kind) =>
      make('th', {
        text: strings.get(`column.${kind}`),
        attributes: { scope: 'col' },
        class: kind,
      }),
    );
    const name = make('th', { text: strings.get('container'), attributes: { scope: 'col' } });
    const head = make('thead', { children: [make('tr', { children: [name, ...titles] })] });
    const table = make('table', {
      attributes: { 'aria-label': strings.get('containers') },
      children: [head, this.#body],
    });
    this.element = make('div', { class: 'members', children: [table] });
  }

  /** Shows these containers. */
  setMembers(members: readonly LegendMember[], theme: GraphTheme): void {
    const keys = new Set(members.map(({ member }) => member.key));
    for (const [key, { row }] of this.#rows)
      if (!keys.has(key)) {
        row.remove();
        this.#rows.delete(key);
      }
    for (const one of members) this.#update(one, theme);
  }

  /** Shows the values of a container. */
  setValues(key: string, values: ValueTexts): void {
    const cells = this.#rows.get(key)?.cells;
    if (!cells) return;
    COLUMNS.forEach((kind, at) => {
      const cell = cells[at];
      if (cell && cell.textContent !== values[kind]) cell.textContent = values[kind];
    });
  }

  #update({ member, style, isShown }: LegendMember, theme: GraphTheme): void {
    const { row, button, state } = this.#rows.get(member.key) ?? this.#add(member);
    button.ariaPressed = String(isShown);
    button.replaceChildren(
      swatch(style, theme),
      make('span', { class: 'name', text: member.name }),
    );
    button.ariaLabel = member.name;
    button.title = this.#strings.get('toggle', member.name);
    state.textContent =
      member.state === 'up' ? '' : this.#strings.get(member.state === 'gone' ? 'gone' : 'stopped');
    row.classList.toggle('off', !isShown);
    row.classList.toggle('gone', member.state !== 'up');
  }

  #add({ key }: GraphMember): MemberRow {
    const button = make('button', { class: 'legend', onClick: () => this.#onToggle(key) });
    const state = make('span', { class: 'state' });
    const inner = make('div', { class: 'legend-cell', children: [button, state] });
    const cells = COLUMNS.map((kind) => make('td', { class: kind }));
    const name = make('th', { attributes: { scope: 'row' }, children: [inner] });
    const row = make('tr', { children: [name, ...cells] });
    this.#body.append(row);
    const made = { row, button, state, cells };
    this.#rows.set(key, made);
    return made;
  }
}

/** A container of the legend. */
export interface LegendMember {
  readonly member: GraphMember;
  readonly style: LineStyle;
  readonly isShown: boolean;
}

interface MemberRow {
  readonly row: HTMLElement;
  readonly button: HTMLButtonElement;
  readonly state: HTMLElement;
  readonly cells: readonly HTMLElement[];
}

const COLUMNS = [
  ...(['cpu', 'memory', 'limit', 'network', 'block', 'pids'] as const),
] as const satisfies readonly (keyof ValueTexts)[];

/** Returns a piece of the line. */
function swatch({ color, dash }: LineStyle, theme: GraphTheme): SVGElement {
  const create = (name: string, attributes: Readonly<Record<string, string>>): SVGElement => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const svg = create('svg', { class: 'swatch', viewBox: '0 0 24 8', 'aria-hidden': 'true' });
  svg.append(
    create('line', {
      x1: '0',
      y1: '4',
      x2: '24',
      y2: '4',
      'stroke-width': '2',
      stroke: theme.colors[color] ?? theme.foreground,
      'stroke-dasharray': dash.join(' '),
    }),
  );
  return svg;
}
