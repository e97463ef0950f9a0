import * as l10n from '@vscode/l10n';

/** Returns all localized texts of the details page. The page fills in `{0}`. */
export function detailsStrings() {
  return {
    copy: l10n.t('Copy {0}', '{0}'),
    copied: l10n.t('Copied {0}', '{0}'),
    reveal: l10n.t('Show the value of {0}', '{0}'),
    hide: l10n.t('Hide the value of {0}', '{0}'),
    pin: l10n.t('Pin'),
    unpin: l10n.t('Unpin'),
    refresh: l10n.t('Refresh'),
    loading: l10n.t('Loading...'),
    usage: l10n.t('CPU and Memory'),
    usageIsOld: l10n.t('The engine has not reported new values.'),
    processes: l10n.t('Processes'),
    pid: l10n.t('PID'),
    user: l10n.t('User'),
    cpu: l10n.t('CPU'),
    memory: l10n.t('Memory'),
    command: l10n.t('Command'),
    signal: l10n.t('Send Signal...'),
    signalTo: l10n.t('Send a signal to process {0}', '{0}'),
  };
}

export type DetailsString = keyof ReturnType<typeof detailsStrings>;
