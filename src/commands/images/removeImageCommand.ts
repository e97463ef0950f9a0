import * as vscode from 'vscode';
import { capabilitiesOf } from '../../engine/capabilities.ts';
import { EngineError } from '../../engine/errors.ts';
import {
  findImageByName,
  removeConfirmed,
  removeImages,
  type ConfirmedRemoval,
  type KeptImage,
} from '../../engine/images/removeImages.ts';
import { removeImage } from '../../engine/images/images.ts';
import { isUp, type Container } from '../../engine/model.ts';
import type { TargetCall, TargetCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { choose } from '../notifications.ts';
import {
  agreementOf,
  removeOneQuestion,
  removeSeveralQuestion,
  chosenKeys,
  type RemoveImageChoice,
  type RemovedImage,
} from './removeImageQuestion.ts';
import { formatNames } from '../displayText.ts';
import { imageDisplayName, type CommandTarget } from '../targets.ts';

const { l10n } = vscode;

interface RemoveArguments {
  readonly force?: boolean;
  /** The image with all its tags, whichever of them was given. */
  readonly allNames?: boolean;
  /** What the user was told of each; not a part of the argument. */
  readonly agreed?: ReadonlyMap<CommandTarget, ConfirmedRemoval>;
}

interface Removed {
  readonly outcome: 'removed' | 'untagged' | 'alreadyGone';
}

/** Removes a tag of an image; with its last tag, or if asked for with all of them, the image. */
export const removeImageCommand: TargetCommand<RemoveArguments, Removed> = {
  id: 'gantry.images.remove',
  kind: 'image',
  schema: { force: { kind: 'boolean' }, allNames: { kind: 'boolean' } },
  verb: 'removing',
  progressTitle: (name) => l10n.t('Removing {0}', name),
  failureTitle: (name) => l10n.t('Could not remove {0}', name),
  ask,
  run: async (call) => {
    const { allNames, agreed, ...options } = call.args;
    const target = await call.target();
    const told = agreed?.get(target);
    const connection = await call.connect();
    if (allNames === true) return removeWhole(call, target.id, told);
    return told
      ? removeConfirmed(connection, target.id, told, options, call.signal)
      : removeImage(connection, target.id, options, call.signal);
  },
};

async function removeWhole(
  call: TargetCall<RemoveArguments>,
  name: string,
  agreed: ConfirmedRemoval | undefined,
): Promise<Removed> {
  const connection = await call.connect();
  const found = await findImageByName(connection, agreed?.id ?? name, call.signal);
  if (!found) return { outcome: 'alreadyGone' };
  if (call.args.force === true) {
    const options = { force: true };
    return agreed
      ? removeConfirmed(connection, found.id, agreed, options, call.signal)
      : removeImage(connection, found.id, options, call.signal);
  }
  const { kept } = await removeImages(connection, [agreed ?? found], call.signal);
  const why = kept.get(found.id);
  if (!why) return { outcome: 'removed' };
  if (why.why === 'refused') throw why.error;
  throw new EngineError('conflict', { engineMessage: keptImageMessage(why) });
}

/** Why an image was kept, for what we found ourselves. */
export function keptImageMessage(kept: Exclude<KeptImage, { why: 'refused' }>): string {
  return kept.why === 'used'
    ? l10n.t('A container uses the image.')
    : l10n.t('It got a new tag in the meantime: {0}.', formatNames(kept.tags, l10n, 3));
}

/** Says what is removed and what depends on it, and lets the user choose how much. */
async function ask(targets: readonly CommandTarget[]): Promise<RemoveArguments | undefined> {
  const all = targets.flatMap((target) => {
    const one = removedImage(target);
    return one ? [{ target, one }] : [];
  });
  const [first] = all;
  if (!first) return undefined;
  const { question, detail, choices } =
    all.length === 1
      ? removeOneQuestion(first.one, l10n)
      : removeSeveralQuestion(
          all.map(({ one }) => one),
          l10n,
        );
  const buttons = choices.map(({ button }) => button);
  const answer = await choose(question, detail, buttons);
  const does = choices.find(({ button }) => button === answer)?.does;
  if (does === 'showContainers') showUsers(all);
  const chosen = chosenKeys(all.map(({ one }) => one));
  return argumentsFor(
    does,
    new Map(all.map(({ target, one }) => [target, agreementOf(one, chosen)])),
  );
}

function argumentsFor(
  does: RemoveImageChoice['does'] | undefined,
  agreed: ReadonlyMap<CommandTarget, ConfirmedRemoval>,
): RemoveArguments | undefined {
  switch (does) {
    case 'remove':
      return { agreed };
    case 'removeWhole':
      return { agreed, allNames: true };
    case 'forceRemove':
      return { agreed, allNames: true, force: true };
    case 'showContainers':
    case undefined:
      return undefined;
  }
}

function showUsers(
  all: readonly { readonly target: CommandTarget; readonly one: RemovedImage }[],
): void {
  const used = all.find(({ one }) => one.users.length > 0);
  const [user] = used?.one.users ?? [];
  if (!used || !user) return;
  used.target.context.reveal(user.id);
  void vscode.commands.executeCommand('gantry.containers.focus');
}

/** Undefined for one that no view knows, of which nothing can be told. */
function removedImage({ id, name, image, context }: CommandTarget): RemovedImage | undefined {
  if (!image) return undefined;
  const { inventory } = context;
  const users = [...inventory.containersOf(image.id)].flatMap(
    (user) => inventory.containers.get(user) ?? [],
  );
  const children = [...inventory.images.values()]
    .filter(({ parentId }) => parentId === image.id)
    .map(imageDisplayName);
  return {
    engine: context.unit.id,
    id,
    name,
    image,
    users,
    children,
    force: forceOf(users, context),
  };
}

function forceOf(
  users: readonly Container[],
  { inventory }: CommandContext,
): RemovedImage['force'] {
  if (users.length === 0 || inventory.phase.kind !== 'live') return undefined;
  const { forcedRemovalKeepsUsers } = capabilitiesOf(inventory.phase.info);
  if (!forcedRemovalKeepsUsers) return 'removesContainers';
  return users.some(isUp) ? undefined : 'keepsContainers';
}
