import * as vscode from 'vscode';
import { Secret } from '../../engine/secret.ts';
import { readRegistry } from '../../registries/registryRef.ts';
import { askChoice, askText } from '../forms/form.ts';
import { validationMessage } from '../forms/formRows.ts';
import { askReference, type ReferenceGroup } from '../forms/askReference.ts';
import type { SignInCredentials, ConfiguredHelper } from './signInService.ts';

const { l10n } = vscode;

/** Registries that many people sign in to. */
const WELL_KNOWN = ['docker.io', 'ghcr.io', 'quay.io'];

/**
 * Asks who signs in where, step by step; Escape goes a step back, and leaves the first.
 *
 * @param known registries to propose, the likeliest first.
 */
export async function showSignInForm(
  { registry: fixed, username: before = '' }: SignInDraft,
  known: readonly string[],
): Promise<SignInCredentials | undefined> {
  for (;;) {
    const registry = fixed ?? (await askRegistry(known));
    if (registry === undefined) return undefined;
    const applicant = await askCredentials(registry, before);
    if (applicant || fixed !== undefined) return applicant;
  }
}

/** What the form knows before it asks. */
export interface SignInDraft {
  /** Not asked for where it is known. */
  readonly registry?: string | undefined;
  readonly username?: string | undefined;
}

async function askRegistry(known: readonly string[]): Promise<string | undefined> {
  const others = WELL_KNOWN.filter((one) => !known.includes(one));
  const group = (heading: string, registries: readonly string[]): ReferenceGroup => ({
    heading,
    references: registries.map((reference) => ({ label: reference, reference })),
  });
  const typed = await askReference(
    { title: l10n.t('Sign In to a Registry') },
    {
      placeholder: l10n.t('The registry, for example ghcr.io or registry.example.com:5000'),
      typed: l10n.t('sign in'),
      groups: [
        group(l10n.t('of your images'), known),
        group(l10n.t('well-known registries'), others),
      ],
      problem: (text) => validationMessage(() => readRegistry(text, l10n)),
      prefersTyped: true,
    },
  );
  return typed === undefined ? undefined : readRegistry(typed, l10n);
}

async function askCredentials(
  registry: string,
  before: string,
): Promise<SignInCredentials | undefined> {
  const place = { title: l10n.t('Sign In to {0}', registry) };
  let name = before;
  for (;;) {
    const username = await askText(place, {
      prompt: l10n.t('Your user name'),
      value: name,
      problem: (text) => (text.trim() === '' ? l10n.t('A user name is needed.') : undefined),
    });
    if (username === undefined) return undefined;
    name = username.trim();
    const password = await askText(place, {
      prompt: l10n.t('Your password, or an access token'),
      isSecret: true,
      problem: (text) => (text === '' ? l10n.t('A password is needed.') : undefined),
    });
    if (password !== undefined) return { registry, username: name, password: new Secret(password) };
  }
}

/** Asks where to keep it. Undefined where the person leaves. */
export async function askCredentialStore(
  registry: string,
  helper: ConfiguredHelper,
): Promise<{ readonly to: ConfiguredHelper | undefined } | undefined> {
  const picked = await askChoice<ConfiguredHelper | undefined>(
    { title: l10n.t('Sign In to {0}', registry) },
    l10n.t('Where is the sign-in to be kept?'),
    [
      {
        label: l10n.t("In VS Code's storage for secrets"),
        detail: l10n.t('Gantry alone uses it.'),
        value: undefined,
      },
      {
        label: `docker-credential-${helper.helper}`,
        detail: l10n.t('Your command line uses it, too. {0} names this helper.', helper.file),
        value: helper,
      },
    ],
    () => false,
  );
  return picked && { to: picked.value };
}
