import { drawSparkline } from './drawSparkline.ts';
import { make } from '../../logviewer/page/dom.ts';
import type { PageStrings } from '../../logviewer/page/pageStrings.ts';
import type { DetailsString } from '../detailsStrings.ts';
import type { PageGraph, PageUsage } from '../protocol.ts';

const UNSPOKEN = { 'aria-hidden': 'true' };

/** Small graphs of what a container uses, each with its number. Screen readers get the numbers when they ask for them. */
export class UsageSection {
  readonly element: HTMLElement;
  readonly #old: HTMLElement;
  readonly #cpu = new SmallGraph();
  readonly #memory = new SmallGraph();

  constructor(strings: PageStrings<DetailsString>) {
    const heading = make('h2', { text: strings.get('usage') });
    this.#old = make('p', { class: 'problem', text: strings.get('usageIsOld') });
    const graphs = [this.#cpu.element, this.#memory.element];
    this.element = make('section', { class: 'usage', children: [heading, ...graphs, this.#old] });
    this.show(undefined);
  }

  /** Shows what is used now and was used before; nothing at all without it. */
  show(usage: PageUsage | undefined): void {
    this.element.hidden = usage === undefined;
    this.element.classList.toggle('old', usage?.isOld === true);
    this.#old.hidden = usage?.isOld !== true;
    if (!usage) return;
    this.#cpu.show(usage.cpu);
    this.#memory.show(usage.memory);
  }
}

/** One graph, which is an image with words. Its label and number are said as part of them. */
class SmallGraph {
  readonly #label = make('div', { class: 'label', attributes: UNSPOKEN });
  readonly #svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  readonly #text = make('div', { class: 'number', attributes: UNSPOKEN });
  readonly element = make('div', { class: 'small-graph', children: [this.#label] });

  constructor() {
    this.#svg.setAttribute('role', 'img');
    this.element.append(this.#svg, this.#text);
  }

  show({ label, text, spoken, points, scale }: PageGraph): void {
    this.#label.textContent = label;
    this.#text.textContent = text;
    this.#svg.setAttribute('aria-label', spoken);
    drawSparkline(this.#svg, points, scale);
  }
}
