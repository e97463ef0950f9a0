/** The step that asks for any number of texts: type and Enter adds one, picking one changes it. */

import * as vscode from 'vscode';

import { DisposableStore } from '../lifetime.ts';
import { answer, askText, dress, type Place } from './form.ts';
import { itemText } from './shown.ts';

/** What a list asks for. */
export interface ListQuestion {
  /** How one is written: `NAME=value`. */
  readonly form: string;
  readonly example: string;
  readonly entries: readonly string[];
  /** What is wrong with an entry, as a sentence. */
  readonly problem: (entry: string) => string | undefined;
  /** What a text that is being typed may become; picked, it is there to be written on. */
  readonly templates?: ((typed: string) => readonly string[]) | undefined;
}

interface ListItem extends vscode.QuickPickItem {
  readonly act:
    | { readonly kind: 'done' | 'nothing' }
    | { readonly kind: 'add' | 'template'; readonly entry: string }
    | { readonly kind: 'change'; readonly index: number };
}

/** Asks until the person is done or leaves; what was entered until then is kept either way. */
export async function askList(place: Place, question: ListQuestion): Promise<readonly string[]> {
  let entries = question.entries;
  for (;;) {
    const act = await askOnce(place, { ...question, entries }, (index) => {
      entries = entries.toSpliced(index, 1);
      return entries;
    });
    if (act?.kind === 'add') {
      entries = [...entries, act.entry];
    } else if (act?.kind === 'change') {
      entries = await changed(place, question, entries, act.index);
    } else {
      return entries;
    }
  }
}

async function changed(
  place: Place,
  question: ListQuestion,
  entries: readonly string[],
  index: number,
): Promise<readonly string[]> {
  const text = await askText(place, {
    prompt: vscode.l10n.t('{0} – leave it empty to remove it', question.form),
    placeholder: question.example,
    value: entries[index] ?? '',
    problem: (entry) => (entry === '' ? undefined : question.problem(entry)),
  });
  if (text === undefined) return entries;
  return text === '' ? entries.toSpliced(index, 1) : entries.with(index, text);
}

function askOnce(
  place: Place,
  question: ListQuestion,
  remove: (index: number) => readonly string[],
): Promise<ListItem['act'] | undefined> {
  const pick = vscode.window.createQuickPick<ListItem>();
  dress(pick, place);
  pick.buttons = [vscode.QuickInputButtons.Back];
  pick.placeholder = vscode.l10n.t('Type {0} and press Enter', question.form);
  let { entries } = question;
  const paint = (): void => {
    pick.items = listItems({ ...question, entries }, pick.value);
  };
  paint();
  return answer(pick, (done) => {
    const subscriptions = new DisposableStore();
    subscriptions.add(pick.onDidChangeValue(paint));
    subscriptions.add(
      pick.onDidTriggerButton(() => {
        done(undefined);
      }),
    );
    subscriptions.add(
      pick.onDidTriggerItemButton(({ item }) => {
        if (item.act.kind !== 'change') return;
        entries = remove(item.act.index);
        paint();
      }),
    );
    subscriptions.add(
      pick.onDidAccept(() => {
        const act = pick.selectedItems[0]?.act;
        if (act?.kind === 'template') {
          pick.value = act.entry;
          paint();
          // What is wrong says so in its row; the text stays to be put right.
        } else if (act && act.kind !== 'nothing') done(act);
      }),
    );
    return subscriptions;
  });
}

function listItems(question: ListQuestion, typed: string): ListItem[] {
  const button = {
    iconPath: new vscode.ThemeIcon('trash'),
    tooltip: vscode.l10n.t('Remove'),
  };
  const first = firstItem(question, typed);
  const templates = templateItems(question, typed);
  return [
    // What may become of a beginning comes before what is still wrong with it.
    ...(first.act.kind === 'nothing' ? [...templates, first] : [first, ...templates]),
    ...question.entries.map((entry, index) => ({
      label: itemText(entry),
      buttons: [button],
      act: { kind: 'change', index } as const,
    })),
  ];
}

function templateItems({ templates }: ListQuestion, typed: string): ListItem[] {
  if (typed === '') return [];
  return (templates?.(typed) ?? []).map((entry) => ({
    label: itemText(entry),
    iconPath: new vscode.ThemeIcon('edit'),
    // The editor's own filter knows nothing of what the beginning stands for.
    alwaysShow: true,
    act: { kind: 'template', entry },
  }));
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
    label: itemText(fault ?? vscode.l10n.t('Add {0}', typed)),
    iconPath: new vscode.ThemeIcon(fault === undefined ? 'add' : 'error'),
    alwaysShow: true,
    act: fault === undefined ? { kind: 'add', entry: typed } : { kind: 'nothing' },
  };
}
