import { open, rename, rm } from 'node:fs/promises';
import { Buffer } from 'node:buffer';
import * as vscode from 'vscode';
import { countLines } from './lineText.ts';
import type { TextSource } from './sessionParts.ts';

/**
 * Writes a text to a file, piece by piece: first beside it, so that a file that was there is whole until the new
 * one is. Colours are kept where the name ends in `.ansi`.
 *
 * @param tell how much of all was written since it was called last, 0 to 1.
 * @returns whether it was written; false where the person cancelled.
 * @throws the file system's error.
 */
export async function saveText(
  source: TextSource,
  uri: vscode.Uri,
  token: vscode.CancellationToken,
  tell: (share: number) => void,
): Promise<boolean> {
  const chunks = source.chunks(uri.path.endsWith('.ansi'));
  if (uri.scheme !== 'file') {
    // Other file systems take a file in one piece.
    await vscode.workspace.fs.writeFile(uri, Buffer.from([...chunks].join('')));
    return true;
  }
  const part = `${uri.fsPath}.${process.pid}.part`;
  try {
    if (!(await write(source, chunks, part, token, tell))) return false;
    await rename(part, uri.fsPath);
    return true;
  } finally {
    await rm(part, { force: true });
  }
}

async function write(
  { lineCount }: TextSource,
  chunks: Iterable<string>,
  path: string,
  token: vscode.CancellationToken,
  tell: (share: number) => void,
): Promise<boolean> {
  const file = await open(path, 'w');
  try {
    for (const chunk of chunks) {
      if (token.isCancellationRequested) return false;
      await file.write(chunk);
      tell(countLines(chunk) / Math.max(1, lineCount));
    }
    return true;
  } finally {
    await file.close();
  }
}
