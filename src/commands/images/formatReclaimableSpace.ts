import { l10n } from 'vscode';
import { formatSize } from '../../views/format.ts';
import type { ReclaimableSpace } from './unusedImages.ts';

/** What is known before of what will be freed, as a sentence. */
export function formatReclaimableSpace({ atLeast, atMost }: ReclaimableSpace): string {
  if (atLeast === undefined) return l10n.t('Frees at most {0}.', formatSize(atMost));
  return atLeast === atMost
    ? l10n.t('Frees {0}.', formatSize(atMost))
    : l10n.t('Frees {0} to {1}.', formatSize(atLeast), formatSize(atMost));
}
