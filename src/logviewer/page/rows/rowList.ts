import { RenderedRows, type DrawRowAt } from './renderedRows.ts';
import { make } from '../dom.ts';
import {
  fullHeight,
  scrollPositionAt,
  scrollTopOf,
  type ScrollExtent,
  type ScrollPosition,
} from './scrollPosition.ts';

/**
 * A virtual list of any number of rows, which renders only the rows in view. Rows are placed where the browser
 * has scrolled to, so that scrolling itself is left to the browser. The scroll position is corrected only at
 * both ends, and when scrolling has ended.
 */
export class RowList {
  readonly element: HTMLElement;
  readonly rendered: RenderedRows;
  readonly #spacer = make('div', { class: 'spacer' });
  readonly #parts: RowListOptions;
  #count = 0;
  #position: ScrollPosition = { row: -1, offset: 0 };
  #isFollowing = true;
  #view = 0;
  #rowHeight = FIRST_GUESS;
  #average = FIRST_GUESS;
  #y = 0;
  #height = 0;
  #lastTop = 0;
  #frame = 0;

  constructor(parts: RowListOptions) {
    this.#parts = parts;
    this.rendered = new RenderedRows(parts.head, parts.draw);
    this.#spacer.append(this.rendered.element);
    this.element = make('div', { class: 'log', children: [this.#spacer] });
    this.#listen();
  }

  get count(): number {
    return this.#count;
  }

  /** Position at the top edge of the view. */
  get position(): ScrollPosition {
    return this.#position;
  }

  /** Whether the end stays in view when rows arrive. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  set isFollowing(isFollowing: boolean) {
    this.#isFollowing = isFollowing;
    this.schedule();
  }

  /** Number of rows that fit into the view. */
  get page(): number {
    return Math.max(1, Math.floor(this.#view / this.#rowHeight));
  }

  /** Paints changes in the next animation frame. */
  readonly schedule = (): void => {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  };

  /** Scrolls a position to the top edge and stops following the end. */
  goTo(position: ScrollPosition): void {
    this.#readScroll();
    this.#isFollowing = false;
    this.#count = this.#parts.count();
    this.#position = position;
    this.#layOut();
    this.#settle();
    this.#notify();
  }

  /**
   * Scrolls a row into view: by as little as needed, or to a third of its height if the row is far away or
   * hidden by `covered` rows at the top.
   */
  reveal(row: number, covered = 0): void {
    this.#readScroll();
    const line = this.rendered.line(row);
    const top = line ? line.offsetTop + this.#y - this.#lastTop : Number.NaN;
    const below = top + (line?.offsetHeight ?? 0) - this.#view;
    const isNear = covered === 0 && top > -this.#view && below < this.#view;
    if (top >= covered * this.#rowHeight && below <= 0) return;
    if (!isNear) this.goTo({ row, offset: -Math.floor(this.#view / 3) });
    else if (top < 0) this.goTo({ row, offset: 0 });
    else this.goTo(this.#moved(this.#position, below));
  }

  /**
   * Shifts by rows that were inserted before the first row or, if `by` is negative, removed there. The same rows
   * stay in view.
   */
  shift(by: number): void {
    this.#readScroll();
    const { row, offset } = this.#position;
    const head = row < 0 ? (this.rendered.line(-1)?.offsetHeight ?? 0) : 0;
    const moved = Math.max(0, row) + by;
    this.#position = moved < 0 ? { row: 0, offset: 0 } : { row: moved, offset: offset - head };
    this.#count = Math.max(0, this.#count + by);
    this.rendered.renumber(by);
    this.schedule();
  }

  /** Sets a new index for the row at the top edge. */
  moveTo(row: number): void {
    this.#position = { ...this.#position, row };
    this.schedule();
  }

  /** Measures and redraws all rendered rows because the style has changed. */
  restyle(isWrapped: boolean): void {
    this.#readScroll();
    this.element.classList.toggle('wrap', isWrapped);
    this.#measure();
    this.#average = this.#rowHeight;
    this.redraw();
  }

  redraw(): void {
    this.rendered.keepWidth(false);
    for (const [row] of this.rendered.lines()) this.rendered.redraw(row);
    this.schedule();
  }

  #listen(): void {
    const { element } = this;
    element.addEventListener('scroll', this.schedule);
    element.addEventListener('scrollend', () => {
      this.#readScroll();
      this.#settle();
    });
    // Scrolling up must take precedence over rows that arrive at the same time.
    element.addEventListener(
      'wheel',
      ({ deltaY }) => {
        if (deltaY < 0 && this.#lastTop > 0) this.#isFollowing = false;
      },
      { passive: true },
    );
    new ResizeObserver(() => {
      const wasFollowing = this.#isFollowing;
      this.#readScroll();
      this.#isFollowing = wasFollowing;
      this.#measure();
      this.schedule();
    }).observe(element);
  }

  #measure(): void {
    this.#view = this.element.clientHeight;
    const size = Number.parseFloat(getComputedStyle(this.element).fontSize);
    // Whole pixels, so that their sums are exact.
    this.#rowHeight = Math.round(size * LINE_HEIGHT) || FIRST_GUESS;
    this.element.style.setProperty('--row-height', `${this.#rowHeight}px`);
    this.#average = Math.max(this.#average, this.#rowHeight);
  }

  get #extent(): ScrollExtent {
    return { count: this.#count, average: this.#average, view: this.#view };
  }

  #paint(): void {
    if (this.#view === 0) this.#measure();
    if (this.#view === 0) return;
    this.#readScroll();
    this.#count = this.#parts.count();
    if (this.#isFollowing) this.#layOutEnd();
    else this.#layOut();
    this.#notify();
  }

  #notify(): void {
    if (!this.element.classList.contains('wrap')) this.rendered.keepWidth(true);
    this.#parts.onFrame(Math.max(0, this.rendered.first), this.rendered.end);
  }

  /** Applies the position to which the browser has scrolled. */
  #readScroll(): void {
    const top = this.element.scrollTop;
    const step = top - this.#lastTop;
    if (step === 0) return;
    this.#lastTop = top;
    const isSmall = Math.abs(step) <= STEP_VIEWS * this.#view;
    this.#position = isSmall
      ? this.#moved(this.#position, step)
      : scrollPositionAt(top, this.#extent);
    const isEndShown = !isSmall || this.rendered.end >= this.#count;
    this.#isFollowing = step > 0 && isEndShown && this.#isAtEnd();
  }

  #isAtEnd(): boolean {
    return this.#lastTop + this.#view >= this.#height - 2;
  }

  #moved(position: ScrollPosition, pixels: number): ScrollPosition {
    return this.rendered.moved(position, pixels, this.#extent);
  }

  /** Maximum number of rendered rows. */
  get size(): number {
    return Math.ceil(this.#view / this.#rowHeight) + 2 * OVER;
  }

  #layOutEnd(): void {
    const { rendered } = this;
    rendered.show(Math.max(-1, this.#count - this.size), this.#count);
    const height = rendered.height;
    const isAll = rendered.first < 0;
    this.#height = isAll ? height : Math.max(height, fullHeight(this.#extent));
    this.#y = this.#height - height;
    this.#lastTop = Math.max(0, this.#height - this.#view);
    this.#apply(true);
    this.#position = this.rendered.placeAt(this.#lastTop - this.#y);
  }

  #layOut(): void {
    const { rendered: band } = this;
    const row = Math.min(this.#position.row, this.#count - 1);
    const end = Math.min(this.#count, Math.max(-1, row - OVER) + this.size);
    band.show(Math.max(-1, Math.min(row - OVER, end - this.size)), end);
    const wanted = this.#lastTop;
    this.#y = wanted - this.#position.offset - (band.line(row)?.offsetTop ?? 0);
    this.#keepEnds(band.height);
    this.#apply(this.#lastTop !== wanted);
    this.#position = this.rendered.placeAt(this.#lastTop - this.#y);
    if (this.#isOff()) this.#settle();
  }

  /** Prevents empty space above the head and below the last row. */
  #keepEnds(height: number): void {
    const { rendered: band } = this;
    const isEnd = band.end >= this.#count;
    if (isEnd) this.#y = Math.max(this.#y, this.#lastTop + this.#view - height);
    if (band.first < 0) {
      this.#lastTop = Math.max(0, this.#lastTop - this.#y);
      this.#y = 0;
    }
    const bottom = this.#y + height;
    this.#height = isEnd ? bottom : Math.max(fullHeight(this.#extent), bottom);
  }

  /** Whether the scroll bar is at an end although the rows are not. */
  #isOff(): boolean {
    const isAbove = this.#lastTop <= 0 && this.rendered.first >= 0;
    return isAbove || (this.#isAtEnd() && this.rendered.end < this.#count);
  }

  #apply(isMoved: boolean): void {
    const height = `${this.#height}px`;
    const isResized = this.#spacer.style.height !== height;
    if (isResized) this.#spacer.style.height = height;
    this.rendered.element.style.top = `${this.#y}px`;
    if (isMoved) this.element.scrollTop = this.#lastTop;
    if (isMoved || isResized) this.#lastTop = this.element.scrollTop;
  }

  /** Moves the scroll bar to its correct position without changing what is in view. */
  #settle(): void {
    const { rendered: band } = this;
    if (band.first < 0 || band.end >= this.#count) return;
    this.#average = Math.max(this.#rowHeight, band.height / (band.end - band.first));
    const top = scrollTopOf(this.#position, this.#extent);
    const full = fullHeight(this.#extent);
    if (Math.abs(top - this.#lastTop) < 1 && full === this.#height) return;
    this.#y += top - this.#lastTop;
    this.#lastTop = top;
    this.#height = Math.max(full, this.#y + band.height);
    this.#apply(true);
  }
}

interface RowListOptions {
  /** Shown above the first row. */
  readonly head: HTMLElement;
  readonly draw: DrawRowAt;
  /** Returns the number of rows; called before each paint. */
  readonly count: () => number;
  /** Called after the rows [first, end) were rendered. */
  readonly onFrame: (first: number, end: number) => void;
}

/** Number of rows rendered above and below the view. */
const OVER = 15;

/** Scroll steps up to this many views move row by row; longer steps are jumps. */
const STEP_VIEWS = 3;

/** Number of rows at the top that the find widget may cover. */
export const COVERED_ROWS = 4;

/** Line height relative to the font size, as in the editor. */
const LINE_HEIGHT = 1.4;

/** Height in pixels of rows before they are measured. */
const FIRST_GUESS = 20;
