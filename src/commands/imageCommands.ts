import * as vscode from 'vscode';
import { removeImage, tagImage } from '../engine/images.ts';
import type { Image } from '../engine/model.ts';
import { describeReferenceProblem, parseRepositoryAndTag } from '../engine/reference.ts';
import { InputError } from '../engine/errors.ts';
import type { CommandContext } from './context.ts';
import { confirm } from './person.ts';
import { shownText } from './shown.ts';
import type { TargetCommand } from './command.ts';
import type { Target } from './targets.ts';

const { l10n } = vscode;

interface TagArguments {
  readonly repository: string;
  readonly tag?: string;
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
    const { id } = await call.target();
    return tagImage(await call.connect(), id, wanted, call.signal);
  },
};

function checkTag({ repository, tag }: TagArguments): TagArguments {
  const checked = parseRepositoryAndTag(repository, tag);
  if (!checked.ok) throw new InputError(describeReferenceProblem(checked.problem, l10n));
  return checked.value;
}

async function askTag(target: Target): Promise<TagArguments | undefined> {
  const text = await vscode.window.showInputBox({
    title: shownText(l10n.t('Tag {0}', target.name)),
    prompt: l10n.t('New name of the image, as repository:tag'),
    value: target.image?.tags[0] ?? '',
    validateInput: (value) => {
      const checked = parseRepositoryAndTag(value);
      return checked.ok ? undefined : shownText(describeReferenceProblem(checked.problem, l10n));
    },
  });
  return text === undefined ? undefined : checkTag({ repository: text });
}

interface RemoveArguments {
  readonly force?: boolean;
}

/** Removes a name of an image; with its last name, the image. */
export const removeImageCommand: TargetCommand<
  RemoveArguments,
  { readonly outcome: 'removed' | 'untagged' | 'alreadyGone' }
> = {
  id: 'gantry.images.remove',
  kind: 'image',
  shape: { force: { kind: 'boolean' } },
  verb: 'removing',
  doing: (name) => l10n.t('Removing {0}', name),
  failing: (name) => l10n.t('Could not remove {0}', name),
  ask: confirmRemove,
  run: async (call) => {
    const { id } = await call.target();
    return removeImage(await call.connect(), id, call.args, call.signal);
  },
};

async function confirmRemove(targets: readonly Target[]): Promise<RemoveArguments | undefined> {
  const [first] = targets;
  const question =
    targets.length === 1 && first
      ? l10n.t('Remove {0}?', first.name)
      : l10n.t('Remove {0} images?', targets.length);
  const removed = new Set(targets.map((target) => target.id));
  const sentences = targets.map((target) => whatGoes(target, removed));
  return (await confirm(question, [...new Set(sentences)].join('\n'), l10n.t('Remove')))
    ? {}
    : undefined;
}

/** Says whether a name goes or the image, and who uses it. */
function whatGoes({ name, image, context }: Target, removed: ReadonlySet<string>): string {
  if (!image) return l10n.t('{0} goes.', name);
  const staying = image.tags.filter((tag) => !removed.has(tag));
  if (staying.length > 0) {
    return l10n.t('Only the name {0} goes. The image stays as {1}.', name, staying.join(', '));
  }
  const users = usersOf(image, context);
  return users.length === 0
    ? l10n.t('The image {0} is deleted.', name)
    : l10n.t('The image {0} is deleted. Used by {1}.', name, users.join(', '));
}

function usersOf(image: Image, context: CommandContext): readonly string[] {
  return [...context.inventory.containersOf(image.id)].flatMap((id) => {
    const container = context.inventory.containers.get(id);
    return container ? [container.name] : [];
  });
}
