/** The fields of a request's body: what was not said is not in it. */

import type { L10n } from '../l10n.ts';

/** An empty list means the same as none, and some engines mistake `[]` for a wish. */
export function nonEmpty(list: readonly string[] | undefined): readonly string[] | undefined {
  return list && list.length > 0 ? list : undefined;
}

/** What `check` makes of each of a list; nothing where there is none. */
export function mapNonEmpty<Result>(
  list: readonly string[] | undefined,
  check: (value: string, l10n: L10n) => Result,
  l10n: L10n,
): readonly Result[] | undefined {
  return list && list.length > 0 ? list.map((one) => check(one, l10n)) : undefined;
}

/** What `check` makes of a value, where there is one. */
export function mapDefined<Value, Result>(
  value: Value | undefined,
  check: (value: Value, l10n: L10n) => Result,
  l10n: L10n,
): Result | undefined {
  return value === undefined ? undefined : check(value, l10n);
}

/** The fields that are said. */
export function omitUndefined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
