import * as vscode from 'vscode';
import type { Connection } from '../../engine/http/connection.ts';
import type { RegistryAuth } from '../../engine/registries/registryAuth.ts';
import { EngineError } from '../../engine/errors.ts';
import { isCancellation } from '../../lifetime.ts';
import { choose, withProgress } from '../notifications.ts';
import { errorMessage } from '../errorMessages.ts';
import { formatName, formatReason } from '../displayText.ts';
import type {
  SignInCredentials,
  CheckedSignIn,
  ConfiguredHelper,
  SignInService,
} from './signInService.ts';
import { showSignInForm, askCredentialStore } from './showSignInForm.ts';

const { l10n } = vscode;

/**
 * Lets a person sign in: asks, checks, keeps. After a failure the form opens again with what is no secret.
 *
 * @param wanted the registry, where it is known.
 * @param known registries to propose.
 * @returns undefined where they leave.
 */
export async function signInInteractively(
  desk: SignInService,
  connection: Connection,
  wanted: string | undefined,
  known: readonly string[] = [],
): Promise<SignedIn | undefined> {
  let draft: { readonly registry?: string | undefined; readonly username?: string } = {
    registry: wanted,
  };
  for (;;) {
    const applicant = await showSignInForm(draft, known);
    if (!applicant) return undefined;
    const { registry, username } = applicant;
    const checked = await checkInteractively(desk, connection, applicant);
    if (checked === 'leave') return undefined;
    if (checked !== 'edit') {
      const kept = await keepInteractively(desk, registry, checked);
      if (kept) return kept;
    }
    draft = { registry, username };
  }
}

/** A sign-in that was kept. */
export interface SignedIn {
  readonly registry: string;
  readonly isChecked: boolean;
  readonly to: ConfiguredHelper | undefined;
  readonly auth: RegistryAuth;
}

async function checkInteractively(
  desk: SignInService,
  connection: Connection,
  applicant: SignInCredentials,
): Promise<CheckedSignIn | 'edit' | 'leave'> {
  const { registry, username, password } = applicant;
  try {
    return await withProgress(l10n.t('Signing in to {0}', registry), 'late', (signal) =>
      desk.check(connection, applicant, true, signal),
    );
  } catch (error) {
    if (isCancellation(error)) return 'edit';
    const answer = await askAfterFailure(registry, error);
    if (answer !== 'keep') return answer;
    return { isChecked: false, signIn: { username, secret: password, isToken: false } };
  }
}

/** What is to become of a sign-in that failed. A registry that is not reached now may be later. */
async function askAfterFailure(
  registry: string,
  error: unknown,
): Promise<'edit' | 'keep' | 'leave'> {
  const [edit, anyway] = [l10n.t('Try Again'), l10n.t('Keep Anyway')];
  const answer = await choose(
    l10n.t('Could not sign in to {0}', formatName(registry)),
    formatReason(errorMessage(error, l10n)),
    error instanceof EngineError ? [edit, anyway] : [edit],
  );
  if (answer === edit) return 'edit';
  return answer === anyway ? 'keep' : 'leave';
}

async function keepInteractively(
  desk: SignInService,
  registry: string,
  { isChecked, signIn }: CheckedSignIn,
): Promise<SignedIn | undefined> {
  const helper = await desk.helperFor(registry);
  const place = helper ? await askCredentialStore(registry, helper) : { to: undefined };
  if (!place) return undefined;
  const auth = await desk.keep(registry, signIn, place.to);
  return { registry, isChecked, to: place.to, auth };
}
