import type { PageStrings } from '../../logviewer/page/pageStrings.ts';
import type { GraphString } from '../graphStrings.ts';
import type { GraphMark, GraphMember } from '../protocol.ts';

type Strings = PageStrings<GraphString>;

/** Returns what happened: `exited (137)`. */
export function markText({ kind, exitCode }: GraphMark, strings: Strings): string {
  if (kind !== 'exited') return strings.get(`mark.${kind}`);
  return exitCode === undefined ? strings.get('mark.ended') : strings.get('mark.exited', exitCode);
}

/** Returns what happened around a time, with the names of the containers if there are several. @param at in seconds. */
export function marksAround(
  at: number,
  seconds: number,
  { marks, members }: MarkedMembers,
  strings: Strings,
): readonly string[] {
  const near = marks.filter((mark) => Math.abs(mark.at / 1000 - at) <= seconds);
  const names = new Map(members.map(({ key, name }) => [key, name]));
  return near.slice(-MOST_NAMED).map((mark) => {
    const text = markText(mark, strings);
    return members.length > 1 ? `${names.get(mark.key) ?? ''} ${text}` : text;
  });
}

interface MarkedMembers {
  readonly marks: readonly GraphMark[];
  readonly members: readonly GraphMember[];
}

/** Marks that are named at a time. */
const MOST_NAMED = 4;
