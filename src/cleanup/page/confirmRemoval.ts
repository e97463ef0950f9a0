import { CLEANUP_KINDS, type CleanupKind } from '../../engine/system/cleanupKinds.ts';
import { make } from '../../logviewer/page/dom.ts';
import type { PageStrings } from '../../logviewer/page/pageStrings.ts';
import type { CleanupString } from '../cleanupStrings.ts';
import type { PageItem } from '../protocol.ts';
import { itemSizeText } from './itemGrid.ts';

/**
 * Asks with what is lost first, then every item that is removed. Resolves to whether the user confirms.
 *
 * @param texts the line that names the engine, and how much disk space it reclaims.
 */
export function confirmRemoval(
  items: readonly PageItem[],
  { engine, reclaimed }: { readonly engine: string; readonly reclaimed: string },
  strings: PageStrings<CleanupString>,
): Promise<boolean> {
  const count = strings.formatCount(items.length);
  const title = items.length === 1 ? strings.get('questionOne') : strings.get('question', count);
  const has = (kind: CleanupKind): boolean => items.some((item) => item.kind === kind);
  const facts = [
    has('volumes') ? strings.get('losesVolumes') : '',
    has('containers') ? strings.get('losesContainers') : '',
    reclaimed,
    engine,
  ];
  const list = make('div', {
    class: 'list',
    attributes: { role: 'group', 'aria-label': strings.get('toRemove'), tabindex: '0' },
    children: CLEANUP_KINDS.filter(has).flatMap((kind) => listOf(kind, items, strings)),
  });
  const { dialog, answer } = open(title, strings);
  dialog.prepend(
    make('h2', { text: title, attributes: { id: 'question' } }),
    ...facts.filter((fact) => fact !== '').map((text) => make('p', { text })),
    list,
  );
  return answer;
}

function listOf(
  kind: CleanupKind,
  items: readonly PageItem[],
  strings: PageStrings<CleanupString>,
): readonly HTMLElement[] {
  const ofKind = items.filter((item) => item.kind === kind);
  const heading = `${strings.get(`kind.${kind}`)} (${countOf(ofKind, strings)})`;
  const rows = ofKind.map((item) =>
    make('li', {
      children: [
        make('span', { class: 'name', text: item.name, title: item.name }),
        make('span', { class: 'size', text: itemSizeText(item, strings) }),
      ],
    }),
  );
  return [make('h3', { text: heading }), make('ul', { children: rows })];
}

/** An image with several tags is one item, and loses all of them. */
function countOf(items: readonly PageItem[], strings: PageStrings<CleanupString>): string {
  const count = strings.formatCount(items.length);
  if (items.every(({ tags }) => tags <= 1)) return count;
  const tags = strings.formatCount(items.reduce((sum, one) => sum + one.tags, 0));
  return items.length === 1
    ? strings.get('imageWithTags', tags)
    : strings.get('imagesWithTags', count, tags);
}

/** The browser keeps the focus in the dialog, and closes it on Escape. */
function open(title: string, strings: PageStrings<CleanupString>) {
  const cancel = make('button', { class: 'secondary', text: strings.get('cancel') });
  const remove = make('button', { class: 'primary', text: strings.get('remove') });
  const dialog = make('dialog', {
    attributes: { 'aria-labelledby': 'question', 'aria-label': title },
    children: [make('div', { class: 'buttons', children: [cancel, remove] })],
  });
  cancel.addEventListener('click', () => dialog.close());
  remove.addEventListener('click', () => dialog.close('remove'));
  document.body.append(dialog);
  dialog.showModal();
  cancel.focus();
  const answer = new Promise<boolean>((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'remove');
    });
  });
  return { dialog, answer };
}
