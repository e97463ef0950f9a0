import * as l10n from '@vscode/l10n';
import { capabilitiesOf } from '../../engine/capabilities/capabilities.ts';
import type { RegistryAuth } from '../../engine/wire/registryAuth.ts';
import { inspectInRegistry } from '../../engine/registries/registryImage.ts';
import { InputError } from '../../engine/errors.ts';
import { inspectImage } from '../../engine/images/images.ts';
import { pullTarget } from '../../engine/images/pullImage.ts';
import { formatReference } from '../../engine/options/reference.ts';
import { compareDigest } from '../../registries/transfers/newerImages.ts';
import type { TargetCommand } from '../frame/command.ts';
import { authField, referenceToPull } from './pullCommand.ts';

/** The result of comparing an image with the one in its registry. */
interface Compared {
  readonly outcome: ReturnType<typeof compareDigest>;
  /** The digest in the registry. */
  readonly digest: string;
}

/** Checks whether the registry has another image under this reference than the engine. */
export const checkNewerCommand = (): TargetCommand<{ readonly auth?: RegistryAuth }, Compared> => ({
  id: 'gantry.images.checkNewer',
  on: 'image',
  schema: { auth: authField },
  progressTitle: (name) => l10n.t('Checking for a newer {0}', name),
  failureTitle: (name) => l10n.t('Could not check for a newer {0}', name),
  run: async ({ args, target, connect, isInteractive, signal }, context) => {
    const { id } = await target();
    const ref = pullTarget(referenceToPull(id));
    const reference = formatReference(ref);
    const connection = await connect();
    if (!capabilitiesOf(await connection.info(signal)).asksRegistries) {
      throw new InputError(l10n.t('This engine cannot check registries for newer images.'));
    }
    const image = await inspectImage(connection, reference, signal);
    const access = { connection, ref, given: args.auth, isInteractive, signal };
    const registries = await context.window.registries();
    const { digest } = await registries.withAuth(access, (auth) =>
      inspectInRegistry(connection, reference, auth, signal),
    );
    context.window.newer.record({ engine: context.unit.id, reference }, digest);
    return { outcome: compareDigest(image, ref, digest), digest };
  },
  message: ({ outcome }, { name }) => {
    switch (outcome) {
      case 'newer':
        return l10n.t('A newer {0} is available.', name);
      case 'current':
        return l10n.t('{0} is up to date.', name);
      case 'notPulled':
        return l10n.t(
          '{0} was not pulled from its registry. The registry has a different image.',
          name,
        );
    }
  },
});
