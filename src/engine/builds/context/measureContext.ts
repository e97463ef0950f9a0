import type { BuildRequest } from '../model.ts';
import { packContext } from './packContext.ts';

/**
 * Returns how much of a context an engine may ask for: what its ignore file does not exclude.
 *
 * @param most the number of entries after which the count ends.
 * @param isPodman whether files named `.containerignore` count, as for Podman.
 * @throws ContextError for what cannot be sent; the reason of the signal.
 */
export async function measureContext(
  files: Pick<BuildRequest, 'context' | 'dockerfile'>,
  most: number,
  signal: AbortSignal,
  isPodman: boolean,
): Promise<ContextSize> {
  let count = 0;
  let entries = 0;
  let bytes = 0;
  for await (const { kind, size = 0 } of packContext(files, signal, isPodman)) {
    if (++entries > most) return { files: count, bytes, isMore: true };
    if (kind !== 'file') continue;
    count += 1;
    bytes += size;
  }
  return { files: count, bytes, isMore: false };
}

export interface ContextSize {
  readonly files: number;
  readonly bytes: number;
  /** Whether there are more files than were counted. */
  readonly isMore: boolean;
}
