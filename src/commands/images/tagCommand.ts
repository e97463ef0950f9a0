import * as l10n from '@vscode/l10n';
import { tagImage } from '../../engine/images/images.ts';
import { parseRepositoryAndTag, requireValid } from '../../engine/options/reference.ts';
import { checkTagOwner, imageByTag, type SeenTagOwner } from '../../review/imageByTag.ts';
import type { TargetCommand } from '../frame/command.ts';
import { askImageName } from '../frame/askImageName.ts';

interface TagArguments {
  readonly repository: string;
  readonly tag?: string;
  /** The tag owner that the user was warned of. Not part of the argument. */
  readonly seen?: SeenTagOwner;
}

/** Adds a tag to an image. */
export const tagCommand = (): TargetCommand<TagArguments, { readonly outcome: 'tagged' }> => ({
  id: 'gantry.images.tag',
  on: 'image',
  schema: { repository: { kind: 'text', required: true }, tag: { kind: 'text' } },
  isForOne: true,
  progressTitle: (name) => l10n.t('Tagging {0}', name),
  failureTitle: (name) => l10n.t('Could not tag {0}', name),
  ask: async ([target]) => {
    if (!target) return undefined;
    const { name, image, context } = target;
    const text = await askImageName({
      title: l10n.t('Tag {0}', name),
      value: image?.tags[0] ?? '',
      context,
      imageId: image?.id,
    });
    if (text === undefined) return undefined;
    const holder = imageByTag(text, context.inventory.images.values())?.id;
    return { ...checkTag({ repository: text }), seen: { holder } };
  },
  run: async (call) => {
    const wanted = checkTag(call.args);
    const { id, image } = await call.target();
    const connection = await call.connect();
    const { seen } = call.args;
    const name = `${wanted.repository}:${wanted.tag ?? 'latest'}`;
    if (seen) await checkTagOwner(connection, name, seen, image?.id, call.signal);
    // By ID, because a tag may have moved to another image since the user chose it.
    return tagImage(connection, image?.id ?? id, wanted, call.signal);
  },
});

function checkTag({ repository, tag }: TagArguments): TagArguments {
  return requireValid(parseRepositoryAndTag(repository, tag));
}
