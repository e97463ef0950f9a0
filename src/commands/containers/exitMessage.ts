/** How a container ended, in one sentence. */

import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';
import type { L10n } from '../../l10n.ts';
import { formatElapsedTime } from './formatElapsedTime.ts';

/** The signals of Linux by their numbers, from 1 on: containers count by these wherever the editor runs. */
const SIGNALS: readonly string[] = (
  'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT ' +
  'CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS'
).split(' ');

/** "web exited with status 137 (SIGKILL, out of memory) after 3 s." */
export function exitMessage(name: string, ending: ContainerExit, l10n: L10n): string {
  const { exitCode, wasOutOfMemory, duration } = ending;
  const why = [
    signalName(exitCode),
    wasOutOfMemory === true ? l10n.t('out of memory') : undefined,
  ].filter((one) => one !== undefined);
  const status = why.length === 0 ? String(exitCode) : `${exitCode} (${why.join(', ')})`;
  return duration === undefined
    ? l10n.t('{0} exited with status {1}.', name, status)
    : l10n.t(
        '{0} exited with status {1} after {2}.',
        name,
        status,
        formatElapsedTime(duration, l10n),
      );
}

/** The name of the signal that an exit status stands for; undefined where it stands for none. */
export function signalName(exitCode: number): string | undefined {
  const name = SIGNALS[exitCode - 128 - 1];
  return name === undefined ? undefined : `SIG${name}`;
}

/** An end, with what is known of it. */
export interface ContainerExit {
  readonly exitCode: number;
  readonly wasOutOfMemory?: boolean | undefined;
  /** Milliseconds. */
  readonly duration?: number | undefined;
}

/** How long the last run of a container took; undefined while it runs, and where it never did. */
export function runDuration({
  startedAt,
  finishedAt,
}: Pick<ContainerDetails, 'startedAt' | 'finishedAt'>): number | undefined {
  const milliseconds = Date.parse(finishedAt) - Date.parse(startedAt);
  // Where a restart policy has started it again, the last run is not the one that ended.
  return milliseconds >= 0 ? milliseconds : undefined;
}
