import * as l10n from '@vscode/l10n';

/** The longest name that a box accepts. Engines take longer ones, which no row and no title can show. */
export const LONGEST_NAME = 255;

/** Returns the problem with a name that is too long. */
export function longNameMessage(name: string): string {
  return l10n.t('The name has {0} characters. The maximum is {1}.', name.length, LONGEST_NAME);
}
