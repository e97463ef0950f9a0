import * as l10n from '@vscode/l10n';
import { InputError, isConnectionFailure, RestrictedModeError } from '../../engine/errors.ts';
import { isCancellation } from '../../base/lifetime.ts';
import { errorMessage, failureMessage } from './errorMessage.ts';
import type { MessageAction, Ui } from './ui.ts';

/**
 * Runs work for the user. Shows an error instead of throwing it; a cancellation is neither shown nor thrown.
 *
 * @param failureTitle the beginning of the message; undefined if nothing has been tried yet.
 */
export async function withErrorMessage<T>(
  failureTitle: string | undefined,
  details: ErrorDetails,
  run: () => T | Promise<T>,
): Promise<T | undefined> {
  const { ui } = details;
  try {
    return await run();
  } catch (error) {
    if (isCancellation(error)) return undefined;
    const message =
      failureTitle === undefined ? errorMessage(error) : failureMessage(failureTitle, error);
    ui.error(message, ...errorActions(error, details));
    return undefined;
  }
}

/** Dependencies for showing an error. */
export interface ErrorDetails {
  readonly ui: Ui;
  /** Shows how each engine is connected, or why it is not. The action of the Details button. */
  readonly showDetails: () => void;
}

/**
 * Returns the Details button for connection failures, which shows how the engines were looked for, and the one to trust
 * the workspace for what Restricted Mode refuses.
 */
export function errorActions(
  error: unknown,
  { ui, showDetails }: ErrorDetails,
): readonly MessageAction[] {
  const cause = error instanceof InputError ? (error.cause ?? error) : error;
  if (cause instanceof RestrictedModeError) {
    const run = (): void => ui.manageTrust();
    return [{ title: l10n.t('Manage Trust'), run }];
  }
  if (!isConnectionFailure(error)) return [];
  return [{ title: l10n.t('Details'), run: showDetails }];
}
