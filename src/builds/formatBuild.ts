import * as l10n from '@vscode/l10n';
import type { BuildRefusal, BuildStep } from '../engine/builds/model.ts';
import { oneLine } from '../base/plainText.ts';
import type { StepCounts } from './buildTrace.ts';

/** Formats a time in milliseconds as "0.4s", "12.3s", "2m 5s" or "1h 2m". */
export function formatDuration(milliseconds: number): string {
  const tenths = Math.max(0, Math.round(milliseconds / 100));
  if (tenths < 600) return l10n.t('{0}s', (tenths / 10).toFixed(1));
  const seconds = Math.round(tenths / 10);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return l10n.t('{0}m {1}s', minutes, seconds % 60);
  return l10n.t('{0}h {1}m', Math.floor(minutes / 60), minutes % 60);
}

/** Formats how many steps were in the cache as "3 of 8 steps cached"; empty without steps. */
export function formatCached({ all, cached }: Pick<StepCounts, 'all' | 'cached'>) {
  return all === 0 ? '' : l10n.t('{0} of {1} steps cached', cached, all);
}

/** Formats how a step ended, as `docker build --progress=plain` does; undefined if it has not. */
export function formatStepEnd({ state, error, startedAt, endedAt }: BuildStep): string | undefined {
  if (state === 'cached') return 'CACHED';
  if (state === 'canceled') return 'CANCELED';
  if (state === 'failed') return `ERROR: ${oneLine(error ?? l10n.t('failed'))}`;
  if (state !== 'done') return undefined;
  const isTimed = startedAt !== undefined && endedAt !== undefined;
  return isTimed ? `DONE ${formatDuration(endedAt - startedAt)}` : 'DONE';
}

/** Formats a request of the engine that was refused. */
export function formatRefusal({ kind, name }: BuildRefusal): string {
  const text = oneLine(name);
  if (kind === 'ssh') return l10n.t('Refused: the SSH agent is not allowed for this build.');
  return kind === 'secret'
    ? l10n.t('Refused: the secret {0} is not set for this build.', text)
    : l10n.t('Refused: the Dockerfile does not use the registry {0}.', text);
}
