import * as vscode from 'vscode';
import { ageOfImage, formatAge } from '../../inventory/age.ts';
import { joinParts, formatSize } from '../../views/format.ts';
import { displayTitle } from '../../plainText.ts';
import { showAndWait, applyStepTitle } from '../forms/form.ts';
import { formatReclaimableSpace } from './formatReclaimableSpace.ts';
import { reclaimableSpace, type UnusedImage } from './unusedImages.ts';
import { formatItem } from '../displayText.ts';
import { imageDisplayName } from '../targets.ts';

const { l10n } = vscode;

interface Item extends vscode.QuickPickItem {
  readonly unneeded?: UnusedImage;
}

/**
 * Lets a person say which of the images go: those without a name are chosen from the start. Says all the while what
 * that frees. Undefined where they leave.
 */
export function pickUnusedImages(
  title: string,
  images: readonly UnusedImage[],
): Promise<readonly UnusedImage[] | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  applyStepTitle(pick, { title });
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  pick.items = itemsOf(images);
  pick.selectedItems = pick.items.filter(({ unneeded }) => unneeded && isDangling(unneeded));
  const chosen = (): readonly UnusedImage[] =>
    pick.selectedItems.flatMap(({ unneeded }) => unneeded ?? []);
  const tell = (): void => {
    const now = chosen();
    pick.title = displayTitle(
      l10n.t(
        '{0}: {1} of {2}. {3}',
        title,
        now.length,
        images.length,
        formatReclaimableSpace(reclaimableSpace(now)),
      ),
    );
  };
  tell();
  pick.placeholder = l10n.t('Choose what goes');
  return showAndWait(pick, (done) =>
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

function itemsOf(images: readonly UnusedImage[]): readonly Item[] {
  const dangling = images.filter(isDangling);
  const named = images.filter((one) => !isDangling(one));
  return [
    ...group(l10n.t('without a name'), bySize(dangling)),
    ...group(l10n.t('with a name, used by no container'), bySize(named)),
  ];
}

function group(label: string, images: readonly UnusedImage[]): readonly Item[] {
  if (images.length === 0) return [];
  return [{ label, kind: vscode.QuickPickItemKind.Separator }, ...images.map(itemOf)];
}

function itemOf(unneeded: UnusedImage): Item {
  const { image, size, own } = unneeded;
  const age = ageOfImage(image);
  const shared =
    own === undefined || own === size ? '' : l10n.t('{0} of it shared', formatSize(size - own));
  return {
    ...formatItem({
      label: imageDisplayName(image),
      description: joinParts(
        formatSize(size),
        shared,
        age && l10n.t('{0} ago', formatAge(age, Date.now(), l10n)),
      ),
    }),
    unneeded,
  };
}

function isDangling({ image }: UnusedImage): boolean {
  return image.tags.length === 0 && image.digests.length === 0;
}

/** What frees most comes first. */
function bySize(images: readonly UnusedImage[]): readonly UnusedImage[] {
  return [...images].sort((a, b) => b.size - a.size);
}
