import * as l10n from '@vscode/l10n';
import { memoryLimitOf } from '../../engine/containers/containerDetails.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { readProbes } from '../../engine/facts/readProbes.ts';
import { asRecord } from '../../engine/wire/wire.ts';
import type { ContainerFailure } from '../../inventory/runs/containerFailures.ts';
import { oneLine } from '../../base/plainText.ts';
import { formatLimit } from '../../views/formatMeasure.ts';
import { showLog } from '../logs/logsCommand.ts';
import type { CommandContext } from '../frame/commandContext.ts';

/** Notifies the user of what went wrong with a container. */
export async function notifyOfFailure(
  failure: ContainerFailure,
  context: CommandContext,
): Promise<void> {
  const { id, name } = failure;
  const message = await messageOf(failure, context);
  context.ui.warn(
    message,
    {
      title: l10n.t('Show Details'),
      run: () => context.openDetails({ kind: 'container', id, name }),
    },
    { title: l10n.t('Show Logs'), run: () => showLog({ id, name }, context) },
  );
}

async function messageOf(failure: ContainerFailure, context: CommandContext): Promise<string> {
  const title = context.titleOf(failure.name);
  switch (failure.kind) {
    case 'exited':
      return l10n.t('{0} exited unexpectedly with code {1}.', title, failure.exitCode);
    case 'outOfMemory':
      return failure.limitBytes === undefined
        ? l10n.t('{0} ran out of memory and was killed.', title)
        : l10n.t(
            '{0} exceeded its memory limit of {1} and was killed.',
            title,
            formatLimit(failure.limitBytes),
          );
    case 'crashLoop': {
      const { count, exitCode } = failure;
      return l10n.t(
        '{0} keeps crashing: {1} exits, the last with code {2}.',
        title,
        count,
        exitCode,
      );
    }
    case 'processKilled':
      return killedMessage(title, await limitOf(failure.id, context));
    case 'unhealthy':
      return unhealthyMessage(title, await failedProbeOutput(failure.id, context));
  }
}

function unhealthyMessage(title: string, output: string): string {
  return output === ''
    ? l10n.t('{0} is unhealthy.', title)
    : l10n.t('{0} is unhealthy. Its health check: {1}', title, output);
}

function killedMessage(title: string, limitBytes: number | undefined): string {
  return limitBytes === undefined
    ? l10n.t('A process in {0} was killed: out of memory.', title)
    : l10n.t(
        'A process in {0} was killed: out of memory at the limit of {1}.',
        title,
        formatLimit(limitBytes),
      );
}

/** Returns the memory limit; undefined if there is none, or it cannot be read. */
async function limitOf(id: string, { engine }: CommandContext): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS);
    return memoryLimitOf(await inspectContainer(await engine.connect(signal), id, signal));
  } catch {
    return undefined;
  }
}

/** Returns the output of the last failed probe as one line; empty if there is none, or it cannot be read. */
async function failedProbeOutput(id: string, { engine }: CommandContext): Promise<string> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS);
    const { raw } = await inspectContainer(await engine.connect(signal), id, signal);
    const { probes } = readProbes(asRecord(asRecord(raw)['State']));
    const failed = probes.findLast(({ exitCode }) => exitCode !== 0);
    return oneLine(failed?.output ?? '', OUTPUT_LENGTH);
  } catch {
    return '';
  }
}

/** Milliseconds to wait for the probe or the limit: what has happened matters more. */
const PROBE_MS = 2000;
/** Maximum length that a VS Code notification shows without folding it. */
const OUTPUT_LENGTH = 120;
