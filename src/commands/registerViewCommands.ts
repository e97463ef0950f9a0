import * as vscode from 'vscode';
import type { EngineUnit } from '../engines/engineUnit.ts';
import type { Engines } from '../engines/engines.ts';
import { isConnectionFailure, type EngineError } from '../engine/errors.ts';
import { settings } from '../settings.ts';
import { displayText } from '../plainText.ts';
import type { ErrorDetails } from './notifications.ts';
import type { CommandRegistry } from './commandRegistry.ts';
import { errorMessage } from './errorMessages.ts';
import { formatLines, formatReason } from './displayText.ts';

const { l10n } = vscode;

/** Registers the commands of the views themselves: refresh, retry, filter, details. */
export function registerViewCommands(
  registry: CommandRegistry,
  engines: Engines,
  showDetails: ErrorDetails['showDetails'],
): void {
  const renew = (): void => {
    for (const unit of engines.all) unit.retry();
  };
  registry.simple('gantry.refresh', renew);
  registry.simple('gantry.retry', renew);
  registry.simple('gantry.containers.hideStopped', () => settings.setHideStopped(true));
  registry.simple('gantry.containers.showStopped', () => settings.setHideStopped(false));
  // Shown, not waited for: whoever calls it goes on at once.
  registry.simple('gantry.showDetails', showDetails);
}

/** Shows how each engine is connected, or what was looked at and why it would not do. */
export async function showEngineDetails(
  engines: Engines,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const told = await Promise.all(
    engines.all.map(async (unit) => {
      // Before a view was seen nobody has looked for an engine yet.
      const lines = describeConnection(unit, await failureOf(unit));
      return engines.areSeveral ? lines.map((line) => `${unit.name}: ${line}`) : lines;
    }),
  );
  const [message = '', ...lines] = told.flat();
  const openLog = l10n.t('Open Log');
  const copy = l10n.t('Copy');
  // Any number of Docker contexts and engines may have been looked at; Copy gives all of them.
  const answer = await vscode.window.showInformationMessage(
    displayText(formatReason(message)),
    { modal: true, detail: displayText(formatLines(lines, l10n)) },
    openLog,
    copy,
  );
  if (answer === openLog) log.show();
  if (answer === copy) await vscode.env.clipboard.writeText([message, ...lines].join('\n'));
}

async function failureOf({ engine, inventory }: EngineUnit): Promise<unknown> {
  if (inventory.phase.kind !== 'idle') return undefined;
  return engine.check().then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** What is talked to, or what was looked at and why it would not do; the first line says it in short. */
function describeConnection(
  { engine, inventory }: EngineUnit,
  failure: unknown,
): readonly string[] {
  const { phase } = inventory;
  if (phase.kind === 'live') {
    const { product, version = '', engineApi, api } = phase.info;
    return [
      l10n.t('Connected to {0} {1}', product, version),
      l10n.t('Address: {0}', engine.endpoint?.url ?? ''),
      l10n.t('The engine speaks API {0}, Gantry uses {1}.', engineApi, api),
    ];
  }
  if (phase.kind === 'off') return [l10n.t('You disconnected this engine.')];
  const error = phase.kind === 'lost' ? phase.error : failure;
  return [
    error ? errorMessage(error, l10n) : l10n.t('Not connected yet'),
    hostLine(),
    ...attemptLines(engine.attempts, error),
  ];
}

/** In a remote window it is not the person's own computer that is looked at. */
function hostLine(): string {
  const remote = vscode.env.remoteName;
  return remote === undefined
    ? l10n.t('Looked at on this computer:')
    : l10n.t('Looked at on the machine this window is connected to ({0}):', remote);
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
  return l10n.t('{0}: {1}', address, error.engineMessage ?? errorMessage(error, l10n));
}
