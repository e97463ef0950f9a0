import { make } from '../dom.ts';

/** The marks of a search beside the scroll bar. */
export class FindMarks {
  readonly element = make('div', { class: 'marks', attributes: { 'aria-hidden': 'true' } });

  /** @param places in thousandths of the rows */
  show(places: readonly number[]): void {
    const marks = places.slice(0, 1000).map((place) => {
      const mark = make('span');
      mark.style.top = `${Math.min(1000, Math.max(0, place)) / 10}%`;
      return mark;
    });
    this.element.replaceChildren(...marks);
  }
}
