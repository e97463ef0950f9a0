import type { Machine, TlsMaterial } from '../http/endpoint.ts';
import { EngineError } from '../errors.ts';
import { filesOn } from './nodeFiles.ts';
import { dockerFolder, expandHome, isAbsoluteOn, joinPathOn, readVariable } from './folders.ts';

/**
 * Reads `ca.pem`, `cert.pem` and `key.pem` of a folder, as far as they exist.
 *
 * @throws EngineError `certificateUnusable`, with the name as `engineMessage`, if a file exists but cannot be read.
 */
export async function readTlsFolder(
  machine: Machine,
  folder: string,
  { name, verify, isCaAlone }: TlsFolderOptions,
): Promise<TlsMaterial> {
  const read = (file: string): Promise<string | undefined> =>
    readPem(machine, joinPathOn(machine, folder, file), name);
  const [ca, cert, key] = await Promise.all(['ca.pem', 'cert.pem', 'key.pem'].map(read));
  return {
    verify,
    folder,
    ...(ca !== undefined && { ca, isCaAlone }),
    // A certificate is useless without its key, and vice versa.
    ...(cert !== undefined && key !== undefined && { cert, key }),
  };
}

interface TlsFolderOptions {
  /** The owner of the files, for the error. */
  readonly name: string;
  readonly verify: boolean;
  readonly isCaAlone: boolean;
}

/**
 * Returns the TLS options of the variables `DOCKER_TLS_VERIFY`, `DOCKER_TLS` and `DOCKER_CERT_PATH`, for a tcp
 * address without its own. Returns undefined if they do not ask for TLS.
 *
 * @throws EngineError `certificateUnusable`, as {@link readTlsFolder}.
 */
export async function tlsFromVariables(machine: Machine): Promise<TlsMaterial | undefined> {
  if (!isTlsRequested(machine)) return undefined;
  // Any value counts, even 0: only its presence matters.
  const verify = isPresent(machine, 'DOCKER_TLS_VERIFY');
  const folder = readVariable(machine, 'DOCKER_CERT_PATH') ?? dockerFolder(machine);
  if (folder === undefined) return { verify };
  return readTlsFolder(machine, folder, { name: 'default', verify, isCaAlone: false });
}

/** Returns whether the variables ask for TLS on tcp addresses. */
export function isTlsRequested(machine: Machine): boolean {
  return isPresent(machine, 'DOCKER_TLS_VERIFY') || isPresent(machine, 'DOCKER_TLS');
}

/**
 * Like {@link readTlsFolder}, for a folder entered by the user.
 *
 * @throws EngineError `certificateUnusable`, also if the path is relative or the folder has no certificates.
 */
export async function readNamedTlsFolder(
  machine: Machine,
  folder: string,
  options: TlsFolderOptions,
): Promise<TlsMaterial> {
  const path = expandHome(machine, folder);
  if (!isAbsoluteOn(machine, path)) throw unusable(options.name, 'relative', path);
  const found = await readTlsFolder(machine, path, options);
  if (found.ca === undefined && found.cert === undefined)
    throw unusable(options.name, 'empty', path);
  return found;
}

function isPresent({ env }: Machine, name: string): boolean {
  return (env[name] ?? '') !== '';
}

async function readPem(machine: Machine, path: string, name: string): Promise<string | undefined> {
  const text = await filesOn(machine).readText(path);
  const isThere = text !== undefined || (await filesOn(machine).kindOf(path)) !== undefined;
  if (text === undefined && isThere) throw unusable(name, 'unreadable', path);
  return text;
}

function unusable(name: string, problem: TlsFolderProblem, path: string): EngineError {
  const cause = new TlsFolderError(problem, path);
  return new EngineError('certificateUnusable', { engineMessage: name, cause });
}

/** Why a folder of certificates cannot be used: its path is relative, it has none, or a file cannot be read. */
export type TlsFolderProblem = 'relative' | 'empty' | 'unreadable';

/** The cause of an EngineError `certificateUnusable` of a folder. */
export class TlsFolderError extends Error {
  readonly problem: TlsFolderProblem;
  /** The path of the folder, or of the file that cannot be read. */
  readonly path: string;

  constructor(problem: TlsFolderProblem, path: string) {
    super(`${path}: ${problem}`);
    this.problem = problem;
    this.path = path;
  }
}
