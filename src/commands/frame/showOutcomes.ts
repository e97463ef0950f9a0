import * as l10n from '@vscode/l10n';
import { isCancellation } from '../../base/lifetime.ts';
import type { TargetCommand } from './command.ts';
import { errorActions } from '../ui/withErrorMessage.ts';
import type { MessageAction, Ui } from '../ui/ui.ts';
import { errorMessage, failureMessage } from '../ui/errorMessage.ts';
import { formatName, formatReasons, formatMessages } from '../ui/formatNames.ts';
import type { CommandTarget } from './targets.ts';

/**
 * Shows at most one message, whatever the number of targets and outcomes.
 *
 * @param help buttons for an error message.
 */
export async function showOutcomes(
  ui: Ui,
  command: TargetCommand,
  outcomes: readonly TargetOutcome[],
  help: readonly MessageAction[],
): Promise<void> {
  if (showFailures(ui, command.failureTitle, outcomes, help)) return;
  const messages = await Promise.all(
    outcomes.map(async (one) =>
      'result' in one ? command.message?.(one.result, one.target) : undefined,
    ),
  );
  const sentences = messages.filter((sentence) => sentence !== undefined);
  if (sentences.length === 0) return;
  const [only] = outcomes.length === 1 ? outcomes : [];
  const offers = only && 'result' in only ? command.offers?.(only.result, only.target) : undefined;
  ui.info(formatMessages(sentences), ...(offers ?? []));
}

/**
 * Shows in one message which targets a command failed on. Returns false if it failed on none; a cancellation is not a
 * failure.
 */
export function showFailures(
  ui: Ui,
  failureTitle: TargetCommand['failureTitle'],
  outcomes: readonly TargetOutcome[],
  help: readonly MessageAction[] = [],
): boolean {
  const failed = outcomes.flatMap((one) =>
    'error' in one && !isCancellation(one.error) ? [one] : [],
  );
  const [first] = failed;
  if (!first) return false;
  ui.error(
    describeFailures(failureTitle, failed, outcomes.length),
    ...(failed.length === 1 ? errorActions(first.error, first.target.context) : []),
    ...help,
  );
  return true;
}

/** The outcome of a command on one of its targets. */
export type TargetOutcome<Result = unknown> = Done<Result> | Failed;

/** Result of a command on one of its targets. */
interface Done<Result> {
  readonly target: CommandTarget;
  readonly result: Result;
}

interface Failed {
  readonly target: CommandTarget;
  readonly error: unknown;
}

/** Resolves to the outcome of work on a target, also if it fails. */
export async function targetOutcome<Result>(
  target: CommandTarget,
  work: Promise<Result>,
): Promise<TargetOutcome<Result>> {
  try {
    return { target, result: await work };
  } catch (error) {
    return { target, error };
  }
}

function describeFailures(
  failureTitle: TargetCommand['failureTitle'],
  failed: readonly Failed[],
  count: number,
): string {
  const [first] = failed;
  if (count === 1 && first) return failureMessage(failureTitle(first.target.name), first.error);
  const each = failed.map(
    ({ target, error }) => `${formatName(target.name)}: ${errorMessage(error)}`,
  );
  return l10n.t('{0} of {1} failed. {2}', failed.length, count, formatReasons(each));
}
