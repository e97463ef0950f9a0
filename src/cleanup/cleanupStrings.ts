import * as l10n from '@vscode/l10n';
import { kindLabels } from '../commands/system/cleanupItem.ts';

/** Returns all localized texts of the clean-up page. The page fills in `{0}` and `{1}`. */
export function cleanupStrings() {
  const kinds = kindLabels();
  return {
    groupBy: l10n.t('Group By'),
    'by.kind': l10n.t('Kind'),
    'by.project': l10n.t('Compose Project'),
    'by.worktree': l10n.t('Worktree'),
    'by.age': l10n.t('Age'),
    refresh: l10n.t('Refresh'),
    use: l10n.t('Disk usage'),
    size: l10n.t('Size'),
    reclaimable: l10n.t('Reclaimable'),
    total: l10n.t('Total'),
    'kind.containers': kinds.containers,
    'kind.images': kinds.images,
    'kind.volumes': kinds.volumes,
    'kind.networks': kinds.networks,
    'kind.buildCache': kinds.buildCache,
    'age.day': l10n.t('Last 24 hours'),
    'age.week': l10n.t('Last 7 days'),
    'age.month': l10n.t('Last 30 days'),
    'age.older': l10n.t('Older'),
    'age.unknown': l10n.t('Unknown age'),
    noProject: l10n.t('No project'),
    noWorktree: l10n.t('Other'),
    items: l10n.t('Items to clean up'),
    selectGroup: l10n.t('Select {0}'),
    atMost: l10n.t('≤ {0}'),
    unique: l10n.t('{0} unique'),
    gone: l10n.t('no longer exists'),
    needed: l10n.t('Select what uses it first'),
    neverRemove: l10n.t('Never Remove'),
    allowRemoval: l10n.t('Allow Removal'),
    loading: l10n.t('Looking for unused data...'),
    measuring: l10n.t('Calculating sizes...'),
    removing: l10n.t('Removing...'),
    empty: l10n.t('The engine has nothing to clean up.'),
    hidden: l10n.t('{0} smaller items are not shown.'),
    none: l10n.t('Nothing selected'),
    selectedOne: l10n.t('1 selected'),
    selected: l10n.t('{0} selected'),
    reclaims: l10n.t('Reclaims {0}.'),
    reclaimsAtLeast: l10n.t('Reclaims at least {0}.'),
    removeButton: l10n.t('Remove...'),
    questionOne: l10n.t('Remove 1 item?'),
    question: l10n.t('Remove {0} items?'),
    losesVolumes: l10n.t('All files in the selected volumes are deleted.'),
    losesContainers: l10n.t(
      'Data inside the containers is lost unless it is in a volume or bind mount.',
    ),
    toRemove: l10n.t('Items to remove'),
    imageWithTags: l10n.t('1 image with {0} tags'),
    imagesWithTags: l10n.t('{0} images with {1} tags'),
    remove: l10n.t('Remove'),
    cancel: l10n.t('Cancel'),
  };
}

/** Key of one of the page's texts. */
export type CleanupString = keyof ReturnType<typeof cleanupStrings>;
