import * as l10n from '@vscode/l10n';
import { Secret } from '../../base/secret.ts';
import { readRegistry } from '../../registries/registryRef.ts';
import { askChoice } from '../ui/askChoice.ts';
import { validationMessage } from '../ui/formRows.ts';
import { askReference, type ReferenceGroup } from '../ui/askReference.ts';
import type { SignInCredentials, ConfiguredHelper } from './signInService.ts';
import type { Ui } from '../ui/ui.ts';

/** Popular registries. */
const WELL_KNOWN = ['docker.io', 'ghcr.io', 'quay.io'];

/**
 * Asks for registry, user name and password, step by step. Escape goes back one step; at the first step it
 * cancels.
 *
 * @param known registries to suggest, the likeliest first.
 */
export async function showSignInForm(
  ui: Ui,
  { registry: fixed, username }: SignInDraft,
  known: readonly string[],
): Promise<SignInCredentials | undefined> {
  for (;;) {
    const registry = fixed ?? (await askRegistry(ui, known));
    if (registry === undefined) return undefined;
    const applicant = await askCredentials(ui, registry, username);
    if (applicant || fixed !== undefined) return applicant;
  }
}

/** The initial values of the form. */
export interface SignInDraft {
  /** Not asked for if it is given. */
  readonly registry: string | undefined;
  readonly username: string;
}

async function askRegistry(ui: Ui, known: readonly string[]): Promise<string | undefined> {
  const others = WELL_KNOWN.filter((one) => !known.includes(one));
  const group = (heading: string, registries: readonly string[]): ReferenceGroup => ({
    heading,
    references: registries.map((reference) => ({ label: reference, reference })),
  });
  const typed = await askReference(
    ui,
    { title: l10n.t('Sign In to a Registry') },
    {
      placeholder: l10n.t('Registry, for example ghcr.io or registry.example.com:5000'),
      typed: l10n.t('sign in'),
      groups: [
        group(l10n.t('registries of your images'), known),
        group(l10n.t('well-known registries'), others),
      ],
      problem: (text) => validationMessage(() => readRegistry(text)),
      prefersTyped: true,
    },
  );
  return typed === undefined ? undefined : readRegistry(typed);
}

async function askCredentials(
  ui: Ui,
  registry: string,
  before: string,
): Promise<SignInCredentials | undefined> {
  const title = l10n.t('Sign In to {0}', registry);
  let username = before;
  for (;;) {
    const name = await ui.input({
      title,
      canGoBack: true,
      prompt: l10n.t('User name'),
      value: username,
      problem: (text) => (text.trim() === '' ? l10n.t('Enter a user name.') : undefined),
    });
    if (name === undefined) return undefined;
    username = name.trim();
    const password = await ui.input({
      title,
      canGoBack: true,
      prompt: l10n.t('Password or access token'),
      isSecret: true,
      problem: (text) => (text === '' ? l10n.t('Enter a password or access token.') : undefined),
    });
    if (password !== undefined) return { registry, username, password: new Secret(password) };
  }
}

/** Asks where to store the credentials. Resolves to undefined if the user cancels. */
export async function askCredentialStore(
  ui: Ui,
  registry: string,
  helper: ConfiguredHelper,
): Promise<{ readonly to: ConfiguredHelper | undefined } | undefined> {
  const storage = l10n.t('VS Code secret storage');
  const shared = l10n.t('Shared with the Docker CLI. Configured in {0}.', helper.file);
  const picked = await askChoice<ConfiguredHelper | undefined>(
    ui,
    { title: l10n.t('Sign In to {0}', registry) },
    l10n.t('Where to store the credentials'),
    [
      { label: storage, detail: l10n.t('Used only by Gantry'), value: undefined },
      { label: `docker-credential-${helper.helper}`, detail: shared, value: helper },
    ],
    () => false,
  );
  return picked && { to: picked.value };
}
