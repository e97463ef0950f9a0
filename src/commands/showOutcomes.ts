import * as vscode from 'vscode';
import { isCancellation } from '../lifetime.ts';
import type { TargetCommand } from './command.ts';
import { errorActions, showError, showInfo, type MessageAction } from './notifications.ts';
import { errorMessage, failureMessage } from './errorMessages.ts';
import { formatName, formatReasons, formatMessages } from './displayText.ts';
import type { CommandTarget } from './targets.ts';

/**
 * One message at most, whatever happened to how many.
 *
 * @param help buttons for a failure.
 */
export async function showOutcomes<Args extends object, Result>(
  command: TargetCommand<Args, Result>,
  outcomes: readonly TargetOutcome<Result>[],
  help: readonly MessageAction[],
): Promise<void> {
  const failed = outcomes.flatMap((one) =>
    'error' in one && !isCancellation(one.error) ? [one] : [],
  );
  const [first] = failed;
  if (first) {
    showError(
      describeOutcomes(command, failed, outcomes.length),
      ...(failed.length === 1 ? errorActions(first.error, first.target.context) : []),
      ...help,
    );
    return;
  }
  const said = await Promise.all(
    outcomes.map(async (one) =>
      'result' in one ? command.say?.(one.result, one.target) : undefined,
    ),
  );
  const sentences = said.filter((sentence) => sentence !== undefined);
  if (sentences.length === 0) return;
  const [only] = outcomes.length === 1 ? outcomes : [];
  const offers = only && 'result' in only ? command.offers?.(only.result, only.target) : undefined;
  showInfo(formatMessages(sentences, vscode.l10n), ...(offers ?? []));
}

/** How a command ended on one of its targets. */
export type TargetOutcome<Result> =
  | { readonly target: CommandTarget; readonly result: Result }
  | { readonly target: CommandTarget; readonly error: unknown };

function describeOutcomes<Args extends object, Result>(
  command: TargetCommand<Args, Result>,
  failed: readonly { readonly target: CommandTarget; readonly error: unknown }[],
  count: number,
): string {
  const describe = (one: { readonly target: CommandTarget; readonly error: unknown }): string =>
    failureMessage(command.failureTitle(one.target.name), one.error, vscode.l10n);
  const [first] = failed;
  if (count === 1 && first) return describe(first);
  const each = failed.map(
    (one) => `${formatName(one.target.name)}: ${errorMessage(one.error, vscode.l10n)}`,
  );
  const why = formatReasons(each, vscode.l10n);
  return vscode.l10n.t('{0} of {1} failed. {2}', failed.length, count, why);
}
