import type { ViewerMember } from '../../protocol.ts';

/** The containers by their index. */
export type NamedMembers = ReadonlyMap<number, NamedMember>;

/** A container as its rows name it. */
export interface NamedMember extends ViewerMember {
  /** Its name without what all of them begin with, as those of a compose project do. */
  readonly shortName: string;
}

/** The column of names is so wide, in characters. */
const [NARROWEST, WIDEST] = [6, 24];

/** Finds the names by which rows tell containers apart. */
export function namedMembers(members: readonly ViewerMember[]): NamedMembers {
  const length = sharedLength([...new Set(members.map(({ name }) => name))]);
  return new Map(members.map((one) => [one.index, { ...one, shortName: one.name.slice(length) }]));
}

/** How wide the column of their names is, in characters. */
export function nameWidth(members: NamedMembers): number {
  const longest = Math.max(0, ...Array.from(members.values(), (one) => one.shortName.length));
  return Math.min(WIDEST, Math.max(NARROWEST, longest));
}

/** How many characters all names begin with, whole words alone. What is left is never a mere number. */
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
