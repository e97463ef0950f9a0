import * as l10n from '@vscode/l10n';

import { oneLine } from '../../base/plainText.ts';
import type { LogLine } from '../../engine/model.ts';

/** A message of Gantry in a container's log. */
export type LogMarker =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'started' }
  | { readonly kind: 'startedAgain' }
  | { readonly kind: 'removed' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'disconnected' }
  | { readonly kind: 'engineRemoved' }
  /** The SSH server allows no more streams. */
  | { readonly kind: 'sshFull' }
  /** The engine discarded lines here before they were read. */
  | { readonly kind: 'gap' }
  /** This many earlier lines are no longer kept. */
  | { readonly kind: 'left-out'; readonly lines: number }
  /** More containers are selected than can be followed at a time. */
  | { readonly kind: 'full'; readonly most: number; readonly waiting: number }
  /** What a step of a build is, or how it ended. */
  | { readonly kind: 'step'; readonly words: string }
  /** `words`: the engine's message, if any. */
  | { readonly kind: 'failed'; readonly words: string | undefined };

/** In characters, because an engine's message may be a page long. */
const MARKER_LIMIT = 2000;

/** Formats a marker as one line of plain text. */
export function markerMessage(marker: LogMarker): string {
  return oneLine(wordsOf(marker), MARKER_LIMIT);
}

function wordsOf(marker: LogMarker): string {
  switch (marker.kind) {
    case 'exited':
      return l10n.t('The container exited with code {0}.', marker.exitCode);
    case 'started':
      return l10n.t('The container was started.');
    case 'startedAgain':
      return l10n.t('The container was started again.');
    case 'removed':
      return l10n.t('The container was removed.');
    case 'lost':
      return l10n.t('Connection to the engine lost. The log continues after reconnecting.');
    case 'disconnected':
      return l10n.t('The engine is disconnected. The log continues when you connect it again.');
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
        ? l10n.t('1 earlier line is not shown.')
        : l10n.t('{0} earlier lines are not shown.', marker.lines);
    case 'full':
      return l10n.t(
        'Only {0} containers are followed at a time. Waiting: {1}.',
        marker.most,
        marker.waiting,
      );
    case 'step':
      return marker.words;
    case 'failed':
      return marker.words === undefined
        ? l10n.t('Cannot continue reading the log: unexpected data from the engine.')
        : l10n.t('Cannot continue reading the log: {0}', marker.words);
  }
}

/** Receives one container's log. Each call waits for the previous one to resolve. */
export interface LogSink {
  /** Writes complete lines in order. Resolves when more may come, which gives back-pressure up to the engine. */
  lines(lines: readonly LogLine[]): Promise<void>;
  /**
   * Writes a message of Gantry at this position. `at`: when it happened, in the engine's format, if the
   * engine reports it.
   */
  marker(marker: LogMarker, at?: string): Promise<void>;
  /**
   * Called when all existing lines have been written; what follows is live. Called once per opened log, even if the log
   * cannot be read. A sink with this method receives complete lines from the start and can be paged backwards.
   */
  caughtUp?(): void;
}

/** Receives the merged logs of several containers. Each call waits for the previous one to resolve. */
export interface LogSetSink {
  /** Writes complete lines of one member in order. Resolves when more may come. */
  lines(member: number, lines: readonly LogLine[]): Promise<void>;
  /** Writes a message of Gantry about one member at this position. `at`: when it happened, RFC 3339. */
  marker(member: number, marker: LogMarker, at: string): Promise<void>;
  /** Called when all existing lines have been written, merged by time; what follows is live. */
  caughtUp?(): void;
}
