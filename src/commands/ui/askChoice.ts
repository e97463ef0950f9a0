import * as l10n from '@vscode/l10n';
import type { StepTitle, Ui } from './ui.ts';

/** Asks for one of several values and marks the current one. Resolves to undefined if the user cancels. */
export async function askChoice<Value>(
  ui: Ui,
  title: StepTitle,
  placeholder: string,
  choices: readonly StepChoice<Value>[],
  isCurrent: (value: Value) => boolean,
): Promise<{ readonly value: Value } | undefined> {
  return ui.pick({
    ...title,
    isStep: true,
    canGoBack: true,
    placeholder,
    items: choices.map((choice) => ({
      ...choice,
      description: isCurrent(choice.value) ? l10n.t('current') : undefined,
    })),
    activeItem: (items) => items.find(({ value }) => isCurrent(value)),
  });
}

/** One of several values. */
export interface StepChoice<Value> {
  readonly label: string;
  readonly detail?: string;
  /** The label of the separator above it. */
  readonly heading?: string;
  readonly value: Value;
}
