import * as l10n from '@vscode/l10n';
import { sentence, type Sentence } from '../../base/sentence.ts';
import { translate } from '../../base/translate.ts';
import { certificateProblem, type CertificateProblem } from '../../engine/http/tlsFailureReason.ts';
import { TlsFolderError, type TlsFolderProblem } from '../../engine/discovery/readTlsFolder.ts';
import { TlsMaterialError, type TlsMaterialProblem } from '../../engine/http/secureContextOf.ts';
import type { EngineError } from '../../engine/errors.ts';

/** Formats why the certificate of an engine is not trusted and how to fix it. */
export function certificateUntrusted(at: string, { cause }: EngineError): string {
  return translate({ ...UNTRUSTED[certificateProblem(cause) ?? 'unknownIssuer'], values: [at] });
}

/** Formats why the certificates that the user configured cannot be used and how to fix it. */
export function certificateUnusable(at: string, error: EngineError): string {
  const { cause, endpoint, engineMessage = '' } = error;
  if (cause instanceof TlsMaterialError)
    return translate({ ...UNUSABLE[cause.problem], values: [at] });
  const owner = endpoint ?? engineMessage;
  return cause instanceof TlsFolderError
    ? translate({ ...UNUSABLE_FOLDER[cause.problem], values: [owner, cause.path] })
    : l10n.t('Cannot read the certificates for {0}.', owner);
}

const UNUSABLE_FOLDER: Readonly<Record<TlsFolderProblem, Sentence>> = {
  relative: sentence('The certificate folder for {0} is not an absolute path: {1}.'),
  empty: sentence('No certificates for {0} in {1}. Add ca.pem, or cert.pem and key.pem.'),
  unreadable: sentence('Cannot read {1} for {0}.'),
};

const UNTRUSTED: Readonly<Record<CertificateProblem, Sentence>> = {
  unknownIssuer: sentence(
    'The TLS certificate of {0} was issued by an unknown certificate authority. Set the CA certificate (ca.pem).',
  ),
  expired: sentence('The TLS certificate of {0} has expired. Renew it on the host.'),
  notYetValid: sentence(
    'The TLS certificate of {0} is not valid yet. Check the clocks of both machines.',
  ),
  otherName: sentence(
    'The TLS certificate of {0} does not match the host name. Use the name that it was issued for.',
  ),
  revoked: sentence('The TLS certificate of {0} was revoked. Renew it on the host.'),
  unfit: sentence(
    'The TLS certificate of {0} is too weak or invalid. Issue a new one on the host.',
  ),
};

const UNUSABLE: Readonly<Record<TlsMaterialProblem, Sentence>> = {
  caUnreadable: sentence('The CA certificate for {0} is not a valid PEM file.'),
  certificateMissing: sentence('A private key is set for {0}, but no certificate. Set both.'),
  certificateUnreadable: sentence('The client certificate for {0} is not a valid PEM file.'),
  keyMissing: sentence('A certificate is set for {0}, but no private key. Set both.'),
  keyEncrypted: sentence(
    'The private key for {0} is encrypted. Remove its passphrase with "openssl pkey".',
  ),
  keyUnreadable: sentence('The private key for {0} is not a valid PEM file.'),
  keyOfAnother: sentence('The client certificate and private key for {0} do not match.'),
};
