/**
 * A stand-in for the editor: importing this file lets commands be imported that need `vscode`. They must be
 * imported afterwards: `await import(…)`. It shows nothing, keeps what it was to show, and answers as it is told.
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

/** What the user does at one input: undefined leaves it. */
export type Answer = (shown: Shown) => unknown;

/** Presses Enter: takes what is active or typed. */
export const ENTER: Answer = ({ value, active }) => active ?? value;

/** Leaves the input. */
export const ESCAPE: Answer = () => undefined;

/** Picks the item with this label. */
export function pick(label: string): Answer {
  return ({ items = [] }) => {
    const found = items.find((item: QuickPickItem) => item.label === label);
    if (!found) throw new Error(`no ${label} among ${items.map((item) => item.label).join()}`);
    return found;
  };
}

/** Types a text, picks a button or chooses a file. */
export function give(value: unknown): Answer {
  return () => value;
}

/** Sets what the user does at the inputs to come, in order. At more inputs than that they leave. */
export function act(...answers: readonly Answer[]): void {
  script.splice(0, script.length, ...answers);
  log.length = 0;
}

/** All that was shown since the last {@link act}, in order. */
export function shown(): readonly Shown[] {
  return log;
}
