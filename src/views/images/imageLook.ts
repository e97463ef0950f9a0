import type { Image } from '../../engine/model.ts';
import { ageOfImage, shortWordsAt } from '../../inventory/ages.ts';
import { BUSY_ICON } from '../containers/containerState.ts';
import {
  tooltipRows,
  type Freshness,
  type Icon,
  type Look,
  type Scene,
  type TooltipRow,
} from '../look.ts';
import {
  familiarName,
  joined,
  momentWords,
  plain,
  shortId,
  sizeWords,
  verbWords,
} from '../words.ts';

/**
 * How the row of one name of an image looks; without `reference`, that of an image without a name.
 *
 * @param shown what it is called where it stands; default: its whole name.
 */
export function lookOfImage(
  image: Image,
  reference: string | undefined,
  scene: Scene,
  shown?: string,
): Look {
  const { l10n } = scene;
  // A command works on the name of an image where it has one.
  const verb = scene.activity.verbOf(reference ?? image.id) ?? scene.activity.verbOf(image.id);
  const title = titleOf(image, reference, scene);
  const freshness = reference === undefined ? undefined : scene.freshness?.(image, reference);
  const facts = [
    verb === undefined ? '' : verbWords(verb, l10n),
    reference === undefined ? l10n.t('dangling') : '',
    freshness === 'newer' ? l10n.t('newer available') : '',
    sizeWords(image.size),
    ageWords(image, scene),
    reference === undefined ? shortId(image.id) : '',
    usedWords(image, scene),
  ];
  return {
    label: shown === undefined ? title : plain(shown),
    description: joined(...facts),
    icon: verb === undefined ? iconOf(reference, scene) : BUSY_ICON,
    contextValue: reference === undefined ? 'image.dangling' : taggedContext(freshness),
    accessibilityLabel: [title, ...facts].filter((part) => part !== '').join(', '),
    age: scene.inventory.lostAt === undefined ? ageOfImage(image) : undefined,
  };
}

/** What people look for in an image. */
export function tooltipOfImage(
  image: Image,
  reference: string | undefined,
  scene: Scene,
): readonly TooltipRow[] {
  const { l10n } = scene;
  const others = image.tags.filter((tag) => tag !== reference);
  return tooltipRows(
    [l10n.t('Name'), reference ?? titleOf(image, reference, scene)],
    [l10n.t('Also named'), others.join(', ')],
    [l10n.t('Id'), image.id],
    [l10n.t('Digests'), image.digests.join(', ')],
    [l10n.t('Created'), momentWords(image.createdAt)],
    [l10n.t('Size'), sizeWords(image.size)],
    [l10n.t('Parent image'), parentWords(image, scene)],
    [l10n.t('Used by'), userNames(image, scene).join(', ')],
  );
}

function taggedContext(freshness: Freshness): string {
  if (freshness === undefined) return 'image.tagged';
  return freshness === 'newer' ? 'image.tagged.askable.newer' : 'image.tagged.askable';
}

function iconOf(reference: string | undefined, { inventory }: Scene): Icon {
  const isPale = reference === undefined || inventory.lostAt !== undefined;
  return isPale ? { id: 'package', color: 'disabledForeground' } : { id: 'package' };
}

/** An image without a tag may still know its repository, by a digest. */
function titleOf(image: Image, reference: string | undefined, { l10n }: Scene): string {
  if (reference !== undefined) return familiarName(reference);
  const [repository = ''] = (image.digests[0] ?? '').split('@');
  return repository === ''
    ? l10n.t('untagged')
    : l10n.t('{0} (untagged)', familiarName(repository));
}

function usedWords(image: Image, { inventory, l10n }: Scene): string {
  // Engines that count containers do so as of their image list; the containers themselves are newer.
  const count = inventory.containersOf(image.id).size;
  return count === 0 ? '' : l10n.t('used by {0}', count);
}

function ageWords(image: Image, { inventory, l10n, now }: Scene): string {
  const age = ageOfImage(image);
  return age ? shortWordsAt(age, inventory.lostAt ?? now(), l10n) : '';
}

function parentWords(image: Image, { inventory }: Scene): string {
  if (image.parentId === undefined) return '';
  const [tag] = inventory.images.get(image.parentId)?.tags ?? [];
  return tag ?? shortId(image.parentId);
}

function userNames(image: Image, { inventory }: Scene): readonly string[] {
  const names = [...inventory.containersOf(image.id)].map(
    (id) => inventory.containers.get(id)?.name ?? shortId(id),
  );
  return names.sort();
}
