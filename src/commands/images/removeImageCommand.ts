import * as l10n from '@vscode/l10n';
import { capabilitiesOf } from '../../engine/capabilities/capabilities.ts';
import { EngineError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import {
  listUsedImages,
  removeConfirmed,
  removeUnusedImage,
  type ConfirmedRemoval,
  type RemovableImage,
} from '../../engine/system/removeUnusedImage.ts';
import { findImage, removeImage } from '../../engine/images/images.ts';
import { isUp, type Container } from '../../engine/model.ts';
import type { TargetCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import {
  agreementOf,
  removeOneQuestion,
  removeSeveralQuestion,
  chosenKeys,
  type RemoveImageChoice,
  type RemovedImage,
} from './removeImageQuestion.ts';
import { nameAmong, uiOf, type CommandTarget } from '../frame/targets.ts';
import { imageDisplayName } from '../../views/images/imageNames.ts';
import type { Ui } from '../ui/ui.ts';
import { keptImageMessage } from '../ui/errorMessage.ts';

interface RemoveArguments {
  readonly force?: boolean;
  /** Remove the image with all its tags, whichever tag was given. */
  readonly allNames?: boolean;
  /** Removals that the user confirmed, by target. Not part of the argument. */
  readonly agreed?: ReadonlyMap<CommandTarget, ConfirmedRemoval>;
}

interface Removed {
  readonly outcome: 'removed' | 'untagged' | 'alreadyGone';
}

/** Removes a tag of an image. With its last tag, or if all tags are to be removed, removes the image. */
export const removeImageCommand = (ui: Ui): TargetCommand<RemoveArguments, Removed> => ({
  id: 'gantry.images.remove',
  on: 'image',
  schema: { force: { kind: 'boolean' }, allNames: { kind: 'boolean' } },
  verb: 'removing',
  progressTitle: (name) => l10n.t('Removing {0}', name),
  failureTitle: (name) => l10n.t('Could not remove {0}', name),
  ask: (targets) => ask(ui, targets),
  run: async ({ args, target, connect, signal }) => {
    const { allNames, agreed, ...options } = args;
    const wanted = await target();
    const confirmed = agreed?.get(wanted);
    const connection = await connect();
    // Removes only the tag if given a tag, and the image if given an ID.
    const remove = async (name: string): Promise<Removed> => {
      if (!confirmed) return removeImage(connection, name, options, signal);
      // With several tags, the engine would remove all but the last one.
      const isWhole = !confirmed.keepsImage && confirmed.tags.length > 1 && options.force !== true;
      if (isWhole && (await listUsedImages(connection, signal)).has(confirmed.id)) throw inUse();
      return removeConfirmed(connection, name, confirmed, options, signal);
    };
    if (allNames !== true) return remove(wanted.id);
    const found = await findImage(connection, confirmed?.id ?? wanted.id, signal);
    if (!found) return { outcome: 'alreadyGone' };
    if (options.force === true) return remove(found.id);
    return removeWhole(connection, confirmed ?? found, signal);
  },
});

async function removeWhole(
  connection: Connection,
  image: RemovableImage,
  signal: AbortSignal,
): Promise<Removed> {
  const used = await listUsedImages(connection, signal);
  const kept = await removeUnusedImage(connection, image, used, signal);
  if (!kept) return { outcome: 'removed' };
  if (kept.why === 'refused') throw kept.error;
  throw new EngineError('conflict', { engineMessage: keptImageMessage(kept) });
}

function inUse(): EngineError {
  return new EngineError('conflict', { engineMessage: keptImageMessage({ why: 'used' }) });
}

/** Shows what is removed and what depends on it, and lets the user choose how much to remove. */
async function ask(
  ui: Ui,
  targets: readonly CommandTarget[],
): Promise<RemoveArguments | undefined> {
  const all = targets.flatMap((target) => {
    const one = removedImage(target);
    return one ? [{ target, one: { ...one, name: nameAmong(target, targets) } }] : [];
  });
  const [first] = all;
  if (!first) return undefined;
  const images = all.map(({ one }) => one);
  const { question, detail, choices } =
    all.length === 1 ? removeOneQuestion(first.one) : removeSeveralQuestion(images);
  const buttons = choices.map(({ button }) => button);
  const answer = await uiOf(targets, ui).choose(question, detail, buttons);
  const does = choices.find(({ button }) => button === answer)?.does;
  if (does === 'showContainers') showUsers(ui, all);
  const extent = does && EXTENTS[does];
  const chosen = chosenKeys(images);
  return (
    extent && {
      ...extent,
      agreed: new Map(all.map(({ target, one }) => [target, agreementOf(one, chosen)])),
    }
  );
}

/** The arguments for each choice; undefined for a button that removes nothing. */
const EXTENTS: Readonly<Record<RemoveImageChoice['does'], RemoveArguments | undefined>> = {
  remove: {},
  removeWhole: { allNames: true },
  forceRemove: { allNames: true, force: true },
  showContainers: undefined,
};

function showUsers(
  ui: Ui,
  all: readonly { readonly target: CommandTarget; readonly one: RemovedImage }[],
): void {
  const used = all.find(({ one }) => one.users.length > 0);
  const [user] = used?.one.users ?? [];
  if (!used || !user) return;
  used.target.context.reveal(user.id);
  ui.focusView('gantry.containers.focus');
}

/** Returns undefined for an image that the inventory does not have, because nothing is known about it. */
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
