import * as l10n from '@vscode/l10n';
import type { CreateArguments } from '../../engine/options/options.ts';
import { secretVariables } from '../../recipes/formatRecipe.ts';
import { formatNames } from '../ui/formatNames.ts';
import type { Ui } from '../ui/ui.ts';

/**
 * Asks for the variables whose values are not written to a file, if any look like secrets. Resolves to undefined if the
 * user cancels.
 *
 * @param format returns what is written in place of a value.
 */
export async function askHidden(
  ui: Ui,
  args: CreateArguments,
  title: string,
  format: (name: string) => string,
): Promise<readonly string[] | undefined> {
  const secrets = secretVariables(args);
  if (secrets.length === 0) return [];
  const checked = await ui.pickMany({
    title: () => title,
    placeholder: l10n.t('These look like secrets. Selected variables are not written to the file'),
    items: secrets.map((name) => ({ label: name, description: format(name) })),
    isChecked: () => true,
  });
  return checked?.map(({ label }) => label);
}

/** Returns which settings are missing in what was saved; undefined if none is. */
export function unsupportedMessage(
  left: readonly string[],
  sentence = l10n.t('Some container settings cannot be saved.'),
): string | undefined {
  if (left.length === 0) return undefined;
  return l10n.t('{0} Not included: {1}.', sentence, formatNames(left));
}

/** Returns which labels and fields may contain secrets; undefined if none does. */
export function suspectMessage(suspect: readonly string[] = []): string | undefined {
  if (suspect.length === 0) return undefined;
  return l10n.t(
    'These values may contain secrets. Check them before you share the file: {0}.',
    formatNames(suspect),
  );
}
