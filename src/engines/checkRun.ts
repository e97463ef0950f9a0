/** What it takes to try things one after the other, each within its limit, and to tell how far it went. */

import type { Machine } from '../engine/discovery/endpoint.ts';
import { EngineError } from '../engine/errors.ts';
import type { EngineInfo } from '../engine/model.ts';
import type { L10n } from '../l10n.ts';
import { withTimeout } from '../time.ts';

/** The steps of one place, so far. */
export class CheckRun {
  info: EngineInfo | undefined;
  versionProblem: EngineError | undefined;
  readonly #url: string;
  readonly #options: CheckOptions;
  readonly #signal: AbortSignal;
  readonly #steps: CheckStep[] = [];

  constructor(url: string, parts: CheckOptions, signal: AbortSignal) {
    this.#url = url;
    this.#options = parts;
    this.#signal = signal;
  }

  get result(): CheckResult {
    const isGood = this.#steps.every(({ outcome }) => outcome !== 'bad') && this.info !== undefined;
    return { steps: this.#steps, info: this.info, isGood };
  }

  /** Whether all of them went well; the first that did not is the last one tried. */
  async all(checks: readonly ConnectionCheck[]): Promise<boolean> {
    for (const check of checks) if (!(await this.check(check))) return false;
    return true;
  }

  /** Tries one, within its limit. Whether the next one can be tried. */
  async check(check: ConnectionCheck): Promise<boolean> {
    const startedAt = performance.now();
    const found = await this.#found(check);
    const milliseconds = Math.round(performance.now() - startedAt);
    const { outcome, says, isLast } =
      typeof found === 'string'
        ? { outcome: 'good' as const, says: found, isLast: undefined }
        : { isLast: undefined, ...found };
    const { name } = check;
    this.#steps.push({ name, outcome, says, ...(outcome !== 'none' && { milliseconds }) });
    return outcome !== 'bad' && isLast === undefined;
  }

  async #found(check: ConnectionCheck): Promise<CheckFinding> {
    const ending = new AbortController();
    const late = (): EngineError => this.#late(check);
    try {
      return await withTimeout(this.#limitOf(check) + SPARE_MS, late, this.#signal, (signal) =>
        check.run(AbortSignal.any([signal, ending.signal])),
      );
    } catch (error) {
      this.#signal.throwIfAborted();
      return { outcome: 'bad', says: this.#options.describe(error) };
    } finally {
      // What a step has opened ends with it.
      ending.abort();
    }
  }

  #limitOf({ operation = '' }: ConnectionCheck): number {
    const isLong = operation !== '' && operation !== 'GET /_ping';
    return this.#options.limitMs ?? (isLong ? LIST_LIMIT_MS : LIMIT_MS);
  }

  #late(check: ConnectionCheck): EngineError {
    const endpoint = this.#url;
    const { operation } = check;
    if (operation === undefined) return new EngineError('connectTimeout', { endpoint });
    const limitSeconds = this.#limitOf(check) / 1000;
    return new EngineError('timeout', { endpoint, operation, limitSeconds });
  }
}

/** One thing that was tried. */
export interface CheckStep {
  readonly name: string;
  /** `none`: there was nothing to try, or it was not ours to. */
  readonly outcome: 'good' | 'bad' | 'none';
  /** A sentence. May have words of strangers in it. */
  readonly says: string;
  readonly milliseconds?: number;
}

/** How far it went. */
export interface CheckResult {
  readonly steps: readonly CheckStep[];
  /** Who answered, if anybody did. */
  readonly info: EngineInfo | undefined;
  readonly isGood: boolean;
}

/** What a check stands on. */
export interface CheckOptions {
  readonly machine: Machine;
  readonly userAgent: string;
  /** The sentence for a failure, which says what helps. */
  readonly describe: (error: unknown) => string;
  readonly l10n: L10n;
  /** Milliseconds for each step; tests are less patient. */
  readonly limitMs?: number;
}

/** What a step found out; a text alone is a good one. */
export type CheckFinding =
  | string
  | (Pick<CheckStep, 'outcome' | 'says'> & {
      /** Nothing after it can be tried. */
      readonly isLast?: true;
    });

/** A step that is to be tried; it throws why it failed. */
export interface ConnectionCheck {
  readonly name: string;
  /** What is asked of the engine, for the sentence that it does not answer. */
  readonly operation?: string;
  readonly run: (signal: AbortSignal) => Promise<CheckFinding> | CheckFinding;
}

/** Milliseconds for a step, and for one that lists or opens something. */
export const LIMIT_MS = 5_000;
export const LIST_LIMIT_MS = 15_000;
/** The engine's own limits have better words, so they come first. */
const SPARE_MS = 500;
