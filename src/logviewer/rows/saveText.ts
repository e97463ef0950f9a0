import { Buffer } from 'node:buffer';
import { writeAtomically } from '../../files/writeAtomically.ts';
import { isCancellation } from '../../lifetime.ts';
import { countLines } from './lineText.ts';
import type { TextSource } from '../session/sessionContext.ts';

/**
 * Writes a text to a file, whole or not at all.
 *
 * @param tell how much of all was written since it was called last, 0 to 1.
 * @returns whether it was written; false if it was cancelled.
 * @throws the file system's error.
 */
export async function saveText(
  source: TextSource,
  path: string,
  signal: AbortSignal,
  tell: (share: number) => void,
): Promise<boolean> {
  try {
    await writeAtomically(bytesOf(source, keepsColors(path), signal, tell), path, {
      overwrite: true,
    });
    return true;
  } catch (error) {
    if (isCancellation(error)) return false;
    throw error;
  }
}

/** Whether the name of a file says that colors are kept. */
export function keepsColors(path: string): boolean {
  return path.endsWith('.ansi');
}

async function* bytesOf(
  source: TextSource,
  withColors: boolean,
  signal: AbortSignal,
  tell: (share: number) => void,
): AsyncGenerator<Uint8Array> {
  for (const chunk of source.chunks(withColors)) {
    signal.throwIfAborted();
    yield await Promise.resolve(Buffer.from(chunk));
    tell(countLines(chunk) / Math.max(1, source.lineCount));
  }
}
