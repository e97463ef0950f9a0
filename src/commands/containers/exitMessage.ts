/** Formats how a container exited. */

import * as l10n from '@vscode/l10n';
import { signalName } from '../../engine/containers/signalName.ts';
import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';

/** Formats an exit: "web exited with status 137 (SIGKILL, out of memory) after 3 s." */
export function exitMessage(name: string, ending: ContainerExit): string {
  const { exitCode, wasOutOfMemory, duration } = ending;
  const why = [
    signalName(exitCode),
    wasOutOfMemory === true ? l10n.t('out of memory') : undefined,
  ].filter((one) => one !== undefined);
  const status = why.length === 0 ? String(exitCode) : `${exitCode} (${why.join(', ')})`;
  return duration === undefined
    ? l10n.t('{0} exited with code {1}.', name, status)
    : l10n.t('{0} exited with code {1} after {2}.', name, status, formatElapsedTime(duration));
}

/** The exit of a container, with what is known about it. */
interface ContainerExit {
  readonly exitCode: number;
  readonly wasOutOfMemory?: boolean | undefined;
  /** In milliseconds. */
  readonly duration?: number | undefined;
}

/** Returns the duration of the last run in milliseconds; undefined if the container is running or never ran. */
export function runDuration({
  startedAt,
  finishedAt,
}: Pick<ContainerDetails, 'startedAt' | 'finishedAt'>): number | undefined {
  const milliseconds = Date.parse(finishedAt) - Date.parse(startedAt);
  // Negative if a restart policy has started the container again: the current run is not the one that exited.
  return milliseconds >= 0 ? milliseconds : undefined;
}

/** Formats a short duration: `0.3 s`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatElapsedTime(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 10) return l10n.t('{0} s', Math.round(seconds * 10) / 10);
  const whole = Math.round(seconds);
  if (whole < 60) return l10n.t('{0} s', whole);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return l10n.t('{0} min {1} s', minutes, whole % 60);
  return l10n.t('{0} h {1} min', Math.floor(minutes / 60), minutes % 60);
}
