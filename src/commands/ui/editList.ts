/** The step that edits a list of strings: typing and Enter adds an entry, picking one edits it. */

import * as l10n from '@vscode/l10n';
import type { InputQuestion, PickItem, StepTitle, Ui } from './ui.ts';
import { withHeading } from './askReference.ts';
import { inputWithLineBreaks } from './inputWithLineBreaks.ts';

/** Asks until the user is done or cancels. Returns the entries in either case. */
export async function editList(
  ui: Ui,
  title: StepTitle,
  question: ListQuestion,
): Promise<readonly string[]> {
  let { entries } = question;
  const put: Put =
    (index, ...texts) =>
    () => {
      entries = entries.toSpliced(index, 1, ...texts);
    };
  for (;;) {
    const picked = await ui.pick<ListItem>({
      ...title,
      isStep: true,
      canGoBack: true,
      placeholder: l10n.t('Type {0} and press Enter', question.form),
      items: (typed) => listItems({ ...question, entries }, typed, put),
    });
    if (!picked || (picked.entry === undefined && !picked.ask)) return entries;
    const { ask, index = entries.length, isEdited } = picked;
    const entry = ask ? await ask() : picked.entry;
    const selection = picked.index === undefined ? question.selected : undefined;
    const text =
      entry !== undefined && (isEdited || ask)
        ? await askEntry(ui, title, question, { value: entry, selection: selection?.(entry) })
        : entry;
    if (text !== undefined) put(index, ...(text === '' ? [] : [text]))();
  }
}

/** An entry that the user can add. */
export interface ListOffer {
  readonly label: string;
  readonly description?: string;
  /** The label of the separator above it. */
  readonly heading?: string;
  readonly icon?: string;
  /** Whether the offer is only informative. */
  readonly isDisabled?: true;
  readonly entry?: string;
  /** Asks for the entry instead, which the user then edits. Resolves to undefined if the user cancels. */
  readonly ask?: () => Promise<string | undefined>;
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
  /** Returns the part of an offered entry that the user probably replaces; by default, all of it is selected. */
  readonly selected?: (entry: string) => readonly [start: number, end: number];
  /** The entries that can be added, and the heading above them; by default, the offers have headings of their own. */
  readonly offers?: {
    readonly heading?: string;
    readonly of: (entries: readonly string[]) => readonly ListOffer[];
  };
}

interface ListItem extends PickItem {
  /** The entry to put into the list. If there is none, and nothing asks for it, the list is done. */
  readonly entry?: string;
  readonly ask?: ListOffer['ask'];
  /** The index of the entry in the list; at the end by default. */
  readonly index?: number;
  /** Whether the user edits the entry before. */
  readonly isEdited?: boolean;
}

/** Returns a function that puts texts in place of the entry at `index`. */
type Put = (index: number, ...texts: readonly string[]) => () => void;

function listItems(question: ListQuestion, typed: string, put: Put): readonly ListItem[] {
  const { entries, mask = String, describe, offers } = question;
  const offered = (offers?.of(entries) ?? []).map(({ isEdited, other, ...offer }) => ({
    ...offer,
    icon: offer.icon ?? (isEdited ? 'edit' : 'add'),
    buttons: other && [{ ...other, run: put(entries.length, other.entry) }],
    isEdited,
  }));
  return [
    firstItem(question, typed),
    ...entries.map((entry, index) => ({
      label: mask(entry),
      description: describe?.(entry),
      buttons: [{ icon: 'trash', tooltip: l10n.t('Remove'), run: put(index) }],
      entry,
      index,
      isEdited: true,
    })),
    ...(offers?.heading === undefined ? offered : withHeading(offers.heading, offered)),
  ];
}

/** Returns the item for the typed text. For an invalid entry it shows the error, and the text stays in the box. */
function firstItem({ example, problem }: ListQuestion, typed: string): ListItem {
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
    entry: typed,
  };
}

/** Asks for the text of an entry; empty to remove it. Resolves to undefined if the user cancels. */
function askEntry(
  ui: Ui,
  title: StepTitle,
  { form, example, problem }: ListQuestion,
  entry: Pick<InputQuestion, 'value' | 'selection'>,
): Promise<string | undefined> {
  return inputWithLineBreaks(ui, {
    ...title,
    canGoBack: true,
    prompt: l10n.t('{0} (leave empty to remove)', form),
    placeholder: example,
    ...entry,
    problem: (typed) => (typed === '' ? undefined : problem(typed)),
  });
}
