/** The step that asks for any number of texts: type and Enter adds one, picking one changes it. */

import * as vscode from 'vscode';

import { DisposableStore } from '../../lifetime.ts';
import { showAndWait, askText, applyStepTitle, type StepTitle } from './form.ts';
import { formatItemText, formatItem } from '../displayText.ts';

/** Asks until the person is done or leaves; what was entered until then is kept either way. */
export async function editList(
  place: StepTitle,
  question: ListQuestion,
): Promise<readonly string[]> {
  let entries = question.entries;
  for (;;) {
    const act = await askOnce(place, { ...question, entries }, (next) => {
      entries = next;
    });
    if (act?.kind === 'add') {
      entries = [...entries, act.entry];
    } else if (act?.kind === 'edit') {
      const last = entries.length;
      entries = await changed(place, question, [...entries, act.entry], last, entries);
    } else if (act?.kind === 'change') {
      entries = await changed(place, question, entries, act.index);
    } else {
      return entries;
    }
  }
}

/** An entry that is not there yet and could be. */
export interface ListOffer {
  readonly label: string;
  readonly description: string;
  readonly entry: string;
  /** Whether it is changed before it is added. */
  readonly isEdited?: true;
  /** The entry that its button adds in its place, and what that one is for. */
  readonly other?: { readonly entry: string; readonly tooltip: string; readonly icon: string };
}

/** What a list asks for. */
export interface ListQuestion {
  /** How one is written: `NAME=value`. */
  readonly form: string;
  readonly example: string;
  readonly entries: readonly string[];
  /** What is wrong with an entry, as a sentence. */
  readonly problem: (entry: string) => string | undefined;
  /** What stands beside an entry. */
  readonly describe?: (entry: string) => string | undefined;
  /** What could be added, and the heading above it. */
  readonly offers?: {
    readonly heading: string;
    readonly of: (entries: readonly string[]) => readonly ListOffer[];
  };
}

interface ListItem extends vscode.QuickPickItem {
  readonly act:
    | { readonly kind: 'done' | 'nothing' }
    | { readonly kind: 'add' | 'edit'; readonly entry: string; readonly other?: string }
    | { readonly kind: 'change'; readonly index: number };
}

async function changed(
  place: StepTitle,
  question: ListQuestion,
  entries: readonly string[],
  index: number,
  otherwise = entries,
): Promise<readonly string[]> {
  const text = await askText(place, {
    prompt: vscode.l10n.t('{0} – leave it empty to remove it', question.form),
    placeholder: question.example,
    value: entries[index] ?? '',
    problem: (entry) => (entry === '' ? undefined : question.problem(entry)),
  });
  if (text === undefined) return otherwise;
  return text === '' ? entries.toSpliced(index, 1) : entries.with(index, text);
}

function askOnce(
  place: StepTitle,
  question: ListQuestion,
  keep: (entries: readonly string[]) => void,
): Promise<ListItem['act'] | undefined> {
  const pick = vscode.window.createQuickPick<ListItem>();
  applyStepTitle(pick, place);
  pick.buttons = [vscode.QuickInputButtons.Back];
  pick.placeholder = vscode.l10n.t('Type {0} and press Enter', question.form);
  let { entries } = question;
  const paint = (): void => {
    pick.items = listItems({ ...question, entries }, pick.value);
  };
  paint();
  return showAndWait(pick, (done) => {
    const subscriptions = new DisposableStore();
    subscriptions.add(pick.onDidChangeValue(paint));
    subscriptions.add(
      pick.onDidTriggerButton(() => {
        done(undefined);
      }),
    );
    subscriptions.add(
      pick.onDidTriggerItemButton(({ item }) => {
        entries = afterButton(entries, item.act);
        keep(entries);
        paint();
      }),
    );
    subscriptions.add(
      pick.onDidAccept(() => {
        const act = pick.selectedItems[0]?.act;
        // What is wrong says so in its row; the text stays to be put right.
        if (act && act.kind !== 'nothing') done(act);
      }),
    );
    return subscriptions;
  });
}

/** The button takes an entry away, or takes an offer the other way. */
function afterButton(entries: readonly string[], act: ListItem['act']): readonly string[] {
  if (act.kind === 'change') return entries.toSpliced(act.index, 1);
  const isOffer = act.kind === 'add' || act.kind === 'edit';
  return isOffer && act.other !== undefined ? [...entries, act.other] : entries;
}

function listItems(question: ListQuestion, typed: string): ListItem[] {
  const button = {
    iconPath: new vscode.ThemeIcon('trash'),
    tooltip: vscode.l10n.t('Remove'),
  };
  return [
    firstItem(question, typed),
    ...question.entries.map((entry, index) => ({
      label: formatItemText(entry),
      description: formatItemText(question.describe?.(entry) ?? ''),
      buttons: [button],
      act: { kind: 'change', index } as const,
    })),
    ...offerItems(question),
  ];
}

function offerItems({ offers, entries }: ListQuestion): ListItem[] {
  const items = (offers?.of(entries) ?? []).map(({ entry, isEdited, other, ...item }) => ({
    ...formatItem(item),
    iconPath: new vscode.ThemeIcon(isEdited ? 'edit' : 'add'),
    ...(other && {
      buttons: [{ iconPath: new vscode.ThemeIcon(other.icon), tooltip: other.tooltip }],
    }),
    act: {
      kind: isEdited ? ('edit' as const) : ('add' as const),
      entry,
      ...(other && { other: other.entry }),
    },
  }));
  if (items.length === 0) return [];
  const { Separator } = vscode.QuickPickItemKind;
  return [{ label: offers?.heading ?? '', kind: Separator, act: { kind: 'nothing' } }, ...items];
}

function firstItem({ example, problem }: ListQuestion, typed: string): ListItem {
  if (typed === '') {
    return {
      label: vscode.l10n.t('Done'),
      description: vscode.l10n.t('or type, for example {0}', example),
      iconPath: new vscode.ThemeIcon('check'),
      alwaysShow: true,
      act: { kind: 'done' },
    };
  }
  const fault = problem(typed);
  return {
    label: formatItemText(fault ?? vscode.l10n.t('Add {0}', typed)),
    iconPath: new vscode.ThemeIcon(fault === undefined ? 'add' : 'error'),
    alwaysShow: true,
    act: fault === undefined ? { kind: 'add', entry: typed } : { kind: 'nothing' },
  };
}
