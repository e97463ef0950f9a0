import * as l10n from '@vscode/l10n';
import { parseRepositoryAndTag, requireValid } from '../../engine/options/reference.ts';
import { holderNow, imageByTag, type SeenTagOwner } from '../../review/imageByTag.ts';
import { shortId } from '../../views/format.ts';
import type { Image } from '../../engine/model.ts';
import type { CommandContext } from './commandContext.ts';
import { formatName } from '../ui/formatNames.ts';
import { validationMessage } from '../ui/formRows.ts';

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
  const ownerOf = (text: string): Image | undefined =>
    imageByTag(text, context.inventory.images.values());
  return context.ui.input({
    title,
    prompt: l10n.t('New tag of the image, as repository:tag'),
    placeholder: 'me/app:1.0',
    value,
    problem: imageNameProblem,
    warning: (text) => {
      const owner = ownerOf(text);
      return owner && owner.id !== imageId ? lossMessage(owner) : undefined;
    },
    hint: (text) => ownerOf(text) && l10n.t('The image already has this tag.'),
  });
}

/** The options of the question. */
interface ImageNameQuestion {
  readonly title: string;
  readonly value: string;
  readonly context: CommandContext;
  /** The image to name, if it exists already. */
  readonly imageId?: string | undefined;
}

/** Returns an error message for an invalid name; undefined if it is valid. */
export function imageNameProblem(name: string): string | undefined {
  return validationMessage(() => requireValid(parseRepositoryAndTag(name)));
}

/**
 * Completes what a form has shown of the image that would lose a tag. While the images are not listed, the form could
 * not warn: looks the image up and asks. Resolves to undefined if the user cancels.
 *
 * @param shown the image that the form has warned of.
 */
export async function confirmTagOwner(
  name: string,
  shown: SeenTagOwner,
  { engine, inventory: { phase }, ui }: CommandContext,
): Promise<SeenTagOwner | undefined> {
  if (phase.kind !== 'live' || !phase.images) return shown;
  const label = formatName(name);
  const owner = await ui.progress(l10n.t('Inspecting {0}', label), 'late', async (signal) =>
    holderNow(await engine.connect(signal), name, signal),
  );
  const isNews = owner !== undefined && owner.id !== shown.holder;
  const question = l10n.t('Move the tag {0}?', label);
  if (isNews && !(await ui.confirm(question, lossMessage(owner), l10n.t('Move Tag'))))
    return undefined;
  return { holder: owner?.id };
}

function lossMessage(owner: Pick<Image, 'id' | 'tags'>): string {
  const short = shortId(owner.id);
  return owner.tags.length === 1
    ? l10n.t('Moves the only tag from {0}, which becomes dangling.', short)
    : l10n.t('Moves the tag from {0}.', short);
}

/** Returns a warning if tagging moves the tag from another image. */
export function tagClashMessage(name: string, { inventory }: CommandContext): string | undefined {
  const holder = imageByTag(name, inventory.images.values());
  if (!holder) return undefined;
  return holder.tags.length > 1
    ? l10n.t('Moves the tag from {0}', shortId(holder.id))
    : l10n.t('Moves the only tag from {0}, which becomes dangling', shortId(holder.id));
}
