import { isDeepStrictEqual } from 'node:util';
import type { Container } from '../engine/model.ts';
import { ageOfStatus, formatAge, isSameButAge, narrow, parseStatus, type Age } from './age.ts';

/** Health changes and pauses do not end a run: if the kind of state is the same, both lists count. */
export function ageAfter(
  before: Container | undefined,
  ageBefore: Age | undefined,
  next: Container,
  listedAt: number,
): Age | undefined {
  const status = parseStatus(next.status);
  const reported = ageOfStatus(status, listedAt);
  const isSameKind = before !== undefined && parseStatus(before.status).kind === status.kind;
  return isSameKind ? narrow(ageBefore, reported) : reported;
}

/** Whether two entries are equal apart from the time in their status. */
export function isSameEntry(before: Container, next: Container): boolean {
  if (!isDeepStrictEqual({ ...before, status: '' }, { ...next, status: '' })) return false;
  const a = parseStatus(before.status);
  const b = parseStatus(next.status);
  const isTimed = a.ago !== undefined && b.ago !== undefined;
  return isTimed ? isSameButAge(a, b) : before.status === next.status;
}

/**
 * Whether a row looks the same for both ages. A later list may narrow the age, or be of another run with the
 * same status text: then the displayed age jumps, unlike by time alone, and that is a change.
 */
export function isSameAge(before: Age | undefined, next: Age | undefined, now: number): boolean {
  if (!before || !next) return before === next;
  return formatAge(before, now) === formatAge(next, now);
}
