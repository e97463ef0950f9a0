/**
 * Forms with more fields than steps: an overview to come back to, and small steps that ask for one value
 * each. Escape goes from a step back to the overview, and from the overview it cancels.
 */

import * as l10n from '@vscode/l10n';
import type { PickItem, StepTitle, Ui } from './ui.ts';

/** The content of the overview, computed each time it is shown. */
export interface Form<Result> {
  readonly actions: readonly FormAction<Result>[];
  readonly rows: readonly FormRow[];
  /** Why the form cannot be completed yet, as a sentence. */
  readonly problem: string | undefined;
  /** The row that fixes the problem. Picking an action opens it as long as the problem exists. */
  readonly remedy?: FormRow;
  /** A warning that does not keep the user from completing the form. */
  readonly warning?: string;
}

/** A row of the overview that asks for a value or toggles it. */
export interface FormRow {
  readonly label: string;
  /** The current value. */
  readonly value: string;
  readonly icon?: string;
  /** The heading above the row, if it is the first of a group. */
  readonly heading?: string;
  /** Asks for the value and stores it. */
  readonly edit: () => Promise<void> | void;
}

/** A row of the overview that completes the form. */
export interface FormAction<Result> {
  readonly label: string;
  readonly icon: string;
  readonly result: Result;
}

interface FormItem<Result> extends PickItem {
  readonly end?: FormAction<Result>;
  readonly row?: FormRow;
}

/** Shows the overview until an action is picked. Resolves to its result, or to undefined if the user cancels. */
export async function showForm<Result>(
  ui: Ui,
  title: StepTitle,
  overview: () => Form<Result>,
): Promise<Result | undefined> {
  let last: string | undefined;
  for (;;) {
    const now = overview();
    const picked = await ui.pick({
      ...title,
      isStep: true,
      matchOnDescription: true,
      placeholder: l10n.t('Select an option to change, or continue'),
      items: formItems(now),
      activeItem: (items) => items.find(({ label }) => label === last),
    });
    if (!picked) return undefined;
    if (picked.end && now.problem === undefined) return picked.end.result;
    last = picked.label;
    await (picked.row ?? now.remedy)?.edit();
  }
}

function formItems<Result>({
  actions,
  rows,
  problem,
  warning,
}: Form<Result>): readonly FormItem<Result>[] {
  const ends = actions.map((end, index) => ({
    label: end.label,
    icon: problem === undefined ? end.icon : 'circle-slash',
    detail: index === 0 ? (problem ?? warning) : undefined,
    detailIcon: problem === undefined ? 'warning' : 'error',
    // Not shown for a typed text that it does not match: Enter would complete the form without that text.
    end,
  }));
  const fields = rows.map((row, index) => ({
    label: row.label,
    description: row.value,
    // Without an icon, the label would not align with those of rows that have one.
    icon: row.icon ?? 'blank',
    heading: row.heading ?? (index === 0 ? '' : undefined),
    row,
  }));
  return [...ends, ...fields];
}

/** One of several values. */
export interface StepChoice<Value> {
  readonly label: string;
  readonly detail?: string;
  readonly value: Value;
}

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
