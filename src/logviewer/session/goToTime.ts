import type { L10n } from '../../l10n.ts';
import type { LineStore } from '../../logs/store/lineStore.ts';
import { parseTimestampInput } from './parseTimestampInput.ts';
import type { BackwardReader } from './backwardReader.ts';

/** Goes to the first line from a moment on; where that is not read yet, the log is read back to it. */
export class GoToTime {
  readonly #parts: GoToTimeDependencies;

  constructor(parts: GoToTimeDependencies) {
    this.#parts = parts;
  }

  /** Why a text is no moment; undefined where it is one. */
  check(text: string): string | undefined {
    const { l10n, now, isUtc } = this.#parts;
    return text.trim() === '' || parseTimestampInput(text, now(), isUtc()) !== undefined
      ? undefined
      : l10n.t('Not a time. Try 14:02, yesterday 14:02, 2026-08-01 14:02 or -15m.');
  }

  /** Goes to the moment a person has typed; does nothing for what is none. */
  async to(text: string): Promise<void> {
    const moment = parseTimestampInput(text, this.#parts.now(), this.#parts.isUtc());
    if (moment !== undefined) await this.toMoment(moment);
  }

  /** @param moment milliseconds since 1970. */
  async toMoment(moment: number): Promise<void> {
    const { store, back, reveal, notice, l10n } = this.#parts;
    await back.while(() => this.#firstMoment() > moment);
    if (store.firstId === store.endId) return;
    const id = store.idAt(moment);
    if (id >= store.endId) notice(l10n.t('No line is that new. This is the last one.'));
    else if (this.#firstMoment() > moment && back.isStart) {
      notice(l10n.t('The log begins later. This is its first line.'));
    }
    reveal(Math.min(id, store.endId - 1));
  }

  /** Of the oldest line there is; of none, the end of time: then there may be older ones. */
  #firstMoment(): number {
    const { store } = this.#parts;
    const { firstId, endId } = store;
    if (firstId === endId) return Infinity;
    const [first] = store.read(firstId, firstId + 1);
    const moment = Date.parse(first?.timestamp ?? '');
    return Number.isNaN(moment) ? -Infinity : moment;
  }
}

/** What a jump to a moment stands on. */
export interface GoToTimeDependencies {
  readonly l10n: L10n;
  readonly now: () => number;
  readonly isUtc: () => boolean;
  readonly store: LineStore;
  readonly back: Pick<BackwardReader, 'while' | 'isStart'>;
  readonly reveal: (id: number) => void;
  readonly notice: (text: string) => void;
}
