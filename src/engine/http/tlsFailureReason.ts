import type { Endpoint } from './endpoint.ts';
import type { FailureReason } from '../errors.ts';

/** Returns the TLS reason of a connection failure; undefined if it has nothing to do with TLS. */
export function tlsFailureReason(
  error: unknown,
  { transport }: Endpoint,
): FailureReason | undefined {
  if (!(error instanceof Error) || transport.kind !== 'tcp') return undefined;
  if (!transport.tls) return isAlert(error) ? 'tlsNeeded' : undefined;
  if (certificateProblem(error)) return 'certificateUntrusted';
  const code = sslCode(error);
  if (NOT_TLS.test(code)) return 'tlsNotSpoken';
  const wantsOne = NO_AGREEMENT.test(code) && transport.tls.cert === undefined;
  return wantsOne || REFUSED.test(code) ? 'clientCertificateNeeded' : undefined;
}

/** Why the certificate of the engine is not trusted. */
export type CertificateProblem =
  | 'unknownIssuer'
  | 'expired'
  | 'notYetValid'
  | 'otherName'
  | 'revoked'
  | 'unfit';

/** By error code of the certificate verification. */
const PROBLEMS: Readonly<Record<string, CertificateProblem>> = {
  UNABLE_TO_GET_ISSUER_CERT: 'unknownIssuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknownIssuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknownIssuer',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'unknownIssuer',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknownIssuer',
  CERT_SIGNATURE_FAILURE: 'unknownIssuer',
  CERT_UNTRUSTED: 'unknownIssuer',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'notYetValid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'otherName',
  ERR_TLS_CERT_ALTNAME_FORMAT: 'otherName',
  HOSTNAME_MISMATCH: 'otherName',
  CERT_REVOKED: 'revoked',
  CERT_CHAIN_TOO_LONG: 'unfit',
  CERT_REJECTED: 'unfit',
  INVALID_CA: 'unfit',
  INVALID_PURPOSE: 'unfit',
  PATH_LENGTH_EXCEEDED: 'unfit',
  UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY: 'unfit',
  UNABLE_TO_DECRYPT_CERT_SIGNATURE: 'unfit',
  ERROR_IN_CERT_NOT_BEFORE_FIELD: 'unfit',
  ERROR_IN_CERT_NOT_AFTER_FIELD: 'unfit',
  // All other codes, for example for a key that is too short.
  UNSPECIFIED: 'unfit',
};

/** The alerts that refuse our client certificate. Each TLS library puts its own prefix before them. */
const REFUSED =
  /(?:ALERT|TLSV1)_(?:BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_(?:REVOKED|EXPIRED|UNKNOWN|REQUIRED)|UNKNOWN_CA|ACCESS_DENIED)\b/;
/** All that most libraries report if the client has no certificate. */
const NO_AGREEMENT = /ALERT_HANDSHAKE_FAILURE\b/;
/** The response was not TLS. */
const NOT_TLS = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|RECORD_LAYER_FAILURE|HTTP_REQUEST\b/;

/** Returns why the certificate of the engine is not trusted; undefined if the error has another cause. */
export function certificateProblem(error: unknown): CertificateProblem | undefined {
  return error instanceof Error ? PROBLEMS[codeOf(error)] : undefined;
}

/**
 * Returns the error code of the TLS library in one spelling. A failed write always has the code `EPROTO`, and the
 * code of the library only in its message.
 */
function sslCode(error: Error): string {
  const code = codeOf(error);
  return (code === 'EPROTO' ? error.message : code).toUpperCase().replace(/\s+/g, '_');
}

/** Whether undici's parser failed on a TLS alert, which no HTTP server sends. */
function isAlert(error: Error): boolean {
  const data = error.name === 'HTTPParserError' && 'data' in error ? error.data : undefined;
  return typeof data === 'string' && data.startsWith('\x15\x03');
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
