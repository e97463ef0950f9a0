/** The step that asks for an image: picked from those that are known, or typed. */

import * as vscode from 'vscode';

import { DisposableStore } from '../../lifetime.ts';
import { showAndWait, applyStepTitle, type StepTitle } from './form.ts';
import { formatItemText, formatItem } from '../displayText.ts';

/** Asks for a reference. Undefined where the person leaves. */
export function askReference(
  place: StepTitle,
  question: ReferenceQuestion,
): Promise<string | undefined> {
  const pick = vscode.window.createQuickPick<ReferenceItem>();
  applyStepTitle(pick, place);
  pick.placeholder = question.placeholder;
  pick.value = question.value ?? '';
  const known = knownItems(question.groups);
  const paint = (): void => {
    const typed = typedItem(question, known, pick.value);
    pick.items = [typed ?? emptyTypedItem(), ...known];
    const match = question.prefersTyped ? undefined : firstMatch(known, pick.value);
    if (match) pick.activeItems = [match];
  };
  paint();
  return showAndWait(pick, (done) => {
    const subscriptions = new DisposableStore();
    subscriptions.add(pick.onDidChangeValue(paint));
    subscriptions.add(
      pick.onDidAccept(() => {
        const reference = pick.selectedItems[0]?.reference ?? knownText(known, pick.value);
        if (reference !== undefined) done(reference);
      }),
    );
    return subscriptions;
  });
}

/** Known images under one heading. */
export interface ReferenceGroup {
  readonly heading: string;
  readonly references: readonly KnownReference[];
}

/** An image a person can pick. */
export interface KnownReference {
  readonly label: string;
  readonly description?: string;
  /** What stands for it in a request. */
  readonly reference: string;
}

/** What the step asks. */
export interface ReferenceQuestion {
  readonly placeholder: string;
  readonly groups: readonly ReferenceGroup[];
  readonly value?: string;
  /** What is said beside a text that is typed and is none of the known ones. */
  readonly typed: string;
  readonly problem: (text: string) => string | undefined;
  /** Whether Enter takes what is typed even where it begins a known one. */
  readonly prefersTyped: boolean;
}

/** An item that stands for an image. */
interface ReferenceItem extends vscode.QuickPickItem {
  /** Undefined for a text that is no reference. */
  readonly reference?: string;
}

/**
 * Holds the place of the typed item while there is none, and is not shown. The editor tells by position what was
 * picked: if the items moved, an Enter on its way would pick the neighbor of what the user saw.
 */
export function emptyTypedItem(): vscode.QuickPickItem {
  return { label: '', kind: vscode.QuickPickItemKind.Separator };
}

/** The typed text, if it is that of an item: Enter may have met the typed item just before it went. */
export function knownText(items: readonly ReferenceItem[], text: string): string | undefined {
  return items.find(({ reference }) => reference === text)?.reference;
}

function knownItems(groups: readonly ReferenceGroup[]): ReferenceItem[] {
  return groups
    .filter((group) => group.references.length > 0)
    .flatMap(({ heading, references }) => [
      { label: heading, kind: vscode.QuickPickItemKind.Separator },
      ...references.map(formatItem),
    ]);
}

/** A row for what is typed, or for what is wrong with it; none where it is a known one anyway. */
function typedItem(
  question: ReferenceQuestion,
  known: readonly ReferenceItem[],
  text: string,
): ReferenceItem | undefined {
  if (text === '' || known.some((item) => item.reference === text)) return undefined;
  const fault = question.problem(text);
  if (fault !== undefined) {
    return {
      label: formatItemText(fault),
      iconPath: new vscode.ThemeIcon('error'),
      alwaysShow: true,
    };
  }
  const iconPath = new vscode.ThemeIcon('arrow-right');
  return {
    label: formatItemText(text),
    description: question.typed,
    iconPath,
    alwaysShow: true,
    reference: text,
  };
}

function firstMatch(known: readonly ReferenceItem[], text: string): ReferenceItem | undefined {
  if (text === '') return undefined;
  const wanted = text.toLowerCase();
  const images = known.filter((item) => item.reference !== undefined);
  // In the order in which VS Code shows them: what begins so comes first.
  return (
    images.find((item) => item.label.startsWith(wanted)) ??
    images.find((item) => item.label.includes(wanted))
  );
}
