import * as l10n from '@vscode/l10n';
import type { Connection } from '../../engine/http/connection.ts';
import type { RegistryAuth } from '../../engine/wire/registryAuth.ts';
import { EngineError } from '../../engine/errors.ts';
import { isCancellation } from '../../base/lifetime.ts';
import { errorMessage } from '../ui/errorMessage.ts';
import { formatName, formatReason } from '../ui/formatNames.ts';
import type {
  SignInCredentials,
  CheckedSignIn,
  ConfiguredHelper,
  SignInService,
} from './signInService.ts';
import { showSignInForm, askCredentialStore, type SignInDraft } from './showSignInForm.ts';
import type { Ui } from '../ui/ui.ts';

/**
 * Asks the user for credentials, verifies them and stores them. After a failure the form opens again with all
 * values but the password.
 *
 * @param wanted the registry, if it is known.
 * @param known registries to suggest.
 * @returns undefined if the user cancels.
 */
export async function signInInteractively(
  ui: Ui,
  service: SignInService,
  connection: Connection,
  wanted: string | undefined,
  known: readonly string[] = [],
): Promise<SignedIn | undefined> {
  let draft: SignInDraft = { registry: wanted, username: '' };
  for (;;) {
    const applicant = await showSignInForm(ui, draft, known);
    if (!applicant) return undefined;
    const { registry, username } = applicant;
    draft = { registry, username };
    const checked = await checkInteractively(ui, service, connection, applicant);
    if (checked === 'leave') return undefined;
    if (checked === 'edit') continue;
    const { isChecked, signIn } = checked;
    const helper = await service.helperFor(registry);
    const store = helper ? await askCredentialStore(ui, registry, helper) : { to: undefined };
    if (!store) continue;
    const auth = await service.keep(registry, signIn, store.to);
    return { registry, isChecked, to: store.to, auth };
  }
}

/** A stored sign-in. */
export interface SignedIn {
  readonly registry: string;
  readonly isChecked: boolean;
  readonly to: ConfiguredHelper | undefined;
  readonly auth: RegistryAuth;
}

async function checkInteractively(
  ui: Ui,
  service: SignInService,
  connection: Connection,
  applicant: SignInCredentials,
): Promise<CheckedSignIn | 'edit' | 'leave'> {
  const { registry, username, password } = applicant;
  try {
    return await ui.progress(l10n.t('Signing in to {0}', registry), 'late', (signal) =>
      service.check(connection, applicant, true, signal),
    );
  } catch (error) {
    if (isCancellation(error)) return 'edit';
    const edit = l10n.t('Try Again');
    const anyway = l10n.t('Save Anyway');
    const answer = await ui.choose(
      l10n.t('Could not sign in to {0}', formatName(registry)),
      formatReason(errorMessage(error)),
      // A registry that cannot be reached now may be reachable later.
      error instanceof EngineError ? [edit, anyway] : [edit],
    );
    if (answer === anyway)
      return { isChecked: false, signIn: { username, secret: password, isToken: false } };
    return answer === edit ? 'edit' : 'leave';
  }
}
