import { iconButton, make } from '../../logviewer/page/dom.ts';
import type { PageStrings } from '../../logviewer/page/pageStrings.ts';
import type { DetailsString } from '../detailsStrings.ts';
import type { PageProcess } from '../protocol.ts';

/** The width of one step of the tree, in pixels. */
const STEP = 14;

/** The processes of a container as a tree. Updated often: the focus stays with the same process. */
export class ProcessTable {
  readonly element: HTMLElement;
  readonly #strings: PageStrings<DetailsString>;
  readonly #onSignal: (key: string) => void;
  readonly #problem = make('p', { class: 'problem' });
  readonly #body = make('div', { attributes: { role: 'rowgroup' } });
  readonly #table: HTMLElement;
  #shown = '';

  constructor(strings: PageStrings<DetailsString>, onSignal: (key: string) => void) {
    this.#strings = strings;
    this.#onSignal = onSignal;
    const heads = (['pid', 'user', 'cpu', 'memory', 'command'] as const).map((name) =>
      cell(name, strings.get(name), 'columnheader'),
    );
    const head = make('div', {
      class: 'process head',
      attributes: { role: 'row' },
      children: heads,
    });
    this.#table = make('div', {
      class: 'processes',
      attributes: { role: 'table', 'aria-label': strings.get('processes') },
      children: [head, this.#body],
    });
    const heading = make('h2', { text: strings.get('processes') });
    this.element = make('section', { children: [heading, this.#problem, this.#table] });
    this.show(undefined, '');
  }

  /** Shows processes, or why there are none; nothing at all without both. */
  show(processes: readonly PageProcess[] | undefined, problem: string): void {
    const shown = JSON.stringify([processes, problem]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.element.hidden = processes === undefined && problem === '';
    this.#table.hidden = processes === undefined;
    this.#problem.textContent = problem;
    this.#problem.hidden = problem === '';
    const focused = document.activeElement;
    const key = focused instanceof HTMLElement ? focused.dataset['process'] : undefined;
    this.#body.replaceChildren(...(processes ?? []).map((one) => this.#row(one)));
    if (key === undefined) return;
    const buttons = this.#body.querySelectorAll<HTMLElement>('[data-process]');
    [...buttons].find((button) => button.dataset['process'] === key)?.focus();
  }

  #row(one: PageProcess): HTMLElement {
    const command = cell('command', one.command);
    command.style.paddingInlineStart = `${one.depth * STEP}px`;
    const cells = [
      cell('pid', one.pid),
      cell('user', one.user),
      cell('cpu', one.cpu),
      cell('memory', one.memory),
      command,
    ];
    const row = make('div', { class: 'process', attributes: { role: 'row' }, children: cells });
    row.setAttribute('aria-level', String(one.depth + 1));
    if (one.key !== '') row.append(this.#signalCell(one));
    return row;
  }

  #signalCell({ key, pid }: PageProcess): HTMLElement {
    const button = iconButton('zap', this.#strings.get('signal'), () => this.#onSignal(key));
    button.setAttribute('aria-label', this.#strings.get('signalTo', pid));
    button.dataset['process'] = key;
    return make('div', { class: 'act', attributes: { role: 'cell' }, children: [button] });
  }
}

function cell(name: string, text: string, role = 'cell'): HTMLElement {
  return make('div', { class: name, text, attributes: { role } });
}
