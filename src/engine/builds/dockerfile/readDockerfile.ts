import { EngineError, UploadError } from '../../errors.ts';
import { LocalFileError, readLocalFile } from '../../../base/readLocalFile.ts';
import type { BuildRequest } from '../model.ts';
import { parseDockerfile, type Dockerfile } from './dockerfile.ts';

/**
 * Reads a Dockerfile, once for each try of a build. A link is followed only within its folder, as BuildKit does. Never
 * rejects: the builder reports what cannot be read.
 */
export async function readDockerfile(path: string): Promise<ReadDockerfile> {
  try {
    const bytes = await readLocalFile(path, { limit: LARGEST });
    const text = bytes.toString('utf8', 0, Math.min(bytes.length, TAR_LIMIT));
    return { path, text, outline: parseDockerfile(text), content: bytes };
  } catch (error) {
    const isTooLarge = error instanceof LocalFileError && error.problem === 'tooLarge';
    const content = isTooLarge ? new EngineError('tooLarge') : new UploadError(error);
    return { path, text: '', outline: parseDockerfile(''), content };
  }
}

/** A Dockerfile as it was when a build began. */
export interface ReadDockerfile {
  /** Absolute. */
  readonly path: string;
  /** Its start; empty if it cannot be read. */
  readonly text: string;
  /** Of the text, with no values of arguments. */
  readonly outline: Dockerfile;
  /** All of it, or why it cannot be read. */
  readonly content: Buffer | EngineError | UploadError;
}

export async function startRequest(request: BuildRequest): Promise<StartedRequest> {
  return { ...request, source: await readDockerfile(request.dockerfile) };
}

/** A build with its Dockerfile. */
export interface StartedRequest extends BuildRequest {
  readonly source: ReadDockerfile;
}

/**
 * Returns a Dockerfile for a tar.
 *
 * @throws UploadError if it cannot be read; EngineError `tooLarge`.
 */
export function wholeDockerfile({ content }: ReadDockerfile): Buffer {
  if (content instanceof Error) throw content;
  if (content.length > TAR_LIMIT) throw new EngineError('tooLarge');
  return content;
}

/** BuildKit reads no larger Dockerfile: it has to fit into a message. In bytes. */
const LARGEST = 16 * 1024 * 1024;
/** The largest Dockerfile in a tar, and how much is read for base images and the lines of errors, in bytes. */
const TAR_LIMIT = 2 * 1024 * 1024;
