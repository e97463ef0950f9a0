/** The confirmation before images are removed: consequences first, then lists of limited length. */

import * as l10n from '@vscode/l10n';
import type { ConfirmedRemoval } from '../../engine/system/removeUnusedImage.ts';
import type { Image } from '../../engine/model.ts';
import { formatNames, formatUsed, formatUsers } from '../ui/formatNames.ts';

/** A question with its buttons. */
interface RemoveImageQuestion {
  readonly question: string;
  readonly detail: string;
  readonly choices: readonly RemoveImageChoice[];
}

/** An image or a tag to remove, with what depends on it. */
export interface RemovedImage {
  /** The ID of its engine: images of several engines may have the same tags and IDs. */
  readonly engine: string;
  /** The tag, or the ID of the image. */
  readonly id: string;
  /** The name in the tree, with its engine if there are several. */
  readonly name: string;
  readonly image: Image;
  /** The containers that use the image. */
  readonly users: readonly { readonly id: string; readonly name: string }[];
  /** The names of its child images. */
  readonly children: readonly string[];
  /** The effect of a forced removal on the containers; undefined if the engine refuses even that. */
  readonly force: 'removesContainers' | 'keepsContainers' | undefined;
}

/** A button with its action. */
export interface RemoveImageChoice {
  readonly button: string;
  readonly does: 'remove' | 'removeWhole' | 'forceRemove' | 'showContainers';
}

/** Maximum number of names in lists that the question is not about. */
const EXAMPLES = 3;

/** Returns the question for whole images. Says how many tags there are if an image has several. */
export function removeImagesQuestion({
  images,
  tags,
}: {
  readonly images: number;
  readonly tags: number;
}): string {
  if (tags <= images) return l10n.t('Remove {0} images?', images);
  return images === 1
    ? l10n.t('Remove 1 image with {0} tags?', tags)
    : l10n.t('Remove {0} images with {1} tags?', images, tags);
}

/** Returns the question for one image or tag. */
export function removeOneQuestion(one: RemovedImage): RemoveImageQuestion {
  const others = staysAs(one, chosenKeys([one]));
  const isKept = one.users.length > 0 && others.length === 0 && !one.force;
  const name = formatNames([one.name]);
  const detail = [
    whatIsRemoved(one, others),
    forceMessage(one),
    usersMessage(one),
    isKept ? l10n.t('The engine cannot remove an image that a container uses.') : '',
    childrenMessage(one),
  ];
  return {
    question: isKept ? l10n.t('{0} is in use', name) : l10n.t('Remove {0}?', name),
    detail: lines(detail),
    choices: choicesFor(one, others.length > 0),
  };
}

/** For an image in use, the message about force already covers it. */
function whatIsRemoved(one: RemovedImage, others: readonly string[]): string {
  if (others.length === 0) {
    return one.users.length > 0 ? '' : l10n.t('Removes the image {0}.', formatNames([one.name]));
  }
  // "Remove Image" and "Force Remove" remove these, too.
  const kept = formatNames(others);
  return one.users.length > 0
    ? l10n.t('Removes only the tag. The image keeps {0}.', kept)
    : l10n.t('"Remove Tag" removes only the tag. The image keeps {0}.', kept);
}

function choicesFor(one: RemovedImage, isTagOnly: boolean): readonly RemoveImageChoice[] {
  const isUsed = one.users.length > 0;
  const whole: RemoveImageChoice = isTagOnly
    ? { button: l10n.t('Remove Image'), does: 'removeWhole' }
    : { button: l10n.t('Remove'), does: 'remove' };
  return [
    ...(isTagOnly ? [{ button: l10n.t('Remove Tag'), does: 'remove' } as const] : []),
    // Enter selects the first button, so it must not be one that also removes containers.
    isUsed ? showContainers() : whole,
    ...(isUsed && one.force
      ? [{ button: l10n.t('Force Remove'), does: 'forceRemove' } as const]
      : []),
  ];
}

function showContainers(): RemoveImageChoice {
  return { button: l10n.t('Show Containers'), does: 'showContainers' };
}

/** Returns the question for several images or tags. Does not offer force. */
export function removeSeveralQuestion(all: readonly RemovedImage[]): RemoveImageQuestion {
  const chosen = chosenKeys(all);
  const untagged = all.filter((one) => staysAs(one, chosen).length > 0);
  const whole = all.filter((one) => !untagged.includes(one));
  const used = whole.filter(({ users }) => users.length > 0);
  const deleted = whole.filter(({ users }) => users.length === 0);
  const names = (some: readonly RemovedImage[]): readonly string[] => [
    ...new Set(some.map(({ name }) => name)),
  ];
  const list = (some: readonly RemovedImage[]): string => formatNames(names(some));
  const detail = lines([
    deleted.length > 0 ? l10n.t('Images to remove: {0}.', list(deleted)) : '',
    untagged.length > 0 ? l10n.t('Removes only these tags: {0}.', list(untagged)) : '',
    formatUsed(names(used)),
  ]);
  if (used.length === all.length) {
    const question = l10n.t('{0} images are in use', all.length);
    return { question, detail, choices: [showContainers()] };
  }
  const question = severalQuestion(deleted, untagged);
  return { question, detail, choices: [{ button: l10n.t('Remove'), does: 'remove' }] };
}

/** Several of the rows can be tags of one image. */
function severalQuestion(
  deleted: readonly RemovedImage[],
  untagged: readonly RemovedImage[],
): string {
  const count = deleted.length + untagged.length;
  const [only] = deleted.length === 0 ? untagged : deleted;
  if (only && count === 1) return l10n.t('Remove {0}?', formatNames([only.name]));
  if (deleted.length === 0) return l10n.t('Remove {0} tags?', count);
  if (untagged.length > 0) return l10n.t('Remove {0} images and tags?', count);
  const images = new Set(deleted.map(({ engine, image }) => keyOf(engine, image.id)));
  return removeImagesQuestion({ images: images.size, tags: count });
}

/** Returns what the user confirms with any button of these questions. @param chosen all that the user selected. */
export function agreementOf(one: RemovedImage, chosen: ReadonlySet<string>): ConfirmedRemoval {
  const { image, users } = one;
  return {
    id: image.id,
    tags: image.tags,
    keepsImage: staysAs(one, chosen).length > 0,
    users: users.map(({ id }) => id),
  };
}

/** Returns the selected tags and IDs, each with its engine. */
export function chosenKeys(all: readonly RemovedImage[]): ReadonlySet<string> {
  return new Set(all.map(({ engine, id }) => keyOf(engine, id)));
}

/** Unambiguous because neither a tag nor an ID contains a space. */
function keyOf(engine: string, name: string): string {
  return `${engine} ${name}`;
}

/** Returns the tags that the image keeps; none if the image is removed. */
function staysAs(
  { engine, id, image }: RemovedImage,
  chosen: ReadonlySet<string>,
): readonly string[] {
  if (chosen.has(keyOf(engine, image.id)) || !image.tags.includes(id)) return [];
  return image.tags.filter((tag) => !chosen.has(keyOf(engine, tag)));
}

/** Names every container that "Force Remove" removes, too. */
function usersMessage({ users, force }: RemovedImage): string {
  const names = users.map(({ name }) => name);
  return names.length > 1 && force === 'removesContainers'
    ? l10n.t('Used by {0} containers ({1}).', names.length, formatNames(names))
    : formatUsers(names);
}

function forceMessage({ users, force }: RemovedImage): string {
  if (users.length === 0 || !force) return '';
  return force === 'keepsContainers'
    ? l10n.t('"Force Remove" removes the image. The containers that use it remain.')
    : l10n.t('"Force Remove" removes the image and its containers, even if they are running.');
}

function childrenMessage({ children }: RemovedImage): string {
  if (children.length === 0) return '';
  return l10n.t('Child images: {0}.', formatNames(children, EXAMPLES));
}

function lines(sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== '').join('\n');
}
