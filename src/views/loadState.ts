import type { Inventory } from '../inventory/inventory.ts';

/** How far it is known what an engine has: nobody has asked, the answer is awaited, or it is known. */
export type LoadState = 'unasked' | 'awaited' | 'known';

/** How far it is known what an engine has, or that it cannot be reached. */
export function loadStateOf({ phase }: Pick<Inventory, 'phase'>): LoadState {
  if (phase.kind === 'idle') return 'unasked';
  return phase.kind === 'connecting' ? 'awaited' : 'known';
}
