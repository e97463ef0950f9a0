import * as vscode from 'vscode';
import { tagImage } from '../../engine/images/images.ts';
import { describeReferenceProblem, parseRepositoryAndTag } from '../../engine/options/reference.ts';
import { InputError } from '../../engine/errors.ts';
import { checkHolder, holderOf, type SeenHolder } from '../../review/nameHolder.ts';
import type { TargetCommand } from '../command.ts';
import { askNewName } from '../forms/newName.ts';
import type { Target } from '../targets.ts';

const { l10n } = vscode;

interface TagArguments {
  readonly repository: string;
  readonly tag?: string;
  /** What the user was warned of; not a part of the argument. */
  readonly seen?: SeenHolder;
}

/** Gives an image one more name. */
export const tagCommand: TargetCommand<TagArguments, { readonly outcome: 'tagged' }> = {
  id: 'gantry.images.tag',
  kind: 'image',
  shape: { repository: { kind: 'text', required: true }, tag: { kind: 'text' } },
  isForOne: true,
  doing: (name) => l10n.t('Tagging {0}', name),
  failing: (name) => l10n.t('Could not tag {0}', name),
  ask: async ([target]) => (target ? askTag(target) : undefined),
  run: async (call) => {
    const wanted = checkTag(call.args);
    const { id, image } = await call.target();
    const connection = await call.connect();
    const { seen } = call.args;
    const name = `${wanted.repository}:${wanted.tag ?? 'latest'}`;
    if (seen) await checkHolder(connection, name, seen, image?.id, call.signal);
    // By its id: a tag may lead to another image since the user chose.
    return tagImage(connection, image?.id ?? id, wanted, call.signal);
  },
};

function checkTag({ repository, tag }: TagArguments): TagArguments {
  const checked = parseRepositoryAndTag(repository, tag);
  if (!checked.ok) throw new InputError(describeReferenceProblem(checked.problem, l10n));
  return checked.value;
}

async function askTag({ name, image, context }: Target): Promise<TagArguments | undefined> {
  const text = await askNewName({
    title: l10n.t('Tag {0}', name),
    value: image?.tags[0] ?? '',
    context,
    imageId: image?.id,
  });
  if (text === undefined) return undefined;
  const holder = holderOf(text, context.inventory.images.values())?.id;
  return { ...checkTag({ repository: text }), seen: { holder } };
}
