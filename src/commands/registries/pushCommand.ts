import * as l10n from '@vscode/l10n';
import type { RegistryAuth } from '../../engine/wire/registryAuth.ts';
import { InputError } from '../../engine/errors.ts';
import { withSignal } from '../../engine/http/withTimeLimit.ts';
import { tagImage } from '../../engine/images/images.ts';
import { ImageChangedError } from '../../engine/images/imageChangedError.ts';
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
  holderNow,
  imageByTag,
  type SeenTagOwner,
} from '../../review/imageByTag.ts';
import type { Transfer, TransferSpec } from '../../registries/transfers/transfer.ts';
import type { TargetCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { validationMessage } from '../ui/formRows.ts';
import { tagClashMessage } from '../frame/askImageName.ts';
import { authField, referenceToPull } from './pullCommand.ts';
import { registriesOf } from './registriesOf.ts';
import { formatName } from '../ui/formatNames.ts';
import type { CommandTarget } from '../frame/targets.ts';

interface PushArguments {
  /** The name to push the image under. It is tagged with that first. */
  readonly as?: string;
  readonly auth?: RegistryAuth;
  /** The tag owner that the user was warned of. Not part of the argument. */
  readonly seen?: SeenTagOwner;
}

/** The result of a push. */
interface Pushed extends PushResult {
  readonly reference: string;
}

/** Pushes an image to its registry. */
export const pushCommand = (): TargetCommand<PushArguments, Pushed> => ({
  id: 'gantry.images.push',
  on: 'image',
  schema: { as: { kind: 'text' }, auth: authField },
  isForOne: true,
  progress: 'never',
  progressTitle: (name) => l10n.t('Pushing {0}', name),
  failureTitle: (name) => l10n.t('Could not push {0}', name),
  ask: async ([target]) => (target ? askName(target) : undefined),
  run: async ({ args, target: find, connect, isInteractive, signal }, context) => {
    const wanted = args.as === undefined ? undefined : pushTarget(args.as);
    const { id, image } = await find();
    const target = wanted ?? pushTarget(referenceToPull(id));
    if (wanted) {
      const connection = await connect();
      const { seen } = args;
      if (seen) await checkTagOwner(connection, formatReference(wanted), seen, image?.id, signal);
      const { familiar: repository, tag } = wanted;
      await tagImage(connection, image?.id ?? id, { repository, tag }, signal);
    }
    const chosen = image?.id;
    const holder =
      chosen ?? (await holderNow(await connect(), formatReference(target), signal))?.id;
    const spec = pushSpec(context, target, args.auth, isInteractive, { chosen, holder });
    const transfer = context.window.transfers.push(spec);
    const pushed = isInteractive
      ? await context.window.pulls.show(transfer, signal)
      : await transfer.join(signal);
    return { reference: spec.reference, ...pushed };
  },
  message: ({ reference }) => l10n.t('Pushed {0}.', reference),
});

function pushSpec(
  context: CommandContext,
  target: Reference,
  given: RegistryAuth | undefined,
  keepsFailure: boolean,
  { chosen, holder }: PushedImage,
): TransferSpec<PushResult> {
  const reference = formatReference(target);
  const engine = context.unit.id;
  const name = fullName(target);
  // Of two images, the one that was pushed last must have the name in the registry.
  const { all } = context.window.transfers;
  const earlier = all.filter(({ spec }) => isPushTo(spec, engine, name) && spec.image !== holder);
  let hasReportedMove = false;
  return {
    kind: 'push',
    engine,
    reference,
    fullName: name,
    image: holder,
    title: context.titleOf(reference),
    isPrivate: given !== undefined,
    keepsFailure,
    work: async (onStep, signal, isInteractive) => {
      await withSignal(Promise.all(earlier.map(({ settled }) => settled)), signal);
      const connection = await context.engine.connect(signal);
      const access = { connection, ref: target, given, isInteractive, signal };
      // A user who tries again after reading that the tag has moved means the image that it refers to now.
      const image = isInteractive && hasReportedMove ? undefined : chosen;
      const registries = await context.window.registries();
      return registries.withAuth(access, async (auth) => {
        // Engines push by tag, and signing in may have taken a while.
        if (image !== undefined) {
          await checkTagUnchanged(connection, reference, image, signal).catch((error: unknown) => {
            hasReportedMove ||= error instanceof ImageChangedError;
            throw error;
          });
        }
        return pushImage(connection, { reference, auth }, onStep, signal);
      });
    },
  };
}

/** The image that is pushed under a name. */
interface PushedImage {
  /** The ID of the image that the user has chosen; undefined if only its name was given. */
  readonly chosen: string | undefined;
  /** The ID of the image that has the name. */
  readonly holder: string | undefined;
}

function isPushTo(spec: Transfer['spec'], engine: string, name: string): boolean {
  return spec.kind === 'push' && spec.engine === engine && spec.fullName === name;
}

/** Asks for a new name, unless the image has one with a registry. */
async function askName({
  id,
  name,
  image,
  context,
}: CommandTarget): Promise<PushArguments | undefined> {
  const parsed = parseReference(id);
  const isNamed = image ? image.tags.length > 0 : parsed.ok;
  if (!isNamed) throw new InputError(l10n.t('This image has no tag. Tag it first.'));
  if (!parsed.ok || hasOwnRegistry(parsed.value)) return {};
  const detail = l10n.t(
    'The image name has no registry to push to. Tag it with one first, for example registry.example.com/app:1.0.',
  );
  if (!(await context.ui.confirm(l10n.t('Tag {0}?', formatName(name)), detail, l10n.t('Tag...'))))
    return undefined;
  const holderOf = (text: string) => imageByTag(text, context.inventory.images.values())?.id;
  const as = await context.ui.input({
    title: l10n.t('Push {0}', name),
    canGoBack: true,
    prompt: l10n.t('Image name to push to, including the registry'),
    placeholder: 'registry.example.org/app:1',
    value: suggestion(parsed.value, context),
    problem: (text) => validationMessage(() => pushTarget(text)),
    // If the image already has the name, no tag moves.
    warning: (text) => (holderOf(text) === image?.id ? undefined : tagClashMessage(text, context)),
  });
  if (as === undefined) return undefined;
  return { as, seen: { holder: holderOf(as) } };
}

/** Suggests a name in the registry of another local image, if there is one. */
function suggestion(reference: Reference, { inventory }: CommandContext): string {
  const last = reference.repository.split('/').at(-1) ?? '';
  const others = registriesOf(inventory.images.values()).filter((one) => one !== 'docker.io');
  const [registry = 'registry.example.org'] = others;
  return `${registry}/${last}:${reference.tag ?? 'latest'}`;
}
