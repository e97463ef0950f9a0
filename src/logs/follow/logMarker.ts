import type { L10n } from '../../l10n.ts';
import { oneLine } from '../../plainText.ts';

/** What Gantry itself says in a container's log. */
export type LogMarker =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'started' }
  | { readonly kind: 'startedAgain' }
  | { readonly kind: 'removed' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'disconnected' }
  | { readonly kind: 'engineRemoved' }
  /** The SSH server allows no further stream. */
  | { readonly kind: 'sshFull' }
  /** Lines the engine threw away before they were read, at this place. */
  | { readonly kind: 'gap' }
  /** So many lines, before those below, are not kept any more. */
  | { readonly kind: 'left-out'; readonly lines: number }
  /** More containers are chosen than are followed at a time. */
  | { readonly kind: 'full'; readonly most: number; readonly waiting: number }
  /** `words`: the engine's own, where it had any. */
  | { readonly kind: 'failed'; readonly words: string | undefined };

/** An engine's explanation may be a page long. */
const MARKER_LIMIT = 2000;

/** A marker as one line of plain text. */
export function markerMessage(marker: LogMarker, l10n: L10n): string {
  return oneLine(sentence(marker, l10n), MARKER_LIMIT);
}

function sentence(marker: LogMarker, l10n: L10n): string {
  switch (marker.kind) {
    case 'exited':
      return l10n.t('The container exited with status {0}.', marker.exitCode);
    case 'started':
      return l10n.t('The container was started.');
    case 'startedAgain':
      return l10n.t('The container was started again.');
    case 'removed':
      return l10n.t('The container was removed.');
    case 'lost':
      return l10n.t('The connection to the engine is lost. The log goes on when it is back.');
    case 'disconnected':
      return l10n.t('The engine is disconnected. The log goes on when it is connected again.');
    case 'engineRemoved':
      return l10n.t('The engine was changed or removed in the settings. The log ends here.');
    case 'sshFull':
      return l10n.t(
        'No more logs can be followed over this SSH connection. Close another log or terminal.',
      );
    case 'gap':
      return l10n.t('Lines are missing here: the engine discarded them before they were read.');
    case 'left-out':
      return marker.lines === 1
        ? l10n.t('1 line before this is left out.')
        : l10n.t('{0} lines before this are left out.', marker.lines);
    case 'full':
      return l10n.t(
        'Only {0} containers are followed at a time. Waiting for room: {1}.',
        marker.most,
        marker.waiting,
      );
    case 'failed':
      return marker.words === undefined
        ? l10n.t('The log cannot be read on: what the engine sent is no log.')
        : l10n.t('The log cannot be read on: {0}', marker.words);
  }
}
