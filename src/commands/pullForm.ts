import * as vscode from 'vscode';

import { pullTarget } from '../engine/pull.ts';
import { problemOf } from './formRows.ts';
import { askForReference } from './referenceStep.ts';

/**
 * Asks what to pull: typed, or one that was pulled lately or is here and may have become newer.
 *
 * @param recent the newest first.
 * @param local the tags that are here.
 */
export function askReference(
  recent: readonly string[],
  local: readonly string[],
): Promise<string | undefined> {
  const others = local.filter((tag) => !recent.includes(tag));
  return askForReference(
    { title: vscode.l10n.t('Pull Image') },
    {
      placeholder: vscode.l10n.t('An image, for example busybox:latest or ghcr.io/owner/name:tag'),
      typed: vscode.l10n.t('pull'),
      groups: [
        { heading: vscode.l10n.t('pulled recently'), references: recent.map(asKnown) },
        { heading: vscode.l10n.t('here, pull again'), references: others.map(asKnown) },
      ],
      problem: (text) => problemOf(() => pullTarget(text, vscode.l10n)),
      prefersTyped: true,
    },
  );
}

function asKnown(reference: string): { label: string; reference: string } {
  return { label: reference, reference };
}
