/** The step that edits a list of strings: typing and Enter adds an entry, picking one edits it. */

import * as l10n from '@vscode/l10n';
import type { PickItem, StepTitle, Ui } from './ui.ts';
import { withHeading } from './askReference.ts';
import { inputWithLineBreaks } from './inputWithLineBreaks.ts';

/** Asks until the user is done or cancels. Returns the entries in either case. */
export async function editList(
  ui: Ui,
  title: StepTitle,
  question: ListQuestion,
): Promise<readonly string[]> {
  let { entries } = question;
  const keep = (next: readonly string[]): void => {
    entries = next;
  };
  for (;;) {
    const picked = await ui.pick<ListItem>({
      ...title,
      isStep: true,
      canGoBack: true,
      placeholder: l10n.t('Type {0} and press Enter', question.form),
      items: (typed) => listItems(ui, title, { ...question, entries }, typed, keep),
    });
    if (!picked?.next) return entries;
    entries = await picked.next();
  }
}

/** An entry that the user can add. */
export interface ListOffer {
  readonly label: string;
  readonly description?: string;
  readonly entry: string;
  /** Whether the user edits the entry before it is added. */
  readonly isEdited?: true;
  /** An alternative entry that the item's button adds. */
  readonly other?: { readonly entry: string; readonly tooltip: string; readonly icon: string };
}

/** The options of the list. */
export interface ListQuestion {
  /** The form of an entry: `NAME=value`. */
  readonly form: string;
  readonly example: string;
  readonly entries: readonly string[];
  /** Returns an error message for an invalid entry. */
  readonly problem: (entry: string) => string | undefined;
  /** Returns the text to show for an entry; the entry itself by default. The user edits the entry. */
  readonly mask?: (entry: string) => string;
  /** Returns the description of an entry. */
  readonly describe?: (entry: string) => string | undefined;
  /** The entries that can be added, and the heading above them. */
  readonly offers?: {
    readonly heading: string;
    readonly of: (entries: readonly string[]) => readonly ListOffer[];
  };
}

interface ListItem extends PickItem {
  /** Returns the entries after the item is picked. If absent, the list is done. */
  readonly next?: () => readonly string[] | Promise<readonly string[]>;
}

/** @param keep sets the entries after a button was clicked. */
function listItems(
  ui: Ui,
  title: StepTitle,
  question: ListQuestion,
  typed: string,
  keep: (entries: readonly string[]) => void,
): readonly ListItem[] {
  const { entries, mask = String, describe } = question;
  return [
    firstItem(question, typed),
    ...entries.map((entry, index) => ({
      label: mask(entry),
      description: describe?.(entry),
      buttons: [
        {
          icon: 'trash',
          tooltip: l10n.t('Remove'),
          run: () => {
            keep(entries.toSpliced(index, 1));
          },
        },
      ],
      next: () => changed(ui, title, question, index),
    })),
    ...offerItems(ui, title, question, keep),
  ];
}

function offerItems(
  ui: Ui,
  title: StepTitle,
  question: ListQuestion,
  keep: (entries: readonly string[]) => void,
): readonly ListItem[] {
  const { entries, offers } = question;
  const offered = offers?.of(entries) ?? [];
  return withHeading(
    offers?.heading ?? '',
    offered.map(({ label, description, entry, isEdited, other }) => ({
      label,
      description,
      icon: isEdited ? 'edit' : 'add',
      buttons: other && [
        {
          ...other,
          run: () => {
            keep([...entries, other.entry]);
          },
        },
      ],
      next: () =>
        isEdited ? changed(ui, title, question, entries.length, entry) : [...entries, entry],
    })),
  );
}

/** Asks for a new value of the entry at `index`. @param value the initial text. */
async function changed(
  ui: Ui,
  title: StepTitle,
  { form, example, entries, problem }: ListQuestion,
  index: number,
  value = entries[index] ?? '',
): Promise<readonly string[]> {
  const text = await inputWithLineBreaks(ui, {
    ...title,
    canGoBack: true,
    prompt: l10n.t('{0} (leave empty to remove)', form),
    placeholder: example,
    value,
    problem: (entry) => (entry === '' ? undefined : problem(entry)),
  });
  if (text === undefined) return entries;
  return entries.toSpliced(index, 1, ...(text === '' ? [] : [text]));
}

/** Returns the item for the typed text. For an invalid entry it shows the error, and the text stays in the box. */
function firstItem({ example, problem, entries }: ListQuestion, typed: string): ListItem {
  if (typed === '') {
    return {
      label: l10n.t('Done'),
      description: l10n.t('or type one, for example {0}', example),
      icon: 'check',
      alwaysShow: true,
    };
  }
  const fault = problem(typed);
  return {
    label: fault ?? l10n.t('Add {0}', typed),
    icon: fault === undefined ? 'add' : 'error',
    alwaysShow: true,
    isDisabled: fault !== undefined,
    next: () => [...entries, typed],
  };
}
