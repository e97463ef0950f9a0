import * as l10n from '@vscode/l10n';
import type { EngineUnit } from '../../engines/engineUnit.ts';
import type { Engines } from '../../engines/engines.ts';
import { isConnectionFailure, type EngineError } from '../../engine/errors.ts';
import type { ErrorDetails } from '../ui/withErrorMessage.ts';
import { editorCommands, type Command } from '../frame/command.ts';
import { errorMessage } from '../ui/errorMessage.ts';
import { formatLines, formatReason } from '../ui/formatNames.ts';
import type { Ui } from '../ui/ui.ts';

/** The commands that ask all engines again, and show how each is connected. */
export function viewCommands({ showDetails }: ErrorDetails, engines: Engines): readonly Command[] {
  const renew = (): void => {
    for (const unit of engines.all) unit.retry();
  };
  return editorCommands({
    'gantry.refresh': renew,
    'gantry.retry': renew,
    // Not awaited: the command ends before the user answers.
    'gantry.showDetails': showDetails,
  });
}

/** Shows how each engine is connected, or which addresses were tried and why each failed. */
export async function showEngineDetails(
  ui: Ui,
  engines: Engines,
  log: { show(): void },
): Promise<void> {
  const described = await Promise.all(
    engines.all.map(async (unit) => {
      // No engine was looked for before a view was visible.
      const lines = describeConnection(ui, unit, await failureOf(unit));
      return engines.areSeveral ? lines.map((line) => `${unit.name}: ${line}`) : lines;
    }),
  );
  const [message = '', ...lines] = described.flat();
  const openLog = l10n.t('Open Log');
  const copy = l10n.t('Copy');
  // There may be any number of Docker contexts and engines. Copy copies the whole text.
  const answer = await ui.message(formatReason(message), formatLines(lines), [openLog, copy]);
  if (answer === openLog) log.show();
  if (answer === copy) await ui.copy([message, ...lines].join('\n'));
}

async function failureOf({ engine, inventory }: EngineUnit): Promise<unknown> {
  if (inventory.phase.kind !== 'idle') return undefined;
  return engine.check().then(
    () => undefined,
    (error: unknown) => error,
  );
}

/**
 * Describes the connection, or the addresses that were tried and why each failed. The first line is the
 * summary.
 */
function describeConnection(
  ui: Ui,
  { engine, inventory }: EngineUnit,
  failure: unknown,
): readonly string[] {
  const { phase } = inventory;
  if (phase.kind === 'live') {
    const { product, version = '', engineApi, api } = phase.info;
    return [
      l10n.t('Connected to {0} {1}', product, version),
      l10n.t('Address: {0}', engine.endpoint?.url ?? ''),
      l10n.t('Engine API version {0}; Gantry uses {1}.', engineApi, api),
    ];
  }
  if (phase.kind === 'off') return [l10n.t('Disconnected from this engine.')];
  const error = phase.kind === 'lost' ? phase.error : failure;
  return [
    error ? errorMessage(error) : l10n.t('Not connected yet'),
    hostLine(ui),
    ...attemptLines(engine.attempts, error),
  ];
}

/** In a remote window, the remote machine was checked, not the local one. */
function hostLine(ui: Ui): string {
  const remote = ui.remoteName;
  return remote === undefined
    ? l10n.t('Checked on the local machine:')
    : l10n.t('Checked on the remote machine ({0}):', remote);
}

function attemptLines(
  attempts: EngineUnit['engine']['attempts'],
  error: unknown,
): readonly string[] {
  const tried = attempts.map(({ candidate, error: why }) =>
    attemptLine(candidate.endpoint?.url ?? candidate.name, why),
  );
  if (tried.length > 0 || !isConnectionFailure(error)) return tried;
  return [attemptLine(error.endpoint ?? '', error)];
}

function attemptLine(address: string, error: EngineError): string {
  return l10n.t('{0}: {1}', address, error.engineMessage ?? errorMessage(error));
}
