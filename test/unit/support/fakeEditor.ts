/**
 * A stand-in for `vscode`: importing this file allows importing commands that need `vscode`. They must be
 * imported afterwards, with `await import(…)`. It shows nothing, records what would be shown, and answers
 * from a script.
 */

import { registerHooks } from 'node:module';
import type { QuickPickItem } from 'vscode';
import { log, script, type Shown } from './fakeVscode.ts';

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vscode'
      ? { url: import.meta.resolve('./fakeVscode.ts'), shortCircuit: true }
      : next(specifier, context),
});

/** The reaction of the user to an input. Undefined cancels it. */
export type Answer = (shown: Shown) => unknown;

/** Presses Enter: accepts the active item or the typed text. */
export const ENTER: Answer = ({ value, active }) => active ?? value;

/** Cancels the input. */
export const ESCAPE: Answer = () => undefined;

/** Picks the item with this label. */
export function pick(label: string): Answer {
  return ({ items = [] }) => {
    const found = items.find((item: QuickPickItem) => item.label === label);
    if (!found) throw new Error(`no ${label} among ${items.map((item) => item.label).join()}`);
    return found;
  };
}

/** Types a text, presses a button, or selects a file. */
export function give(value: unknown): Answer {
  return () => value;
}

/** Sets the reactions to the next inputs, in order. Further inputs are canceled. */
export function act(...answers: readonly Answer[]): void {
  script.splice(0, script.length, ...answers);
  log.length = 0;
}

/** Returns everything shown since the last {@link act}, in order. */
export function shown(): readonly Shown[] {
  return log;
}
