import * as l10n from '@vscode/l10n';

/** The longest name that a box accepts. Engines take longer ones, which no row and no title can show. */
const LONGEST_NAME = 255;

/** Returns the problem with a name that is too long; undefined for another name. */
export function longNameProblem({ length }: string): string | undefined {
  if (length <= LONGEST_NAME) return undefined;
  return l10n.t('The name has {0} characters. The maximum is {1}.', length, LONGEST_NAME);
}
