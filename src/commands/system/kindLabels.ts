import * as l10n from '@vscode/l10n';

import type { CleanupKind } from '../../engine/system/cleanupKinds.ts';

/** Returns the names of the kinds as headings. */
export function kindLabels(): Readonly<Record<CleanupKind, string>> {
  return {
    containers: l10n.t('Containers'),
    images: l10n.t('Images'),
    volumes: l10n.t('Volumes'),
    networks: l10n.t('Networks'),
    buildCache: l10n.t('Build cache'),
  };
}
