import { EngineError, UploadError } from '../../errors.ts';
import { LocalFileError, readLocalFile } from '../../../base/readLocalFile.ts';

/**
 * Reads a Dockerfile as a whole. A link is followed only within its folder, as BuildKit does.
 *
 * @param limit in bytes.
 * @throws UploadError if it cannot be read; EngineError `tooLarge`.
 */
export async function readDockerfile(path: string, limit = DOCKERFILE_LIMIT): Promise<Buffer> {
  try {
    return await readLocalFile(path, { limit });
  } catch (error) {
    const isTooLarge = error instanceof LocalFileError && error.problem === 'tooLarge';
    throw isTooLarge ? new EngineError('tooLarge') : new UploadError(error);
  }
}

/** The largest Dockerfile that is sent, in bytes. */
const DOCKERFILE_LIMIT = 2 * 1024 * 1024;
