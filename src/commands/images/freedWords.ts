import { l10n } from 'vscode';
import { sizeWords } from '../../views/words.ts';
import type { Freed } from './prunePlan.ts';

/** What is known before of what will be freed, as a sentence. */
export function freedWords({ atLeast, atMost }: Freed): string {
  if (atLeast === undefined) return l10n.t('Frees at most {0}.', sizeWords(atMost));
  return atLeast === atMost
    ? l10n.t('Frees {0}.', sizeWords(atMost))
    : l10n.t('Frees {0} to {1}.', sizeWords(atLeast), sizeWords(atMost));
}
