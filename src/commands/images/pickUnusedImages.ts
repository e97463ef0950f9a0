import { ageOfImage, formatAge } from '../../inventory/age.ts';
import { joinParts, formatSize } from '../../views/format.ts';
import {
  formatReclaimableSpace,
  isDangling,
  reclaimableSpace,
  type UnusedImage,
} from './unusedImages.ts';
import { withHeading } from '../forms/askReference.ts';
import type { PickItem, Ui } from '../ui.ts';
import { imageDisplayName } from '../targets.ts';
import type { L10n } from '../../l10n.ts';

interface UnusedItem extends PickItem {
  readonly unused: UnusedImage;
}

/**
 * Lets the user select the images to remove. Dangling images are checked at first. The title shows how much
 * disk space the selection frees. Resolves to undefined if the user cancels.
 */
export async function pickUnusedImages(
  ui: Ui,
  title: string,
  images: readonly UnusedImage[],
): Promise<readonly UnusedImage[] | undefined> {
  const { l10n } = ui;
  // Largest first.
  const items = images.toSorted((a, b) => b.size - a.size).map((unused) => itemOf(unused, l10n));
  const dangling = items.filter(({ unused }) => isDangling(unused.image));
  const named = items.filter(({ unused }) => !isDangling(unused.image));
  const checked = await ui.pickMany({
    title: (now) =>
      l10n.t(
        '{0}: {1} of {2}. {3}',
        title,
        now.length,
        images.length,
        formatReclaimableSpace(reclaimableSpace(now.map(({ unused }) => unused)), l10n),
      ),
    placeholder: l10n.t('Select images to remove'),
    items: [...withHeading(l10n.t('dangling'), dangling), ...withHeading(l10n.t('unused'), named)],
    isChecked: ({ unused }) => isDangling(unused.image),
  });
  // In the original order, in which an engine can remove them.
  const chosen = new Set(checked?.map(({ unused }) => unused));
  return checked && images.filter((one) => chosen.has(one));
}

function itemOf(unused: UnusedImage, l10n: L10n): UnusedItem {
  const { image, size, own } = unused;
  const age = ageOfImage(image);
  const shared =
    own === undefined || own === size ? '' : l10n.t('{0} shared', formatSize(size - own));
  return {
    label: imageDisplayName(image),
    description: joinParts(
      formatSize(size),
      shared,
      age && l10n.t('{0} ago', formatAge(age, Date.now(), l10n)),
    ),
    unused,
  };
}
