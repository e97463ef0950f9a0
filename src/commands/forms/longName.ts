import type { L10n } from '../../l10n.ts';

/** The longest name that a box accepts. Engines take longer ones, which no row and no title can show. */
export const LONGEST_NAME = 255;

/** Returns the problem with a name that is too long. */
export function longNameMessage(name: string, l10n: L10n): string {
  return l10n.t('The name has {0} characters. The maximum is {1}.', name.length, LONGEST_NAME);
}
