import type { Row, ToHost } from '../../protocol.ts';
import type { RowList } from './rowList.ts';

/** Tells the extension which line the user looks at, once scrolling has ended. */
export class CurrentLine {
  readonly #post: (message: ToHost) => void;
  #told: number | undefined;
  #next: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(post: (message: ToHost) => void) {
    this.#post = post;
  }

  /**
   * Looks again: the current row if it is in view, otherwise the first in view. None while the page follows the end,
   * which the extension knows.
   */
  update(
    { isFollowing, position, size }: ViewedList,
    rowAt: (index: number) => Row | undefined,
    current = -1,
  ): void {
    const first = Math.max(0, position.row);
    const isInView = current >= first && current < first + size;
    const id = isFollowing ? undefined : rowAt(isInView ? current : first)?.id;
    if (id === this.#next) return;
    this.#next = id;
    clearTimeout(this.#timer);
    if (id === undefined) this.#told = undefined;
    else this.#timer = setTimeout(() => this.#tell(id), REST_MS);
  }

  #tell(id: number): void {
    if (id === this.#told) return;
    this.#told = id;
    this.#post({ type: 'current', id });
  }
}

type ViewedList = Pick<RowList, 'isFollowing' | 'position' | 'size'>;

/** Time without a change after which scrolling counts as ended, in milliseconds. */
const REST_MS = 100;
