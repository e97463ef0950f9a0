import { certificateProblem, type CertificateProblem } from '../engine/http/tlsFailureReason.ts';
import { TlsMaterialError, type TlsMaterialProblem } from '../engine/http/secureContextOf.ts';
import type { EngineError } from '../engine/errors.ts';
import type { L10n } from '../l10n.ts';

type CertificateFormatter = (l10n: L10n, at: string) => string;

/** Formats why the certificate of an engine is not trusted and how to fix it. */
export function certificateUntrusted(l10n: L10n, at: string, { cause }: EngineError): string {
  return UNTRUSTED[certificateProblem(cause) ?? 'unknownIssuer'](l10n, at);
}

/** Formats why the certificates that the user configured cannot be used and how to fix it. */
export function certificateUnusable(l10n: L10n, at: string, error: EngineError): string {
  const { cause, endpoint, engineMessage = '' } = error;
  return cause instanceof TlsMaterialError
    ? UNUSABLE[cause.problem](l10n, at)
    : l10n.t('The certificates set for {0} cannot be read.', endpoint ?? engineMessage);
}

const UNTRUSTED: Readonly<Record<CertificateProblem, CertificateFormatter>> = {
  unknownIssuer: (l10n, at) =>
    l10n.t(
      'The certificate of {0} comes from nobody this machine trusts: set the authority (CA) that it comes from.',
      at,
    ),
  expired: (l10n, at) =>
    l10n.t('The certificate of {0} has expired: it has to be renewed there.', at),
  notYetValid: (l10n, at) =>
    l10n.t('The certificate of {0} is not valid yet: compare the clocks of both machines.', at),
  otherName: (l10n, at) =>
    l10n.t('The certificate of {0} is for another machine: use the name that it was made for.', at),
  revoked: (l10n, at) =>
    l10n.t('The certificate of {0} was withdrawn: it has to be renewed there.', at),
  unfit: (l10n, at) =>
    l10n.t('The certificate of {0} is too weak or broken: it has to be made anew there.', at),
};

const UNUSABLE: Readonly<Record<TlsMaterialProblem, CertificateFormatter>> = {
  caUnreadable: (l10n, at) =>
    l10n.t('The authority (CA) that is set for {0} is no certificate in PEM form.', at),
  certificateMissing: (l10n, at) =>
    l10n.t('There is a private key for {0}, but no certificate: set both.', at),
  certificateUnreadable: (l10n, at) =>
    l10n.t('What is set as your certificate for {0} is none in PEM form.', at),
  keyMissing: (l10n, at) =>
    l10n.t('There is a certificate for {0}, but no private key: set both.', at),
  keyEncrypted: (l10n, at) =>
    l10n.t(
      'The private key for {0} is locked with a passphrase: set one without ("openssl pkey" takes it off).',
      at,
    ),
  keyUnreadable: (l10n, at) =>
    l10n.t('What is set as your private key for {0} is none in PEM form.', at),
  keyOfAnother: (l10n, at) =>
    l10n.t('Your certificate and private key for {0} do not belong together.', at),
};
