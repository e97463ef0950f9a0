import * as vscode from 'vscode';
import { ageOfImage, wordsAt } from '../../inventory/ages.ts';
import { joined, sizeWords } from '../../views/words.ts';
import { shownTitle } from '../../plainText.ts';
import { answer, dress } from '../forms/form.ts';
import { freedWords } from './freedWords.ts';
import { freedBy, type Unneeded } from './prunePlan.ts';
import { shownItem } from '../shown.ts';
import { nameOfImage } from '../targets.ts';

const { l10n } = vscode;

interface Item extends vscode.QuickPickItem {
  readonly unneeded?: Unneeded;
}

/**
 * Lets a person say which of the images go: those without a name are chosen from the start. Says all the while what
 * that frees. Undefined where they leave.
 */
export function pickUnneeded(
  title: string,
  images: readonly Unneeded[],
): Promise<readonly Unneeded[] | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  dress(pick, { title });
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  pick.items = itemsOf(images);
  pick.selectedItems = pick.items.filter(({ unneeded }) => unneeded && isDangling(unneeded));
  const chosen = (): readonly Unneeded[] =>
    pick.selectedItems.flatMap(({ unneeded }) => unneeded ?? []);
  const tell = (): void => {
    const now = chosen();
    pick.title = shownTitle(
      l10n.t('{0}: {1} of {2}. {3}', title, now.length, images.length, freedWords(freedBy(now))),
    );
  };
  tell();
  pick.placeholder = l10n.t('Choose what goes');
  return answer(pick, (done) =>
    vscode.Disposable.from(
      pick.onDidChangeSelection(tell),
      pick.onDidAccept(() => {
        // The plan's order, in which an engine removes them.
        const now = new Set(chosen());
        done(images.filter((one) => now.has(one)));
      }),
    ),
  );
}

function itemsOf(images: readonly Unneeded[]): readonly Item[] {
  const dangling = images.filter(isDangling);
  const named = images.filter((one) => !isDangling(one));
  return [
    ...group(l10n.t('without a name'), bySize(dangling)),
    ...group(l10n.t('with a name, used by no container'), bySize(named)),
  ];
}

function group(label: string, images: readonly Unneeded[]): readonly Item[] {
  if (images.length === 0) return [];
  return [{ label, kind: vscode.QuickPickItemKind.Separator }, ...images.map(itemOf)];
}

function itemOf(unneeded: Unneeded): Item {
  const { image, size, own } = unneeded;
  const age = ageOfImage(image);
  const shared =
    own === undefined || own === size ? '' : l10n.t('{0} of it shared', sizeWords(size - own));
  return {
    ...shownItem({
      label: nameOfImage(image),
      description: joined(
        sizeWords(size),
        shared,
        age && l10n.t('{0} ago', wordsAt(age, Date.now(), l10n)),
      ),
    }),
    unneeded,
  };
}

function isDangling({ image }: Unneeded): boolean {
  return image.tags.length === 0 && image.digests.length === 0;
}

/** What frees most comes first. */
function bySize(images: readonly Unneeded[]): readonly Unneeded[] {
  return [...images].sort((a, b) => b.size - a.size);
}
