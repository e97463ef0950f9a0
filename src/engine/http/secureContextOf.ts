import * as tls from 'node:tls';
import { X509Certificate } from 'node:crypto';
import type { TlsMaterial } from '../discovery/endpoint.ts';

/**
 * What encrypted connections are made with: TLS 1.2 at least.
 *
 * @throws TlsMaterialError where the certificates or the key cannot be used.
 */
export function secureContextOf(material: TlsMaterial): tls.SecureContext {
  const { cert, key } = material;
  const problem = problemWith(material);
  if (problem) throw new TlsMaterialError(problem);
  const trusted = { minVersion: 'TLSv1.2', ca: trustedRoots(material) } as const;
  try {
    return tls.createSecureContext({ ...trusted, ...(cert !== undefined && { cert, key }) });
  } catch {
    // Each of both can be read, so they are not a pair.
    throw new TlsMaterialError('keyOfAnother');
  }
}

/** What is wrong with our own certificates or our own key. */
export type TlsMaterialProblem =
  | 'caUnreadable'
  | 'certificateMissing'
  | 'certificateUnreadable'
  | 'keyMissing'
  | 'keyEncrypted'
  | 'keyUnreadable'
  | 'keyOfAnother';

/** Our certificates or our key cannot be used. Nothing of them is in it. */
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
  return isKey(key) ? undefined : 'keyUnreadable';
}

function isCertificate(pem: string): boolean {
  return isGood(() => new X509Certificate(pem));
}

function isKey(pem: string): boolean {
  return isGood(() => tls.createSecureContext({ key: pem }));
}

function isGood(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** Both ways to write it: PKCS #8 in the first line, the older formats in a header. */
function isEncrypted(pem: string): boolean {
  return (
    pem.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----') ||
    /^Proc-Type:\s*4,\s*ENCRYPTED/m.test(pem)
  );
}

/** Node forgets the usual roots where others are given, and looks at the machine's own only when it is told to. */
function trustedRoots({ ca, isCaAlone = false }: TlsMaterial): string[] {
  const own = ca === undefined ? [] : [ca];
  return isCaAlone && ca !== undefined ? own : [...defaultRoots(), ...own];
}

function defaultRoots(): readonly string[] {
  // Older hosts of the editor lack it.
  const { getCACertificates: read } = tls as Partial<Pick<typeof tls, 'getCACertificates'>>;
  if (!read) return tls.rootCertificates;
  return [...new Set([...rootsOf(() => read('default')), ...rootsOf(() => read('system'))])];
}

/** A store that cannot be read must not stand in the way of a certificate the person gave. */
function rootsOf(read: () => readonly string[]): readonly string[] {
  try {
    return read();
  } catch {
    return [];
  }
}
