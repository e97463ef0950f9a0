/** The step that asks for an image: picked from the known ones, or typed. */

import type { PickItem, StepTitle, Ui } from './ui.ts';

/** Asks for a reference. Resolves to undefined if the user cancels. */
export async function askReference(
  ui: Ui,
  title: StepTitle,
  question: ReferenceQuestion,
): Promise<string | undefined> {
  const known = question.groups.flatMap(({ heading, references }) =>
    withHeading(heading, references),
  );
  const picked = await ui.pick<ReferenceItem>({
    ...title,
    isStep: true,
    placeholder: question.placeholder,
    items: known,
    typedItem: (text) => typedReference(text, known, question.problem, () => question.typed),
    unlistedItem: (text) => known.find(({ reference }) => reference === text),
    activeItem: (_items, text) => (question.prefersTyped ? undefined : firstMatch(known, text)),
  });
  return picked?.reference;
}

/** Known images under one separator. */
export interface ReferenceGroup {
  readonly heading: string;
  readonly references: readonly ReferenceItem[];
}

/** An image that the user can pick. */
export interface ReferenceItem extends PickItem {
  /** The reference for requests; undefined for an item that is not an image. */
  readonly reference?: string;
}

/** The options of the step. */
interface ReferenceQuestion {
  readonly placeholder: string;
  readonly groups: readonly ReferenceGroup[];
  /** The description of a typed reference that is not one of the known ones. */
  readonly typed: string;
  readonly problem: (text: string) => string | undefined;
  /** Whether Enter selects the typed text even if a known reference begins with it. */
  readonly prefersTyped: boolean;
}

/** Adds a heading above the first of some items. */
export function withHeading<Item extends PickItem>(
  heading: string,
  items: readonly Item[],
): readonly Item[] {
  return items.map((item, index) => (index === 0 ? { ...item, heading } : item));
}

/**
 * Returns the item for the typed text, or for what is wrong with it; undefined if the text is a known
 * reference.
 *
 * @param describe returns the description of a valid reference.
 */
export function typedReference(
  text: string,
  known: readonly ReferenceItem[],
  problem: (text: string) => string | undefined,
  describe: (text: string) => string,
): ReferenceItem | undefined {
  if (text === '' || known.some(({ reference }) => reference === text)) return undefined;
  const fault = problem(text);
  if (fault !== undefined)
    return { label: fault, icon: 'error', alwaysShow: true, isDisabled: true };
  return {
    label: text,
    description: describe(text),
    icon: 'arrow-right',
    alwaysShow: true,
    reference: text,
  };
}

function firstMatch(known: readonly ReferenceItem[], text: string): ReferenceItem | undefined {
  if (text === '') return undefined;
  const wanted = text.toLowerCase();
  // In the order in which VS Code shows matches: those that begin with the text come first.
  return (
    known.find((item) => item.label.startsWith(wanted)) ??
    known.find((item) => item.label.includes(wanted))
  );
}
