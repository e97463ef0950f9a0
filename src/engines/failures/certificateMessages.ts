import * as l10n from '@vscode/l10n';
import { certificateProblem, type CertificateProblem } from '../../engine/http/tlsFailureReason.ts';
import { TlsFolderError, type TlsFolderProblem } from '../../engine/discovery/readTlsFolder.ts';
import { TlsMaterialError, type TlsMaterialProblem } from '../../engine/http/secureContextOf.ts';
import type { EngineError } from '../../engine/errors.ts';

type CertificateFormatter = (at: string) => string;

/** Formats why the certificate of an engine is not trusted and how to fix it. */
export function certificateUntrusted(at: string, { cause }: EngineError): string {
  return UNTRUSTED[certificateProblem(cause) ?? 'unknownIssuer'](at);
}

/** Formats why the certificates that the user configured cannot be used and how to fix it. */
export function certificateUnusable(at: string, error: EngineError): string {
  const { cause, endpoint, engineMessage = '' } = error;
  if (cause instanceof TlsMaterialError) return UNUSABLE[cause.problem](at);
  const owner = endpoint ?? engineMessage;
  return cause instanceof TlsFolderError
    ? UNUSABLE_FOLDER[cause.problem](owner, cause.path)
    : l10n.t('Cannot read the certificates for {0}.', owner);
}

const UNUSABLE_FOLDER: Readonly<Record<TlsFolderProblem, (owner: string, path: string) => string>> =
  {
    relative: (owner, path) =>
      l10n.t('The certificate folder for {0} is not an absolute path: {1}.', owner, path),
    empty: (owner, path) =>
      l10n.t('No certificates for {0} in {1}. Add ca.pem, or cert.pem and key.pem.', owner, path),
    unreadable: (owner, path) => l10n.t('Cannot read {1} for {0}.', owner, path),
  };

const UNTRUSTED: Readonly<Record<CertificateProblem, CertificateFormatter>> = {
  unknownIssuer: (at) =>
    l10n.t(
      'The TLS certificate of {0} was issued by an unknown certificate authority. Set the CA certificate (ca.pem).',
      at,
    ),
  expired: (at) => l10n.t('The TLS certificate of {0} has expired. Renew it on the host.', at),
  notYetValid: (at) =>
    l10n.t('The TLS certificate of {0} is not valid yet. Check the clocks of both machines.', at),
  otherName: (at) =>
    l10n.t(
      'The TLS certificate of {0} does not match the host name. Use the name that it was issued for.',
      at,
    ),
  revoked: (at) => l10n.t('The TLS certificate of {0} was revoked. Renew it on the host.', at),
  unfit: (at) =>
    l10n.t('The TLS certificate of {0} is too weak or invalid. Issue a new one on the host.', at),
};

const UNUSABLE: Readonly<Record<TlsMaterialProblem, CertificateFormatter>> = {
  caUnreadable: (at) => l10n.t('The CA certificate for {0} is not a valid PEM file.', at),
  certificateMissing: (at) =>
    l10n.t('A private key is set for {0}, but no certificate. Set both.', at),
  certificateUnreadable: (at) =>
    l10n.t('The client certificate for {0} is not a valid PEM file.', at),
  keyMissing: (at) => l10n.t('A certificate is set for {0}, but no private key. Set both.', at),
  keyEncrypted: (at) =>
    l10n.t('The private key for {0} is encrypted. Remove its passphrase with "openssl pkey".', at),
  keyUnreadable: (at) => l10n.t('The private key for {0} is not a valid PEM file.', at),
  keyOfAnother: (at) => l10n.t('The client certificate and private key for {0} do not match.', at),
};
