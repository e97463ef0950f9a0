import * as vscode from 'vscode';
import { capabilitiesOf } from '../../engine/capabilities.ts';
import type { RegistryAuth } from '../../engine/registries/registryAuth.ts';
import { inspectInRegistry } from '../../engine/registries/registryImage.ts';
import { InputError } from '../../engine/errors.ts';
import { inspectImage } from '../../engine/images/images.ts';
import { pullTarget } from '../../engine/images/pullImage.ts';
import { formatReference } from '../../engine/options/reference.ts';
import { hasDigest, isFrom } from '../../transfers/newerImages.ts';
import type { TargetCall, TargetCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { authField, referenceToPull } from '../registries/pullCommand.ts';

const { l10n } = vscode;

/** How an image stands to what its registry has under its name. */
interface Compared {
  /** `notPulled`: the engine has it not from that registry, so that they cannot be compared. */
  readonly outcome: 'newer' | 'current' | 'notPulled';
  /** What the registry has. */
  readonly digest: string;
}

/** Asks the registry whether it has another image under this name than the engine. */
export const checkNewerCommand: TargetCommand<{ readonly auth?: RegistryAuth }, Compared> = {
  id: 'gantry.images.checkNewer',
  kind: 'image',
  schema: { auth: authField },
  progressTitle: (name) => l10n.t('Asking for a newer {0}', name),
  failureTitle: (name) => l10n.t('Could not ask for a newer {0}', name),
  run: compare,
  say: ({ outcome }, { name }) => {
    switch (outcome) {
      case 'newer':
        return l10n.t('There is a newer {0}.', name);
      case 'current':
        return l10n.t('{0} is what its registry has.', name);
      case 'notPulled':
        return l10n.t('{0} has not come from its registry, which has another image.', name);
    }
  },
};

async function compare(
  { args, target, connect, isInteractive, signal }: TargetCall<{ readonly auth?: RegistryAuth }>,
  context: CommandContext,
): Promise<Compared> {
  const { id } = await target();
  const ref = pullTarget(referenceToPull(id), l10n);
  const reference = formatReference(ref);
  const connection = await connect();
  if (!capabilitiesOf(await connection.info(signal)).asksRegistries) {
    throw new InputError(l10n.t('This engine cannot be asked what a registry has.'));
  }
  const image = await inspectImage(connection, reference, signal);
  const access = { connection, ref, given: args.auth, isInteractive, signal };
  const { digest } = await context.registries.withAuth(access, (auth) =>
    inspectInRegistry(connection, reference, auth, signal),
  );
  context.newer.note({ engine: context.unit.id, reference }, digest);
  if (hasDigest(image, reference, digest)) return { outcome: 'current', digest };
  return { outcome: isFrom(image, ref) ? 'newer' : 'notPulled', digest };
}
