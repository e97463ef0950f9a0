import * as l10n from '@vscode/l10n';
import type { Disposable } from '../../base/lifetime.ts';
import { whenFound } from '../../base/time.ts';
import type { ViewerContext } from './viewerContent.ts';

/** Reveals the first line at or after a time. Reads the log back to that time first if needed. */
export class GoToTime implements Disposable {
  readonly #context: ViewerContext;
  /** Ends the last wait for the filter. */
  #wait = new AbortController();

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  dispose(): void {
    this.#wait.abort();
  }

  /** Returns why the text is not a valid time, or undefined if it is valid. */
  check(text: string): string | undefined {
    return text.trim() === '' || this.#momentOf(text) !== undefined
      ? undefined
      : l10n.t('Not a time. Try 14:02, yesterday 14:02, 2026-08-01 14:02, or -15m.');
  }

  /** Goes to the time that the user entered. Does nothing if the text is invalid. */
  async to(text: string): Promise<void> {
    const moment = this.#momentOf(text);
    if (moment !== undefined) await this.toMoment(moment);
  }

  /**
   * @param moment milliseconds since 1970.
   * @param signal ends the jump, without a message.
   */
  async toMoment(moment: number, signal?: AbortSignal): Promise<void> {
    const { store, rows, content, post } = this.#context;
    const { back } = content;
    await back.while(() => signal?.aborted !== true && this.#firstMoment() > moment);
    if (signal?.aborted === true || store.firstId === store.endId) return;
    const found = store.idAt(moment);
    if (found >= store.endId) {
      post({ type: 'notice', text: l10n.t('No lines are that recent. This is the last line.') });
    } else if (this.#firstMoment() > moment && back.isStart) {
      const text = l10n.t('The log starts later. This is the first line.');
      post({ type: 'notice', text });
    }
    const id = Math.min(found, store.endId - 1);
    if (await this.#whenChecked(id, signal)) post({ type: 'reveal', row: rows.rowOf(id), id });
  }

  /**
   * Resolves when the filter has checked the lines from this one on, which takes longer than reading them, or
   * after some seconds.
   *
   * @returns false if the line is gone, or if the jump was ended or the user went to another time in the meantime.
   */
  async #whenChecked(id: number, end?: AbortSignal): Promise<boolean> {
    const { clock, rows, store } = this.#context;
    this.#wait.abort();
    const own = (this.#wait = new AbortController()).signal;
    const signal = end ? AbortSignal.any([own, end]) : own;
    const isChecked = (): true | undefined => rows.isChecked(id) || undefined;
    const limits = { clock, limit: LONGEST_WAIT_MS, signal };
    await whenFound(isChecked, rows.onDidChange, limits);
    return !signal.aborted && id >= store.firstId;
  }

  #momentOf(text: string): number | undefined {
    const { clock, style } = this.#context;
    return parseTimestampInput(text, clock.now(), style().times === 'utc');
  }

  /** Returns the time of the oldest line, or Infinity if there is no line, because older lines may exist. */
  #firstMoment(): number {
    const { store } = this.#context;
    const { firstId, endId } = store;
    if (firstId === endId) return Infinity;
    // Before the first lines of a log, Gantry may have written a newer message, for example of a lost connection.
    const first = store
      .read(firstId, firstId + FIRST)
      .map(({ timestamp }) => Date.parse(timestamp));
    const moments = first.filter((moment) => !Number.isNaN(moment));
    return moments.length === 0 ? -Infinity : Math.min(...moments);
  }
}

/** Time that a jump waits for the filter, in milliseconds. */
const LONGEST_WAIT_MS = 5000;

const BACK = /^-\s*(\d{1,7})\s*(s|m|min|h|d)$/;
const CLOCK = /^(?:(today|yesterday)\s+)?(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,3}))?)?$/;
const DATE =
  /^(\d{4})-(\d\d)-(\d\d)(?:[t ]+(\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?))?\s*(z|[+-]\d\d:?\d\d)?$/;

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const DAY_MS = 86_400_000;

/** More lines than Gantry's own messages about all followed containers at a time. */
const FIRST = 100;

/**
 * Parses `14:02`, `yesterday 14:02`, `2026-08-01 14:02`, ISO 8601, or `-15m`. A time of day that is still in
 * the future means yesterday.
 *
 * @param now milliseconds since 1970.
 * @param isUtc whether times without a time zone are UTC; otherwise they are local.
 * @returns milliseconds since 1970; undefined for anything else.
 */
export function parseTimestampInput(text: string, now: number, isUtc: boolean): number | undefined {
  const words = text.trim().toLowerCase();
  return parseBack(words, now) ?? parseClock(words, now, isUtc) ?? parseDate(words, isUtc);
}

function parseBack(words: string, now: number): number | undefined {
  const [, count, unit = ''] = BACK.exec(words) ?? [];
  return count === undefined ? undefined : now - Number(count) * (UNITS[unit] ?? 0);
}

function parseClock(words: string, now: number, isUtc: boolean): number | undefined {
  const [, day, hours, minutes, seconds = '0', fraction = '0'] = CLOCK.exec(words) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) {
    return undefined;
  }
  const milliseconds = Number(fraction.padEnd(3, '0'));
  const time = [Number(hours), Number(minutes), Number(seconds), milliseconds] as const;
  const moment = atTimeOfDay(now, time, isUtc, day === 'yesterday' ? -1 : 0);
  return day === undefined && moment > now ? atTimeOfDay(now, time, isUtc, -1) : moment;
}

/** Returns the given time of day on the day of `now` plus `days`. */
function atTimeOfDay(
  now: number,
  time: readonly [number, number, number, number],
  isUtc: boolean,
  days: number,
): number {
  if (isUtc) {
    const moment = new Date(now + days * DAY_MS);
    return moment.setUTCHours(...time);
  }
  const moment = new Date(now);
  moment.setDate(moment.getDate() + days);
  return moment.setHours(...time);
}

function parseDate(words: string, isUtc: boolean): number | undefined {
  const [, year, month, day, time = '00:00', zone] = DATE.exec(words) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const ending = zone?.toUpperCase() ?? (isUtc ? 'Z' : '');
  const moment = Date.parse(`${year}-${month}-${day}T${time.replace(',', '.')}${ending}`);
  return Number.isNaN(moment) ? undefined : moment;
}
