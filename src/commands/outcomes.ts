import * as vscode from 'vscode';
import { isCancellation } from '../lifetime.ts';
import type { TargetCommand } from './command.ts';
import { helpFor, showError, showInfo, type Action } from './person.ts';
import { describeError, describeFailure } from './sentences.ts';
import { shownName, shownReasons, shownSentences } from './shown.ts';
import type { Target } from './targets.ts';

/** How a command ended on one of its targets. */
export type Outcome<Result> =
  | { readonly target: Target; readonly result: Result }
  | { readonly target: Target; readonly error: unknown };

/**
 * One message at most, whatever happened to how many.
 *
 * @param help buttons for a failure.
 */
export async function tellOutcomes<Args extends object, Result>(
  command: TargetCommand<Args, Result>,
  outcomes: readonly Outcome<Result>[],
  help: readonly Action[],
): Promise<void> {
  const failed = outcomes.flatMap((one) =>
    'error' in one && !isCancellation(one.error) ? [one] : [],
  );
  const [first] = failed;
  if (first) {
    showError(
      describeOutcomes(command, failed, outcomes.length),
      ...(failed.length === 1 ? helpFor(first.error) : []),
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
  showInfo(shownSentences(sentences, vscode.l10n), ...(offers ?? []));
}

function describeOutcomes<Args extends object, Result>(
  command: TargetCommand<Args, Result>,
  failed: readonly { readonly target: Target; readonly error: unknown }[],
  count: number,
): string {
  const describe = (one: { readonly target: Target; readonly error: unknown }): string =>
    describeFailure(command.failing(one.target.name), one.error, vscode.l10n);
  const [first] = failed;
  if (count === 1 && first) return describe(first);
  const each = failed.map(
    (one) => `${shownName(one.target.name)}: ${describeError(one.error, vscode.l10n)}`,
  );
  const why = shownReasons(each, vscode.l10n);
  return vscode.l10n.t('{0} of {1} failed. {2}', failed.length, count, why);
}
