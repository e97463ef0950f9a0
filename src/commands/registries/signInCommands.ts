import * as vscode from 'vscode';
import { InputError } from '../../engine/errors.ts';
import { parseReference } from '../../engine/options/reference.ts';
import { Secret } from '../../engine/secret.ts';
import { readRegistry } from '../../registries/registryRef.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { showInfo } from '../notifications.ts';
import type { ArgumentSchema } from '../arguments.ts';
import { formatItem } from '../displayText.ts';
import type { ConfiguredHelper, SignInService } from './signInService.ts';
import { signInInteractively, type SignedIn } from './signInInteractively.ts';
import { knownImages } from '../targets.ts';

const { l10n } = vscode;

interface SignInArguments {
  readonly registry: string;
  readonly username: string;
  readonly password: string;
  /** Where it is kept; `editor` where left out. */
  readonly keepIn?: 'editor' | 'helper';
}

interface SignInResult {
  readonly outcome: 'signedIn';
  /** False where the engine could not ask the registry: the next pull will tell. */
  readonly checked: boolean;
}

interface SignOutResult {
  readonly outcome: 'signedOut' | 'alreadySignedOut';
}

/** Signs in to a registry. */
export const signInCommand: PlainCommand<SignInArguments, SignInResult> = {
  id: 'gantry.registries.signIn',
  schema: {
    registry: { kind: 'text', required: true },
    username: { kind: 'text', required: true },
    password: { kind: 'text', required: true },
    keepIn: { kind: { oneOf: ['editor', 'helper'] } },
  },
  failureTitle: l10n.t('Could not sign in'),
  run: signInSilently,
  runInteractive: async (context) => {
    const connection = await context.engine.connect();
    const known = await knownRegistries(context);
    const { signInService } = context.registries;
    const signedIn = await signInInteractively(signInService, connection, undefined, known);
    if (!signedIn) return undefined;
    showInfo(signedInMessage(signedIn));
    return { outcome: 'signedIn', checked: signedIn.isChecked };
  },
};

async function signInSilently(
  args: SignInArguments,
  context: CommandContext,
  signal: AbortSignal,
): Promise<SignInResult> {
  const { signInService: desk } = context.registries;
  const registry = readRegistry(args.registry, l10n);
  const { username, password } = args;
  if (username.trim() === '' || password === '') {
    throw new InputError(l10n.t('A sign-in needs a user name and a password.'));
  }
  const to = args.keepIn === 'helper' ? await wantedHelper(desk, registry) : undefined;
  const connection = await context.engine.connect(signal);
  const applicant = { registry, username, password: new Secret(password) };
  const { isChecked, signIn } = await desk.check(connection, applicant, false, signal);
  await desk.keep(registry, signIn, to);
  return { outcome: 'signedIn', checked: isChecked };
}

async function wantedHelper(desk: SignInService, registry: string): Promise<ConfiguredHelper> {
  const helper = await desk.helperFor(registry);
  if (helper) return helper;
  throw new InputError(
    l10n.t('Your Docker configuration names no credential helper for {0}.', registry),
  );
}

function signedInMessage({ registry, isChecked, to }: SignedIn): string {
  const kept = to
    ? l10n.t('Signed in to {0}, kept by docker-credential-{1}.', registry, to.helper)
    : l10n.t('Signed in to {0}.', registry);
  const unsure = l10n.t('The engine could not check it; the next pull will tell.');
  return isChecked ? kept : `${kept} ${unsure}`;
}

/** Those that images here come from, without those that need no sign-in to be named. */
async function knownRegistries(context: CommandContext): Promise<readonly string[]> {
  const images = await knownImages(context).catch(() => []);
  const registries = images
    .flatMap(({ tags }) => tags)
    .map((tag) => parseReference(tag))
    .flatMap((reference) => (reference.ok ? [reference.value.registry] : []))
    .filter((registry) => registry !== 'localhost');
  return [...new Set(registries)];
}

const signOutShape: ArgumentSchema = { registry: { kind: 'text', required: true } };

/** Signs out of a registry. */
export const signOutCommand: PlainCommand<{ readonly registry: string }, SignOutResult> = {
  id: 'gantry.registries.signOut',
  schema: signOutShape,
  failureTitle: l10n.t('Could not sign out'),
  run: async ({ registry }, { registries }) => {
    const isOut = await registries.signInService.signOut(readRegistry(registry, l10n));
    return { outcome: isOut ? 'signedOut' : 'alreadySignedOut' };
  },
  runInteractive: async ({ registries }) => {
    const registry = await pickSignIn(registries.signInService);
    if (registry === undefined) return undefined;
    await registries.signInService.signOut(registry);
    showInfo(l10n.t('Signed out of {0}.', registry));
    return { outcome: 'signedOut' };
  },
};

async function pickSignIn(desk: SignInService): Promise<string | undefined> {
  const items = (await desk.all()).map(({ registry, username, helper }) => ({
    ...formatItem({
      label: registry,
      description: username,
      detail:
        helper === undefined
          ? l10n.t("In VS Code's storage for secrets")
          : `docker-credential-${helper}`,
    }),
    registry,
  }));
  if (items.length === 0) {
    showInfo(l10n.t('Gantry keeps no sign-in. Those of your command line are left to it.'));
    return undefined;
  }
  const options = { title: l10n.t('Sign Out of a Registry'), matchOnDescription: true };
  return (await vscode.window.showQuickPick(items, options))?.registry;
}
