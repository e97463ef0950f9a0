import { parseRepositoryAndTag, requireValid } from '../../engine/options/reference.ts';
import { imageByTag } from '../../review/imageByTag.ts';
import { shortId } from '../../views/format.ts';
import type { Image } from '../../engine/model.ts';
import type { CommandContext } from '../commandContext.ts';
import { validationMessage } from './formRows.ts';
import type { L10n } from '../../l10n.ts';

/**
 * Asks for the name of an image. Validates it while the user types, and warns if another image would lose the
 * tag. Resolves to undefined if the user cancels.
 */
export function askImageName({
  title,
  value,
  context,
  imageId,
}: ImageNameQuestion): Promise<string | undefined> {
  const { l10n } = context.ui;
  const ownerOf = (text: string): Image | undefined =>
    imageByTag(text, context.inventory.images.values());
  return context.ui.input({
    title,
    prompt: l10n.t('New tag of the image, as repository:tag'),
    placeholder: 'me/app:1.0',
    value,
    problem: (text) => imageNameProblem(text, l10n),
    warning: (text) => {
      const owner = ownerOf(text);
      return owner && owner.id !== imageId ? lossMessage(owner, l10n) : undefined;
    },
    hint: (text) => ownerOf(text) && l10n.t('The image already has this tag.'),
  });
}

/** The options of the question. */
export interface ImageNameQuestion {
  readonly title: string;
  readonly value: string;
  readonly context: CommandContext;
  /** The image to name, if it exists already. */
  readonly imageId?: string | undefined;
}

/** Returns an error message for an invalid name; undefined if it is valid. */
export function imageNameProblem(name: string, l10n: L10n): string | undefined {
  return validationMessage(() => requireValid(parseRepositoryAndTag(name), l10n));
}

function lossMessage(owner: Image, l10n: L10n): string {
  const short = shortId(owner.id);
  return owner.tags.length === 1
    ? l10n.t('Moves the only tag from {0}, which becomes dangling.', short)
    : l10n.t('Moves the tag from {0}.', short);
}

/** Returns a warning if tagging moves the tag from another image. */
export function tagClashMessage(
  name: string,
  { inventory, ui }: CommandContext,
): string | undefined {
  const { l10n } = ui;
  const holder = imageByTag(name, inventory.images.values());
  if (!holder) return undefined;
  return holder.tags.length > 1
    ? l10n.t('Moves the tag from {0}', shortId(holder.id))
    : l10n.t('Moves the only tag from {0}, which becomes dangling', shortId(holder.id));
}
