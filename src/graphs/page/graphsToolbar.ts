import { iconButton, make } from '../../logviewer/page/dom.ts';
import type { PageStrings } from '../../logviewer/page/pageStrings.ts';
import type { GraphString } from '../graphStrings.ts';

/** The bar above the graphs: what time is shown, and what can be done with it. */
export class GraphsToolbar {
  readonly element: HTMLElement;
  readonly #range = make('span', { class: 'range' });
  readonly #moment = make('span', { class: 'moment' });
  readonly #reset: HTMLButtonElement;
  #isTable = false;

  constructor(strings: PageStrings<GraphString>, actions: ToolbarActions) {
    this.#reset = iconButton('discard', strings.get('resetZoom'), actions.onReset);
    const table = iconButton('table', strings.get('showTable'), () => {
      this.#isTable = !this.#isTable;
      table.ariaPressed = String(this.#isTable);
      actions.onTable(this.#isTable);
    });
    table.ariaPressed = 'false';
    this.element = make('div', {
      class: 'toolbar',
      attributes: { role: 'toolbar', 'aria-label': strings.get('toolbar') },
      children: [
        this.#range,
        this.#moment,
        iconButton('zoom-in', strings.get('zoomIn'), () => actions.onZoom(0.5)),
        iconButton('zoom-out', strings.get('zoomOut'), () => actions.onZoom(2)),
        this.#reset,
        iconButton('output', strings.get('openLog'), actions.onLog),
        table,
      ],
    });
  }

  /** Shows which part of the time is seen. */
  setRange(text: string, isZoomed: boolean): void {
    if (this.#range.textContent !== text) this.#range.textContent = text;
    this.#reset.disabled = !isZoomed;
  }

  /** Shows the time of the cursor; empty if there is none. */
  setMoment(text: string): void {
    if (this.#moment.textContent !== text) this.#moment.textContent = text;
  }
}

interface ToolbarActions {
  readonly onZoom: (factor: number) => void;
  readonly onReset: () => void;
  readonly onTable: (isOn: boolean) => void;
  readonly onLog: () => void;
}
