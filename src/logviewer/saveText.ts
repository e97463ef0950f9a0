import { Buffer } from 'node:buffer';
import { writeAtomically } from '../base/writeAtomically.ts';
import { isCancellation } from '../base/lifetime.ts';
import { countLines } from '../logs/text/visibleText.ts';
import type { TextSource } from './host/sessionContext.ts';

/**
 * Writes a text to a file, completely or not at all. Overwrites an existing file.
 *
 * @param onProgress called with the share (0 to 1) written since the last call.
 * @returns true if the file was written, false if the operation was canceled.
 * @throws the error of the file system.
 */
export async function saveText(
  source: TextSource,
  path: string,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<boolean> {
  try {
    await writeAtomically(bytesOf(source, keepsColors(path), signal, onProgress), path, {
      overwrite: true,
    });
    return true;
  } catch (error) {
    if (isCancellation(error)) return false;
    throw error;
  }
}

/** Returns whether the file extension requests that colors are kept. */
export function keepsColors(path: string): boolean {
  return path.endsWith('.ansi');
}

async function* bytesOf(
  source: TextSource,
  withColors: boolean,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): AsyncGenerator<Uint8Array> {
  for (const chunk of source.chunks(withColors)) {
    signal.throwIfAborted();
    yield await Promise.resolve(Buffer.from(chunk));
    onProgress(countLines(chunk) / Math.max(1, source.lineCount));
  }
}
