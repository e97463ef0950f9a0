import * as vscode from 'vscode';
import { isConnectionFailure } from '../engine/errors.ts';
import { isCancellation, signalOf } from '../lifetime.ts';
import { isDisplayedWhole, displayText, displayTitle } from '../plainText.ts';
import { errorMessage, failureMessage, MessageError } from './errorMessages.ts';

/** Work that takes longer than this gets a notification, with a way to cancel it. */
const LATE_MS = 1000;

/** A button of a message, and what it does. */
export interface MessageAction {
  readonly title: string;
  readonly run: () => unknown;
}

/** Shows an error. Does not wait for it to be read. */
export function showError(message: string, ...actions: readonly MessageAction[]): void {
  follow(vscode.window.showErrorMessage(displayText(message), ...titles(actions)), actions);
}

/** Shows a message. Does not wait for it to be read. */
export function showInfo(message: string, ...actions: readonly MessageAction[]): void {
  follow(vscode.window.showInformationMessage(displayText(message), ...titles(actions)), actions);
}

/** Shows a warning. Does not wait for it to be read. */
export function showWarning(message: string, ...actions: readonly MessageAction[]): void {
  follow(vscode.window.showWarningMessage(displayText(message), ...titles(actions)), actions);
}

/** Asks before something is removed or replaced. True if the user agrees. */
export async function confirm(message: string, detail: string, button: string): Promise<boolean> {
  return (await choose(message, detail, [button])) === button;
}

/**
 * Asks with several buttons. Undefined if the user cancels.
 *
 * @throws MessageError if not all of it can be shown: nobody agrees to what they cannot read.
 */
export async function choose(
  message: string,
  detail: string,
  buttons: readonly string[],
): Promise<string | undefined> {
  if (!isDisplayedWhole(message) || !isDisplayedWhole(detail))
    throw new MessageError(vscode.l10n.t('The question is too long to show. Nothing was done.'));
  const options = { modal: true, detail: displayText(detail) };
  return vscode.window.showWarningMessage(displayText(message), options, ...buttons);
}

/** What the button Details of an error does. */
export interface ErrorDetails {
  /** Shows how each engine is connected, or why it is not. */
  readonly showDetails: () => void;
}

/** The button that helps with this failure, if there is one: how the engines were looked for. */
export function errorActions(
  error: unknown,
  { showDetails }: ErrorDetails,
): readonly MessageAction[] {
  if (!isConnectionFailure(error)) return [];
  return [{ title: vscode.l10n.t('Details'), run: showDetails }];
}

/**
 * Runs work for the user: an error is shown and not thrown; a cancellation is neither.
 *
 * @param failureTitle the beginning of the error; undefined if nothing has been tried yet.
 */
export async function withErrorMessage<T>(
  failureTitle: string | undefined,
  context: ErrorDetails,
  run: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (isCancellation(error)) return undefined;
    const { l10n } = vscode;
    const message =
      failureTitle === undefined
        ? errorMessage(error, l10n)
        : failureMessage(failureTitle, error, l10n);
    showError(message, ...errorActions(error, context));
    return undefined;
  }
}

/**
 * Runs work a person can cancel. A notification shows it, from the start or once it takes long.
 *
 * @param when `atOnce` or `late` (after a second).
 */
export async function withProgress<T>(
  title: string,
  when: 'atOnce' | 'late',
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const work = run(controller.signal);
  const show = (): void => {
    void vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: displayTitle(title),
        cancellable: true,
      },
      async (_progress, token) => {
        const follower = signalOf(token);
        follower.signal.addEventListener('abort', () => {
          controller.abort();
        });
        // How it ends is told by who asked for it.
        await work.catch(() => undefined);
        follower.dispose();
      },
    );
  };
  const timer = setTimeout(show, when === 'atOnce' ? 0 : LATE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

function titles(actions: readonly MessageAction[]): readonly string[] {
  return actions.map((action) => action.title);
}

function follow(answer: Thenable<string | undefined>, actions: readonly MessageAction[]): void {
  void answer
    .then((title) => actions.find((action) => action.title === title)?.run())
    .then(undefined, (error: unknown) => {
      if (!isCancellation(error)) showError(errorMessage(error, vscode.l10n));
    });
}
