import type { RegistryAuth } from '../engine/registries/registryAuth.ts';
import type { L10n } from '../l10n.ts';
import { oneLine } from '../plainText.ts';

/** Who had the credentials for a registry; never what they are. */
export type CredentialSource =
  | { readonly kind: 'none' }
  | { readonly kind: 'argument' }
  /** A sign-in kept by Gantry. */
  | { readonly kind: 'signIn' }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'helper'; readonly helper: string; readonly file: string };

/** Why a source was passed over, though it should have had something to say. */
export type CredentialProblem =
  /** A file, a variable or an entry makes no sense; `where` names it. */
  | { readonly kind: 'damaged'; readonly where: string }
  /** A helper's name is none that we run. */
  | { readonly kind: 'badName'; readonly file: string }
  | {
      readonly kind: 'missing' | 'slow' | 'failed' | 'rubbish' | 'tooMuch';
      readonly helper: string;
      readonly file: string;
    }
  /** What VS Code keeps for us could not be read. */
  | { readonly kind: 'storage' };

/** What a look-up gives. */
export interface FoundCredentials {
  readonly auth?: RegistryAuth;
  readonly source: CredentialSource;
  /** In the order in which the sources were asked. */
  readonly problems: readonly CredentialProblem[];
}

/** Who answered, in a few words. */
export function formatCredentialSource(source: CredentialSource, l10n: L10n): string {
  switch (source.kind) {
    case 'none':
      return l10n.t('no credentials');
    case 'argument':
      return l10n.t('given by the caller');
    case 'signIn':
      return l10n.t('signed in with Gantry');
    case 'variable':
      return l10n.t('the variable {0}', source.name);
    case 'file':
      return source.file;
    case 'helper':
      return l10n.t('the helper {0} of {1}', source.helper, source.file);
  }
}

/** Why a source was passed over, in one sentence. */
export function credentialProblemMessage(trouble: CredentialProblem, l10n: L10n): string {
  switch (trouble.kind) {
    case 'damaged':
      return l10n.t('What {0} says makes no sense.', trouble.where);
    case 'badName':
      return l10n.t('{0} names a credential helper that is no name.', trouble.file);
    case 'storage':
      return l10n.t('What VS Code keeps for Gantry could not be read.');
    case 'missing':
    case 'slow':
    case 'failed':
    case 'rubbish':
    case 'tooMuch': {
      const helper = `docker-credential-${oneLine(trouble.helper)}`;
      return HELPER_MESSAGES[trouble.kind](helper, trouble.file, l10n);
    }
  }
}

const HELPER_MESSAGES: Readonly<
  Record<
    'missing' | 'slow' | 'failed' | 'rubbish' | 'tooMuch',
    (helper: string, file: string, l10n: L10n) => string
  >
> = {
  missing: (helper, file, l10n) =>
    l10n.t('There is no program {0}, which {1} names as credential helper.', helper, file),
  slow: (helper, _file, l10n) =>
    l10n.t('The credential helper {0} did not answer in time and was ended.', helper),
  failed: (helper, _file, l10n) => l10n.t('The credential helper {0} failed.', helper),
  rubbish: (helper, _file, l10n) =>
    l10n.t('The credential helper {0} answered in a way that makes no sense.', helper),
  tooMuch: (helper, _file, l10n) =>
    l10n.t('The credential helper {0} said far too much and was ended.', helper),
};
