import type { NewEntry } from '../../archive/writeTar.ts';
import type { BuildRequest } from '../model.ts';
import { realRoot } from './contextRoot.ts';
import { readIgnoreRules } from './readIgnoreFile.ts';
import { readContextFile } from './readContextFile.ts';
import { walkContext } from './walkContext.ts';

/**
 * Yields the files of a context that are not ignored, for a tar. A file with several names is packed once, and
 * linked for each other name.
 *
 * @param isPodman whether files named `.containerignore` count, as for Podman.
 * @throws ContextError for what cannot be packed; the reason of the signal.
 */
export async function* packContext(
  request: Pick<BuildRequest, 'context' | 'dockerfile'>,
  signal: AbortSignal,
  isPodman = false,
): AsyncGenerator<NewEntry> {
  const { patterns } = await readIgnoreRules(request, isPodman);
  const root = realRoot(request.context);
  for await (const entry of walkContext(root, { excludes: patterns }, signal)) {
    const { path, kind, mode, modifiedAt, size, target } = entry;
    const own = { name: path, permissions: mode, modifiedAt: Number(modifiedAt / 1_000_000n) };
    if (kind === 'file') {
      const open = (): AsyncIterable<Uint8Array> => readContextFile(root, entry);
      yield { ...own, kind, size, open, sameAs: target };
    } else if (kind === 'link') yield { ...own, kind, linkTarget: target ?? '' };
    else yield { ...own, kind };
  }
}
