import * as vscode from 'vscode';
import { capabilitiesOf } from '../engine/capabilities.ts';
import { EngineError } from '../engine/errors.ts';
import { removeImages } from '../engine/imageRemoval.ts';
import { inspectImage, removeImage } from '../engine/images.ts';
import { isUp, type Container, type Image } from '../engine/model.ts';
import type { TargetCall, TargetCommand } from './command.ts';
import type { CommandContext } from './context.ts';
import { confirm } from './person.ts';
import { shownText } from './shown.ts';
import { nameOfImage, type Target } from './targets.ts';

const { l10n } = vscode;

interface RemoveArguments {
  readonly force?: boolean;
  /** The image with all its names, whichever of them was given. */
  readonly allNames?: boolean;
}

interface Removed {
  readonly outcome: 'removed' | 'untagged' | 'alreadyGone';
}

/** Removes a name of an image; with its last name, or if asked for with all of them, the image. */
export const removeImageCommand: TargetCommand<RemoveArguments, Removed> = {
  id: 'gantry.images.remove',
  kind: 'image',
  shape: { force: { kind: 'boolean' }, allNames: { kind: 'boolean' } },
  verb: 'removing',
  doing: (name) => l10n.t('Removing {0}', name),
  failing: (name) => l10n.t('Could not remove {0}', name),
  ask: (targets) => {
    const [only] = targets;
    return targets.length === 1 && only?.image
      ? confirmOne(only, only.image)
      : confirmSeveral(targets);
  },
  run: async (call) => {
    const { allNames, ...options } = call.args;
    const { id } = await call.target();
    if (allNames === true) return removeWhole(call, id);
    return removeImage(await call.connect(), id, options, call.signal);
  },
};

async function removeWhole(call: TargetCall<RemoveArguments>, name: string): Promise<Removed> {
  const connection = await call.connect();
  const found = await inspectImage(connection, name, call.signal).catch((error: unknown) => {
    if (error instanceof EngineError && error.reason === 'notFound') return undefined;
    throw error;
  });
  if (!found) return { outcome: 'alreadyGone' };
  if (call.args.force === true) {
    return removeImage(connection, found.id, { force: true }, call.signal);
  }
  const { kept } = await removeImages(connection, [found], call.signal);
  if (kept.size === 0) return { outcome: 'removed' };
  const why = kept.get(found.id);
  throw why instanceof Error
    ? why
    : new EngineError('conflict', { engineMessage: l10n.t('A container uses the image.') });
}

/** A choice of a person, and what its button says. */
interface Choice {
  readonly button: string;
  readonly args: RemoveArguments;
}

/** Says what goes and who is left without it, and lets the person choose how much. */
async function confirmOne(target: Target, image: Image): Promise<RemoveArguments | undefined> {
  const { name, context } = target;
  const users = usersOf(image, context);
  const others = image.tags.filter((tag) => tag !== target.id);
  const isNameOnly = others.length > 0 && image.tags.includes(target.id);
  const whole: Choice = isNameOnly
    ? { button: l10n.t('Remove Image'), args: { allNames: true } }
    : { button: l10n.t('Remove'), args: {} };
  const choices: Choice[] = isNameOnly
    ? [{ button: l10n.t('Remove Name'), args: {} }, whole]
    : [whole];
  const force = forceOf(users, context);
  if (force) choices.push(force.choice);
  const detail = [
    whatGoes(target, new Set([target.id])),
    isNameOnly ? l10n.t('Or the image goes, with all its names.') : '',
    isNameOnly && users.length > 0 ? usedWords(users) : '',
    childWords(image, context),
    users.length > 0 ? (force?.words ?? l10n.t('The engine does not remove it meanwhile.')) : '',
  ];
  return choose(l10n.t('Remove {0}?', name), detail, choices);
}

async function choose(
  question: string,
  detail: readonly string[],
  choices: readonly Choice[],
): Promise<RemoveArguments | undefined> {
  const lines = detail.filter((line) => line !== '').join('\n');
  const buttons = choices.map(({ button }) => button);
  const options = { modal: true, detail: shownText(lines) };
  const answer = await vscode.window.showWarningMessage(shownText(question), options, ...buttons);
  return choices.find(({ button }) => button === answer)?.args;
}

async function confirmSeveral(targets: readonly Target[]): Promise<RemoveArguments | undefined> {
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
  const staying = removed.has(image.id) ? [] : image.tags.filter((tag) => !removed.has(tag));
  if (staying.length > 0) {
    return l10n.t('Only the name {0} goes. The image stays as {1}.', name, staying.join(', '));
  }
  const users = usersOf(image, context);
  const goes = l10n.t('The image {0} is deleted.', name);
  return users.length === 0 ? goes : `${goes} ${usedWords(users)}`;
}

function usedWords(users: readonly Container[]): string {
  return l10n.t('Used by {0}.', users.map((one) => one.name).join(', '));
}

function childWords({ id }: Image, { inventory }: CommandContext): string {
  const children = [...inventory.images.values()].filter(({ parentId }) => parentId === id);
  return children.length === 0
    ? ''
    : l10n.t('{0} was made from it.', children.map(nameOfImage).join(', '));
}

/** What force would do, where it does something; undefined where the engine refuses even then. */
function forceOf(
  users: readonly Container[],
  { inventory }: CommandContext,
): { readonly choice: Choice; readonly words: string } | undefined {
  if (users.length === 0 || inventory.phase.kind !== 'live') return undefined;
  const { forcedRemovalKeepsUsers } = capabilitiesOf(inventory.phase.info);
  if (forcedRemovalKeepsUsers && users.some(isUp)) return undefined;
  const words = forcedRemovalKeepsUsers
    ? l10n.t('By force the image goes all the same, and these containers stay without it.')
    : l10n.t('By force these containers are removed, too, even while they run.');
  return {
    choice: { button: l10n.t('Remove by Force'), args: { allNames: true, force: true } },
    words,
  };
}

function usersOf(image: Image, { inventory }: CommandContext): readonly Container[] {
  return [...inventory.containersOf(image.id)].flatMap((id) => inventory.containers.get(id) ?? []);
}
