import * as l10n from '@vscode/l10n';
import { checkEnv, checkUser, checkWorkingDir } from '../../engine/options/optionChecks.ts';
import { maskAssignment } from '../../engine/options/secretDetection.ts';
import { showForm } from '../ui/form.ts';
import { listRow, textRow, type FormRow } from '../ui/formRows.ts';
import type { Ui } from '../ui/ui.ts';
import { checkShell, type OpenShellOptions } from './openShellOptions.ts';

/**
 * Asks how to open a shell. Resolves to undefined if the user cancels.
 *
 * @param names of variables to offer.
 */
export async function showShellForm(
  ui: Ui,
  name: string,
  draft: OpenShellOptions,
  names: readonly string[],
): Promise<OpenShellOptions | undefined> {
  const result = await showForm<OpenShellOptions, 'open'>(ui, {
    title: { title: l10n.t('Open Shell in {0}', name) },
    namesRows: true,
    draft,
    actions: [{ action: 'open', label: l10n.t('Open Shell'), icon: 'terminal' }],
    overview: () => ({ rows: rowsOf(names) }),
  });
  if (!result) return undefined;
  // Without the fields that are not set.
  const { shell, user, workingDir, env = [] } = result.draft;
  return {
    ...(shell !== undefined && { shell }),
    ...(user !== undefined && { user }),
    ...(workingDir !== undefined && { workingDir }),
    ...(env.length > 0 && { env }),
  };
}

function rowsOf(names: readonly string[]): readonly FormRow<OpenShellOptions>[] {
  const ofContainer = l10n.t('as in the container');
  return [
    textRow('user', l10n.t('User'), 'root', { otherwise: ofContainer, check: checkUser }),
    textRow('workingDir', l10n.t('Working directory'), '/app', {
      otherwise: ofContainer,
      check: checkWorkingDir,
    }),
    listRow('env', l10n.t('Environment variables'), 'NAME=value', 'TZ=Europe/Vienna', {
      check: checkEnv,
      mask: maskAssignment,
      offers: () => ({
        heading: l10n.t('of the last time; select one to set its value'),
        of: (entries) =>
          names
            .filter((name) => !entries.some((entry) => entry.startsWith(`${name}=`)))
            .map((name) => ({ label: name, entry: `${name}=`, isEdited: true })),
      }),
    }),
    textRow('shell', l10n.t('Shell'), 'zsh', {
      otherwise: l10n.t('bash, or else sh'),
      check: checkShell,
    }),
  ];
}
