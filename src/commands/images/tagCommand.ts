import * as vscode from 'vscode';
import { tagImage } from '../../engine/images/images.ts';
import { describeReferenceProblem, parseRepositoryAndTag } from '../../engine/options/reference.ts';
import { InputError } from '../../engine/errors.ts';
import { checkTagOwner, imageByTag, type SeenTagOwner } from '../../review/imageByTag.ts';
import type { TargetCommand } from '../command.ts';
import { askImageName } from '../forms/askImageName.ts';
import type { CommandTarget } from '../targets.ts';

const { l10n } = vscode;

interface TagArguments {
  readonly repository: string;
  readonly tag?: string;
  /** What the user was warned of; not a part of the argument. */
  readonly seen?: SeenTagOwner;
}

/** Gives an image one more name. */
export const tagCommand: TargetCommand<TagArguments, { readonly outcome: 'tagged' }> = {
  id: 'gantry.images.tag',
  kind: 'image',
  schema: { repository: { kind: 'text', required: true }, tag: { kind: 'text' } },
  isForOne: true,
  progressTitle: (name) => l10n.t('Tagging {0}', name),
  failureTitle: (name) => l10n.t('Could not tag {0}', name),
  ask: async ([target]) => (target ? askTag(target) : undefined),
  run: async (call) => {
    const wanted = checkTag(call.args);
    const { id, image } = await call.target();
    const connection = await call.connect();
    const { seen } = call.args;
    const name = `${wanted.repository}:${wanted.tag ?? 'latest'}`;
    if (seen) await checkTagOwner(connection, name, seen, image?.id, call.signal);
    // By its id: a tag may lead to another image since the user chose.
    return tagImage(connection, image?.id ?? id, wanted, call.signal);
  },
};

function checkTag({ repository, tag }: TagArguments): TagArguments {
  const checked = parseRepositoryAndTag(repository, tag);
  if (!checked.ok) throw new InputError(describeReferenceProblem(checked.problem, l10n));
  return checked.value;
}

async function askTag({ name, image, context }: CommandTarget): Promise<TagArguments | undefined> {
  const text = await askImageName({
    title: l10n.t('Tag {0}', name),
    value: image?.tags[0] ?? '',
    context,
    imageId: image?.id,
  });
  if (text === undefined) return undefined;
  const holder = imageByTag(text, context.inventory.images.values())?.id;
  return { ...checkTag({ repository: text }), seen: { holder } };
}
