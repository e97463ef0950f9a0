import * as vscode from 'vscode';
import type { RegistryAuth } from '../../engine/registries/registryAuth.ts';
import { InputError } from '../../engine/errors.ts';
import { tagImage } from '../../engine/images/images.ts';
import { ImageChangedError } from '../../engine/images/removeImages.ts';
import type { Image } from '../../engine/model.ts';
import {
  hasOwnRegistry,
  pushImage,
  pushTarget,
  type PushResult,
} from '../../engine/images/pushImage.ts';
import {
  formatReference,
  fullName,
  parseReference,
  type Reference,
} from '../../engine/options/reference.ts';
import {
  checkTagOwner,
  checkTagUnchanged,
  imageByTag,
  type SeenTagOwner,
} from '../../review/imageByTag.ts';
import type { TransferSpec } from '../../transfers/transfer.ts';
import type { TargetCall, TargetCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { askText } from '../forms/form.ts';
import { validationMessage } from '../forms/formRows.ts';
import { tagClashMessage } from '../forms/askImageName.ts';
import { confirm } from '../notifications.ts';
import { authField, referenceToPull } from './pullCommand.ts';
import { formatName } from '../displayText.ts';
import type { CommandTarget } from '../targets.ts';

const { l10n } = vscode;

interface PushArguments {
  /** The name to push it under, which it is given first. */
  readonly as?: string;
  readonly auth?: RegistryAuth;
  /** What the user was warned of; not a part of the argument. */
  readonly seen?: SeenTagOwner;
}

/** What has been pushed. */
interface Pushed extends PushResult {
  readonly reference: string;
}

/** Sends an image to its registry. */
export const pushCommand: TargetCommand<PushArguments, Pushed> = {
  id: 'gantry.images.push',
  kind: 'image',
  schema: { as: { kind: 'text' }, auth: authField },
  isForOne: true,
  progress: 'never',
  progressTitle: (name) => l10n.t('Pushing {0}', name),
  failureTitle: (name) => l10n.t('Could not push {0}', name),
  ask: async ([target]) => (target ? askName(target) : undefined),
  run: push,
  say: ({ reference }) => l10n.t('Pushed {0}.', reference),
};

async function push(call: TargetCall<PushArguments>, context: CommandContext): Promise<Pushed> {
  const { args, isInteractive, signal } = call;
  const wanted = args.as === undefined ? undefined : pushTarget(args.as, l10n);
  const { id, image } = await call.target();
  const target = wanted ?? pushTarget(referenceToPull(id), l10n);
  if (wanted) {
    const connection = await call.connect();
    const { seen } = args;
    if (seen) await checkTagOwner(connection, formatReference(wanted), seen, image?.id, signal);
    await tagImage(connection, image?.id ?? id, tagOf(wanted), signal);
  }
  const spec = pushSpec(context, target, args.auth, isInteractive, image?.id);
  const transfer = context.transfers.push(spec);
  const pushed = isInteractive
    ? await context.pulls.show(transfer, signal)
    : await transfer.join(signal);
  return { reference: spec.reference, ...pushed };
}

function tagOf({ familiar, tag }: Reference): { repository: string; tag: string | undefined } {
  return { repository: familiar, tag };
}

function pushSpec(
  context: CommandContext,
  target: Reference,
  given: RegistryAuth | undefined,
  keepsFailure: boolean,
  chosen: string | undefined,
): TransferSpec<PushResult> {
  const reference = formatReference(target);
  let hasToldMoved = false;
  return {
    ...{ kind: 'push', engine: context.unit.id, reference, fullName: fullName(target) },
    title: context.titleOf(reference),
    isPrivate: given !== undefined,
    keepsFailure,
    work: async (onStep, signal, isInteractive) => {
      const connection = await context.engine.connect(signal);
      const access = { connection, ref: target, given, isInteractive, signal };
      // A user who tries again after reading that the tag moved chooses the image it refers to now.
      const image = isInteractive && hasToldMoved ? undefined : chosen;
      return context.registries.withAuth(access, async (auth) => {
        // A push goes by the tag, and signing in may have taken a while.
        if (image !== undefined) {
          await checkTagUnchanged(connection, reference, image, signal).catch((error: unknown) => {
            hasToldMoved ||= error instanceof ImageChangedError;
            throw error;
          });
        }
        return pushImage(connection, { reference, ...(auth && { auth }) }, l10n, onStep, signal);
      });
    },
  };
}

/** Nothing is asked where the name says a registry; else the image needs a name that does. */
async function askName({
  id,
  name,
  image,
  context,
}: CommandTarget): Promise<PushArguments | undefined> {
  const parsed = parseReference(id);
  const isNamed = image ? image.tags.length > 0 : parsed.ok;
  if (!isNamed)
    throw new InputError(l10n.t('An image without a name is in no registry. Name it first.'));
  if (!parsed.ok || hasOwnRegistry(parsed.value)) return {};
  const detail = l10n.t(
    'The name says no registry of yours, so nobody knows where to push it. With a tag that does it can be pushed.',
  );
  if (!(await confirm(l10n.t('Tag {0}?', formatName(name)), detail, l10n.t('Tag…'))))
    return undefined;
  const as = await askText(
    { title: l10n.t('Push {0}', name) },
    {
      prompt: l10n.t('Name to push it under, with its registry'),
      placeholder: 'registry.example.org/app:1',
      value: suggestion(parsed.value, context),
      problem: (text) => validationMessage(() => pushTarget(text, l10n)),
      warning: (text) => clashOf(text, image, context),
    },
  );
  if (as === undefined) return undefined;
  return { as, seen: { holder: imageByTag(as, context.inventory.images.values())?.id } };
}

/** An image may have the name already: nothing moves then. */
function clashOf(
  text: string,
  image: Image | undefined,
  context: CommandContext,
): string | undefined {
  const holder = imageByTag(text, context.inventory.images.values());
  return holder && holder.id !== image?.id ? tagClashMessage(text, context) : undefined;
}

/** In the registry of another image that is here, if there is one. */
function suggestion(reference: Reference, { inventory }: CommandContext): string {
  const last = reference.repository.split('/').at(-1) ?? '';
  const registries = [...inventory.images.values()]
    .flatMap((image) => image.tags)
    .map((tag) => parseReference(tag))
    .flatMap((parsed) => (parsed.ok && hasOwnRegistry(parsed.value) ? [parsed.value.registry] : []))
    .filter((registry) => registry !== 'docker.io');
  const [registry = 'registry.example.org'] = registries;
  return `${registry}/${last}:${reference.tag ?? 'latest'}`;
}
