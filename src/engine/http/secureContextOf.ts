import * as tls from 'node:tls';
import { X509Certificate } from 'node:crypto';
import type { TlsMaterial } from './endpoint.ts';

/**
 * Returns the secure context for TLS connections (TLS 1.2 or later).
 *
 * @throws TlsMaterialError if the certificates or the key cannot be used.
 */
export function secureContextOf(material: TlsMaterial): tls.SecureContext {
  const { cert, key } = material;
  const problem = problemWith(material);
  if (problem) throw new TlsMaterialError(problem);
  const trusted = { minVersion: 'TLSv1.2', ca: trustedRoots(material) } as const;
  try {
    return tls.createSecureContext({ ...trusted, ...(cert !== undefined && { cert, key }) });
  } catch {
    // Certificate and key are valid on their own, so they are not a pair.
    throw new TlsMaterialError('keyOfAnother');
  }
}

/** A problem with our own certificates or key. */
export type TlsMaterialProblem =
  | 'caUnreadable'
  | 'certificateMissing'
  | 'certificateUnreadable'
  | 'keyMissing'
  | 'keyEncrypted'
  | 'keyUnreadable'
  | 'keyOfAnother';

/** Our certificates or key cannot be used. Contains no part of them. */
export class TlsMaterialError extends Error {
  override readonly name = 'TlsMaterialError';
  readonly problem: TlsMaterialProblem;

  constructor(problem: TlsMaterialProblem) {
    super(problem);
    this.problem = problem;
  }
}

function problemWith({ ca, cert, key }: TlsMaterial): TlsMaterialProblem | undefined {
  if (ca !== undefined && !isCertificate(ca)) return 'caUnreadable';
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined) return 'certificateMissing';
  if (key === undefined) return 'keyMissing';
  if (!isCertificate(cert)) return 'certificateUnreadable';
  if (isEncrypted(key)) return 'keyEncrypted';
  return succeeds(() => tls.createSecureContext({ key })) ? undefined : 'keyUnreadable';
}

function isCertificate(pem: string): boolean {
  return succeeds(() => new X509Certificate(pem));
}

function succeeds(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** PKCS #8 is marked as encrypted in the first line, the older formats in a header. */
function isEncrypted(pem: string): boolean {
  return (
    pem.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----') ||
    /^Proc-Type:\s*4,\s*ENCRYPTED/m.test(pem)
  );
}

/** Node drops its default roots if `ca` is set, and reads the system store only if asked to. */
function trustedRoots({ ca, isCaAlone = false }: TlsMaterial): string[] {
  const own = ca === undefined ? [] : [ca];
  return isCaAlone && ca !== undefined ? own : [...defaultRoots(), ...own];
}

function defaultRoots(): readonly string[] {
  // Missing in older versions of VS Code.
  const { getCACertificates: read } = tls as Partial<Pick<typeof tls, 'getCACertificates'>>;
  if (!read) return tls.rootCertificates;
  return [...new Set([...rootsOf(() => read('default')), ...rootsOf(() => read('system'))])];
}

/** An unreadable system store must not prevent the use of a certificate that the user set. */
function rootsOf(read: () => readonly string[]): readonly string[] {
  try {
    return read();
  } catch {
    return [];
  }
}
