/**
 * Forms with more fields than steps: an overview to come back to, and small steps that ask for one value
 * each. Escape goes from a step back to the overview, and from the overview it cancels.
 */

import * as l10n from '@vscode/l10n';
import { drawFormRow } from './drawFormRow.ts';
import type { FormRow } from './formRows.ts';
import type { PickItem, StepTitle, Ui } from './ui.ts';

/** A form that edits a draft. */
export interface Form<Draft, Action> {
  readonly title: StepTitle;
  /** Whether the title of a step names its row. */
  readonly namesRows?: true;
  /** The initial values. */
  readonly draft: Draft;
  /** The rows that complete the form. */
  readonly actions: readonly FormAction<Action>[];
  /** Returns the rest of the overview; called each time it is shown. */
  readonly overview: (draft: Draft) => Overview<Draft>;
}

/** A row of the overview that completes the form. */
export interface FormAction<Action> {
  readonly action: Action;
  readonly label: string;
  readonly icon: string;
}

/** The rows of a form, and what is wrong with the draft. */
export interface Overview<Draft> {
  readonly rows: readonly FormRow<Draft>[];
  /** Why the form cannot be completed yet, as a sentence. */
  readonly problem?: string | undefined;
  /** The row that fixes the problem. Picking an action opens it as long as the problem exists. */
  readonly remedy?: FormRow<Draft> | undefined;
  /** A warning that does not keep the user from completing the form. */
  readonly warning?: string | undefined;
}

/** Shows the overview until an action is picked. Resolves to undefined if the user cancels. */
export async function showForm<Draft, Action>(
  ui: Ui,
  { title, namesRows, actions, overview, ...form }: Form<Draft, Action>,
): Promise<{ readonly draft: Draft; readonly action: Action } | undefined> {
  let { draft } = form;
  let last: string | undefined;
  for (;;) {
    const now = overview(draft);
    const picked = await ui.pick<FormItem<Draft, Action>>({
      ...title,
      isStep: true,
      matchOnDescription: true,
      placeholder: l10n.t('Select an option to change, or continue'),
      items: [...actionItems(actions, now), ...rowItems(now.rows, draft)],
      activeItem: (items) => items.find(({ label }) => label === last),
    });
    if (!picked) return undefined;
    if (picked.end && now.problem === undefined) return { draft, action: picked.end.action };
    last = picked.label;
    const row = picked.row ?? now.remedy;
    if (!row) continue;
    const step = namesRows ? l10n.t('{0}: {1}', title.title, row.label) : title.title;
    draft = { ...draft, ...(await drawFormRow(row, draft).edit({ title: step }, ui)) };
  }
}

interface FormItem<Draft, Action> extends PickItem {
  readonly end?: FormAction<Action>;
  readonly row?: FormRow<Draft>;
}

function actionItems<Draft, Action>(
  actions: readonly FormAction<Action>[],
  { problem, warning }: Overview<Draft>,
): readonly FormItem<Draft, Action>[] {
  return actions.map((end, index) => ({
    label: end.label,
    icon: problem === undefined ? end.icon : 'circle-slash',
    detail: index === 0 ? (problem ?? warning) : undefined,
    detailIcon: problem === undefined ? 'warning' : 'error',
    // Not shown for a typed text that it does not match: Enter would complete the form without that text.
    end,
  }));
}

function rowItems<Draft>(
  rows: readonly FormRow<Draft>[],
  draft: Draft,
): readonly FormItem<Draft, never>[] {
  return rows.map((row, index) => {
    const { value, icon } = drawFormRow(row, draft);
    return {
      label: row.label,
      description: value,
      // Without an icon, the label would not align with those of rows that have one.
      icon: icon ?? 'blank',
      heading: row.heading ?? (index === 0 ? '' : undefined),
      row,
    };
  });
}
