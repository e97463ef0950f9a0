import type { ViewerMember } from '../../protocol.ts';

/** The containers by index, with short names. */
export type NamedMembers = ReturnType<typeof namedMembers>;

// Minimum and maximum width of the name column, in characters.
const NARROWEST = 6;
const WIDEST = 24;

/**
 * Adds a short name to each container: its name without the prefix shared by all, such as that of a compose project.
 */
export function namedMembers(members: readonly ViewerMember[]) {
  const length = sharedLength([...new Set(members.map(({ name }) => name))]);
  return new Map(members.map((one) => [one.index, { ...one, shortName: one.name.slice(length) }]));
}

/** Returns the width of the name column, in characters. */
export function nameWidth(members: NamedMembers): number {
  const longest = Math.max(0, ...Array.from(members.values(), (one) => one.shortName.length));
  return Math.min(WIDEST, Math.max(NARROWEST, longest));
}

/**
 * Returns the length of the prefix that all names share. The prefix ends at a separator, and no remaining name
 * is only a number.
 */
function sharedLength(names: readonly string[]): number {
  const [first = ''] = names;
  let shared = 0;
  if (names.length < 2) return 0;
  for (const { index } of first.matchAll(/[-_.]/g)) {
    const start = first.slice(0, index + 1);
    const isShared = names.every(
      (name) => name.startsWith(start) && /\D/.test(name.slice(index + 1)),
    );
    if (!isShared) break;
    shared = index + 1;
  }
  return shared;
}
