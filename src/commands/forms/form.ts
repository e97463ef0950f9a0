/**
 * The mechanics of forms that have more fields than steps: one overview to come back to, and small steps that
 * ask for one thing each. Escape leaves a step for the overview, and the overview for good.
 */

import * as vscode from 'vscode';

import { DisposableStore, type Disposable } from '../../lifetime.ts';
import { displayText, displayTitle } from '../../plainText.ts';
import { formatItemText, formatItem } from '../displayText.ts';

/** What the overview shows; asked for anew each time it is shown. */
export interface Form<Result> {
  readonly actions: readonly FormAction<Result>[];
  readonly rows: readonly FormRow[];
  /** Why the form cannot end yet, as a sentence. */
  readonly problem: string | undefined;
  /** The row that solves the problem; an end that is picked nevertheless opens it. */
  readonly remedy?: FormRow | undefined;
  /** What is to be known before it ends, and hinders nothing. */
  readonly warning?: string | undefined;
}

/** Where a step belongs, for its title bar. */
export interface StepTitle {
  readonly title: string;
  readonly step?: number;
  readonly totalSteps?: number;
}

/** A line of the overview that asks for one thing, or flips it. */
export interface FormRow {
  readonly label: string;
  /** The value it has now. */
  readonly value: string;
  readonly icon?: string;
  /** Stands above it, where it is the first of a group. */
  readonly heading?: string;
  /** Asks, and keeps what is answered. */
  readonly edit: () => Promise<void> | void;
}

/** A line of the overview that ends the form. */
export interface FormAction<Result> {
  readonly label: string;
  readonly icon: string;
  readonly result: Result;
}

interface FormItem<Result> extends vscode.QuickPickItem {
  readonly end?: FormAction<Result>;
  readonly row?: FormRow;
}

/** Shows the overview until one of its ends is picked. Resolves to what that end stands for, or undefined. */
export async function showForm<Result>(
  place: StepTitle,
  overview: () => Form<Result>,
): Promise<Result | undefined> {
  let last: string | undefined;
  for (;;) {
    const now = overview();
    const picked = await pickFrom(place, formItems(now), last);
    if (!picked) return undefined;
    if (picked.end && now.problem === undefined) return picked.end.result;
    last = picked.label;
    await (picked.row ?? now.remedy)?.edit();
  }
}

function formItems<Result>(overview: Form<Result>): FormItem<Result>[] {
  const { actions, rows, problem } = overview;
  const [first] = actions;
  const detail = detailOf(overview);
  return [
    ...actions.map((end) => ({
      label: end.label,
      iconPath: new vscode.ThemeIcon(problem === undefined ? end.icon : 'circle-slash'),
      ...(detail !== undefined && end === first && { detail }),
      alwaysShow: true,
      end,
    })),
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    ...rows.flatMap((row) => [
      ...(row.heading === undefined ? [] : [separator(row.heading)]),
      {
        label: row.label,
        description: formatItemText(row.value),
        // Without one its label would not stand below those of the rows that have one.
        iconPath: new vscode.ThemeIcon(row.icon ?? 'blank'),
        row,
      },
    ]),
  ];
}

function detailOf<Result>({ problem, warning }: Form<Result>): string | undefined {
  if (problem !== undefined) return `$(error) ${formatItemText(problem)}`;
  return warning === undefined ? undefined : `$(warning) ${formatItemText(warning)}`;
}

function separator(label: string): vscode.QuickPickItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

async function pickFrom<Item extends vscode.QuickPickItem>(
  place: StepTitle,
  items: readonly Item[],
  last: string | undefined,
): Promise<Item | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  applyStepTitle(pick, place);
  pick.matchOnDescription = true;
  pick.placeholder = vscode.l10n.t('Pick what to change, or go ahead');
  pick.items = items;
  activate(pick, (item) => item.label === last);
  return showAndWait(pick, (done) => onPick(pick, done));
}

/** Makes the item that fits the active one. Without one the first stays active: an empty list would leave none. */
function activate<Item extends vscode.QuickPickItem>(
  pick: vscode.QuickPick<Item>,
  fits: (item: Item) => boolean,
): void {
  const active = pick.items.find(fits);
  if (active) pick.activeItems = [active];
}

/** Calls `done` with the picked item. Enter while no item is active picks nothing. */
export function onPick<Item extends vscode.QuickPickItem>(
  pick: vscode.QuickPick<Item>,
  done: (item: Item) => void,
): Disposable {
  return pick.onDidAccept(() => {
    const [item] = pick.selectedItems;
    if (item) done(item);
  });
}

/** What a step for one text asks. */
export interface TextQuestion {
  readonly prompt: string;
  readonly placeholder?: string;
  readonly value?: string;
  /** Whether nobody is to read it over the person's shoulder. */
  readonly isSecret?: true;
  /** Marks part of the value, to be typed over. */
  readonly selection?: readonly [number, number];
  /** What is wrong with a text, as a sentence. */
  readonly problem: (text: string) => string | undefined;
  /** What is to be thought of before a text is taken that is not wrong. */
  readonly warning?: ((text: string) => string | undefined) | undefined;
}

/** Asks for one text; says what is wrong with it while it is typed. Undefined where the person leaves. */
export async function askText(
  place: StepTitle,
  question: TextQuestion,
): Promise<string | undefined> {
  const box = vscode.window.createInputBox();
  applyStepTitle(box, place);
  box.buttons = [vscode.QuickInputButtons.Back];
  box.prompt = displayText(question.prompt);
  box.placeholder = question.placeholder;
  box.password = question.isSecret ?? false;
  box.value = question.value ?? '';
  if (question.selection) box.valueSelection = question.selection;
  const check = (): string | undefined => {
    const problem = question.problem(box.value);
    box.validationMessage = problem ?? warningOf(question, box.value);
    return problem;
  };
  return showAndWait(box, (done) => {
    const subscriptions = new DisposableStore();
    subscriptions.add(box.onDidChangeValue(check));
    subscriptions.add(
      box.onDidTriggerButton(() => {
        done(undefined);
      }),
    );
    subscriptions.add(
      box.onDidAccept(() => {
        if (check() === undefined) done(box.value);
      }),
    );
    return subscriptions;
  });
}

function warningOf(
  { warning }: TextQuestion,
  text: string,
): vscode.InputBoxValidationMessage | undefined {
  const words = warning?.(text);
  if (words === undefined) return undefined;
  return { message: displayText(words), severity: vscode.InputBoxValidationSeverity.Warning };
}

/** One of several values. */
export interface StepChoice<Value> {
  readonly label: string;
  readonly detail?: string;
  readonly value: Value;
}

/** Asks for one of several values, the present one marked. Undefined where the person leaves. */
export async function askChoice<Value>(
  place: StepTitle,
  placeholder: string,
  choices: readonly StepChoice<Value>[],
  isCurrent: (value: Value) => boolean,
): Promise<{ readonly value: Value } | undefined> {
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly value: Value }>();
  applyStepTitle(pick, place);
  pick.buttons = [vscode.QuickInputButtons.Back];
  pick.placeholder = placeholder;
  pick.items = choices.map((choice) => ({
    ...formatItem(choice),
    ...(isCurrent(choice.value) && { description: vscode.l10n.t('now') }),
  }));
  activate(pick, (item) => isCurrent(item.value));
  return showAndWait(pick, (done) => {
    const subscriptions = new DisposableStore();
    subscriptions.add(
      pick.onDidTriggerButton(() => {
        done(undefined);
      }),
    );
    subscriptions.add(onPick(pick, done));
    return subscriptions;
  });
}

/** The settings every step shares: a click elsewhere, or a window that comes forward, loses nothing. */
export function applyStepTitle(input: vscode.QuickInput, place: StepTitle): void {
  input.ignoreFocusOut = true;
  input.title = displayTitle(place.title);
  input.step = place.step;
  input.totalSteps = place.totalSteps;
}

/**
 * Shows `input` until it is answered or left.
 *
 * @param listen subscribes to the input and calls `done` with the answer.
 */
export function showAndWait<Value>(
  input: vscode.QuickInput,
  listen: (done: (value: Value | undefined) => void) => Disposable,
): Promise<Value | undefined> {
  return new Promise((resolve) => {
    const subscriptions = new DisposableStore();
    const done = (value: Value | undefined): void => {
      resolve(value);
      subscriptions.dispose();
    };
    subscriptions.add(input);
    subscriptions.add(listen(done));
    // Escape; and also our own disposal, when the answer stands already.
    subscriptions.add(
      input.onDidHide(() => {
        done(undefined);
      }),
    );
    input.show();
  });
}
