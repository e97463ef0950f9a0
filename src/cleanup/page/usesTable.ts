import type { KindUse } from '../../engine/system/cleanupKinds.ts';
import { make } from '../../logviewer/page/dom.ts';
import type { PageStrings } from '../../logviewer/page/pageStrings.ts';
import { formatSize } from '../../views/format.ts';
import type { CleanupString } from '../cleanupStrings.ts';

/** Returns the table of what uses disk space, with a placeholder of the same height while it is unknown. */
export function usesTable(
  uses: readonly KindUse[],
  strings: PageStrings<CleanupString>,
): readonly HTMLElement[] {
  const kinds = ['images', 'containers', 'volumes', 'buildCache'] as const;
  const rows = kinds.map((kind) => {
    const use = uses.find((one) => one.kind === kind);
    return row(strings.get(`kind.${kind}`), use ?? {});
  });
  const sum = (field: 'size' | 'reclaimable') =>
    uses.length === 0 ? undefined : uses.reduce((total, use) => total + use[field], 0);
  const head = make('tr', {
    children: ['use', 'size', 'reclaimable'].map((name) =>
      make('th', { text: strings.get(name as CleanupString), attributes: { scope: 'col' } }),
    ),
  });
  const isAtLeast = uses.some((use) => use.isAtLeast);
  const all = { size: sum('size'), reclaimable: sum('reclaimable'), isAtLeast };
  const total = row(strings.get('total'), all);
  total.className = 'total';
  const table = make('table', {
    children: [make('thead', { children: [head] }), make('tbody', { children: [...rows, total] })],
  });
  return [table];
}

interface RowSizes {
  readonly size?: number | undefined;
  readonly reclaimable?: number | undefined;
  readonly isAtLeast?: boolean;
}

function row(label: string, { size, reclaimable, isAtLeast }: RowSizes): HTMLTableRowElement {
  const format = (bytes: number): string => `${isAtLeast ? '≥ ' : ''}${formatSize(bytes)}`;
  return make('tr', {
    children: [
      make('th', { text: label, attributes: { scope: 'row' } }),
      ...[size, reclaimable].map((bytes) =>
        make('td', { text: bytes === undefined ? '–' : format(bytes) }),
      ),
    ],
  });
}
