import type { PageRow, PageSection } from '../protocol.ts';
import type { SourceRow, SourceSection } from './sourceRow.ts';

/** What the page shows, and the source of each row by its key. */
interface KeyedSections {
  readonly sections: readonly PageSection[];
  readonly rows: ReadonlyMap<string, SourceRow>;
}

/** Gives each row a key, which stays as long as its label does. */
export function keyedSections(sections: readonly SourceSection[]): KeyedSections {
  const all = new Map<string, SourceRow>();
  const keyOf = (section: string, { label }: SourceRow): string => {
    const wanted = `${section} ${label}`;
    let key = wanted;
    for (let number = 2; all.has(key); number += 1) key = `${wanted} ${number}`;
    return key;
  };
  const shown = sections.map(({ id, title, rows }) => ({
    id,
    title,
    rows: rows.map((row) => {
      const key = keyOf(id, row);
      all.set(key, row);
      return pageRow(key, row);
    }),
  }));
  return { sections: shown, rows: all };
}

function pageRow(key: string, row: SourceRow): PageRow {
  const { label, value, note, block, isTail, isBad, hiddenKey, act } = row;
  return {
    key,
    label,
    value,
    ...(note !== undefined && { note }),
    ...(block !== undefined && { block }),
    ...(isTail && { isTail }),
    ...(isBad && { isBad }),
    ...(hiddenKey !== undefined && { isSecret: true }),
    ...(act && { isLink: true }),
  };
}
