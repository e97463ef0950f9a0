import { plainText, withoutIcons, withoutLinks } from '../plainText.ts';

/** A message, title or prompt as it is handed to the editor: whatever words are in it, there is no link. */
export function shownText(text: string): string {
  return withoutLinks(plainText(text));
}

/** The parts of an item in a list to pick from that the editor would read icons in. */
interface Item {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

/** An item as it is handed to the editor: its texts are texts. */
export function shownItem<T extends Item>(item: T): T {
  const { label, description, detail } = item;
  return {
    ...item,
    label: itemText(label),
    ...(description !== undefined && { description: itemText(description) }),
    ...(detail !== undefined && { detail: itemText(detail) }),
  };
}

/** A text that becomes a part of an item which has icons of ours. */
export function itemText(text: string): string {
  return withoutIcons(plainText(text));
}
