import type { Endpoint } from '../discovery/endpoint.ts';
import type { FailureReason } from '../errors.ts';

/** What a failure to connect says about encryption; undefined for nothing. */
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

/** Why a certificate of theirs is not trusted. */
export type CertificateProblem =
  'unknownIssuer' | 'expired' | 'notYetValid' | 'otherName' | 'revoked' | 'unfit';

/** By the codes of certificate verification. */
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
  // The rest of them, a key that is too short for one.
  UNSPECIFIED: 'unfit',
};

/** The alerts by which a certificate of ours is refused; the libraries put words of their own before them. */
const REFUSED =
  /(?:ALERT|TLSV1)_(?:BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_(?:REVOKED|EXPIRED|UNKNOWN|REQUIRED)|UNKNOWN_CA|ACCESS_DENIED)\b/;
/** Of a peer without a certificate most libraries say no more than this. */
const NO_AGREEMENT = /ALERT_HANDSHAKE_FAILURE\b/;
/** What came back was no TLS. */
const NOT_TLS = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|RECORD_LAYER_FAILURE|HTTP_REQUEST\b/;

/** Why their certificate is not trusted, of what a socket failed with; undefined where it is not about that. */
export function certificateProblem(error: unknown): CertificateProblem | undefined {
  return error instanceof Error ? PROBLEMS[codeOf(error)] : undefined;
}

/**
 * The library's code, in one spelling. A failed write has a code that is the same for all of them, and the
 * library's own in its text alone.
 */
function sslCode(error: Error): string {
  const code = codeOf(error);
  return (code === 'EPROTO' ? error.message : code).toUpperCase().replace(/\s+/g, '_');
}

/** Bytes that no HTTP server sends: an alert of TLS. */
function isAlert(error: Error): boolean {
  const data = error.name === 'HTTPParserError' && 'data' in error ? error.data : undefined;
  return typeof data === 'string' && data.startsWith('\x15\x03');
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
