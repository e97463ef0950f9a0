import type { Clock } from '../time.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { Event } from '../lifetime.ts';
import { Timer } from './timer.ts';

/** How far it is known what an engine has: nobody has asked, the answer is awaited, or it is known. */
export type LoadState = 'unasked' | 'awaited' | 'known';

/** How far it is known what an engine has, or that it cannot be reached. */
export function loadStateOf({ phase }: Pick<Inventory, 'phase'>): LoadState {
  if (phase.kind === 'idle') return 'unasked';
  return phase.kind === 'connecting' ? 'awaited' : 'known';
}

/**
 * Resolves as soon as `find` finds something, asked now and after each event; to undefined after so many
 * milliseconds, or when aborted.
 */
export function whenFound<T>(
  find: () => T | undefined,
  onDidChange: Event<unknown>,
  options: { readonly clock: Clock; readonly limit: number; readonly signal?: AbortSignal },
): Promise<T | undefined> {
  const found = find();
  if (found !== undefined || options.signal?.aborted) return Promise.resolve(found);
  return new Promise((resolve) => {
    const timer = new Timer(options.clock);
    const end = (value: T | undefined): void => {
      timer.dispose();
      subscription.dispose();
      options.signal?.removeEventListener('abort', onAbort);
      resolve(value);
    };
    const onAbort = (): void => {
      end(undefined);
    };
    const subscription = onDidChange(() => {
      const value = find();
      if (value !== undefined) end(value);
    });
    options.signal?.addEventListener('abort', onAbort);
    timer.set(options.limit, onAbort);
  });
}
