import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import { Secret } from '../../base/secret.ts';
import { readRegistry } from '../../registries/registryRef.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { SignInService } from '../credentials/signInService.ts';
import { signInInteractively, type SignedIn } from '../credentials/signInInteractively.ts';
import { registriesOf } from './registriesOf.ts';
import { suggestedImages } from '../frame/targets.ts';
import type { Ui } from '../ui/ui.ts';

interface SignInArguments {
  readonly registry: string;
  readonly username: string;
  readonly password: string;
  /** Where to store the credentials; `editor` by default. */
  readonly keepIn?: 'editor' | 'helper';
}

interface SignInResult {
  readonly outcome: 'signedIn';
  /** False if the engine could not ask the registry. The next pull shows whether the credentials are valid. */
  readonly checked: boolean;
}

interface SignOutResult {
  readonly outcome: 'signedOut' | 'alreadySignedOut';
}

/** Signs in to a registry. */
export const signInCommand = (ui: Ui): PlainCommand<SignInArguments, SignInResult> => ({
  id: 'gantry.registries.signIn',
  schema: {
    registry: { kind: 'text', required: true },
    username: { kind: 'text', required: true },
    password: { kind: 'text', required: true },
    keepIn: { kind: { oneOf: ['editor', 'helper'] } },
  },
  failureTitle: l10n.t('Could not sign in'),
  run: async ({ registry: text, username, password, keepIn }, context, signal) => {
    const { signInService: service } = await context.window.registries();
    const registry = readRegistry(text);
    if (username.trim() === '' || password === '') {
      throw new InputError(l10n.t('A user name and a password are required.'));
    }
    const to = keepIn === 'helper' ? await service.helperFor(registry) : undefined;
    if (keepIn === 'helper' && !to) {
      throw new InputError(l10n.t('No credential helper is configured for {0}.', registry));
    }
    const connection = await context.engine.connect(signal);
    const applicant = { registry, username, password: new Secret(password) };
    const { isChecked, signIn } = await service.check(connection, applicant, false, signal);
    await service.keep(registry, signIn, to);
    return { outcome: 'signedIn', checked: isChecked };
  },
  runInteractive: async (context) => {
    const connection = await context.engine.connect();
    const known = registriesOf(await suggestedImages(context));
    const { signInService } = await context.window.registries();
    const signedIn = await signInInteractively(ui, signInService, connection, undefined, known);
    if (!signedIn) return undefined;
    ui.info(signedInMessage(signedIn));
    return { outcome: 'signedIn', checked: signedIn.isChecked };
  },
});

function signedInMessage({ registry, isChecked, to }: SignedIn): string {
  const kept = to
    ? l10n.t(
        'Signed in to {0}. The credentials are stored by docker-credential-{1}.',
        registry,
        to.helper,
      )
    : l10n.t('Signed in to {0}.', registry);
  const unsure = l10n.t('The engine could not verify the credentials.');
  return isChecked ? kept : `${kept} ${unsure}`;
}

/** Signs out of a registry. */
export const signOutCommand = (
  ui: Ui,
): PlainCommand<{ readonly registry: string }, SignOutResult> => ({
  id: 'gantry.registries.signOut',
  schema: { registry: { kind: 'text', required: true } },
  failureTitle: l10n.t('Could not sign out'),
  run: async ({ registry }, { window: { registries } }) => {
    const { signInService } = await registries();
    const isOut = await signInService.signOut(readRegistry(registry));
    return { outcome: isOut ? 'signedOut' : 'alreadySignedOut' };
  },
  runInteractive: async ({ window: { registries } }) => {
    const { signInService } = await registries();
    const registry = await pickSignIn(ui, signInService);
    if (registry === undefined) return undefined;
    await signInService.signOut(registry);
    ui.info(l10n.t('Signed out of {0}.', registry));
    return { outcome: 'signedOut' };
  },
});

async function pickSignIn(ui: Ui, service: SignInService): Promise<string | undefined> {
  const items = (await service.all()).map(({ registry, username, helper }) => ({
    label: registry,
    description: username,
    detail: helper === undefined ? l10n.t('VS Code secret storage') : `docker-credential-${helper}`,
  }));
  if (items.length === 0) {
    ui.info(
      l10n.t(
        'You are not signed in to any registry in Gantry. To sign out in the CLI, run docker logout.',
      ),
    );
    return undefined;
  }
  const title = l10n.t('Sign Out of a Registry');
  return (await ui.pick({ title, items, matchOnDescription: true }))?.label;
}
