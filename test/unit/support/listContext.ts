import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIgnoreFile } from '../../../src/engine/builds/context/readIgnoreFile.ts';
import { walkContext } from '../../../src/engine/builds/context/walkContext.ts';

/** Resolves to the files of a context with an ignore file, sorted: path, kind, mode, and size or target. */
export async function listContext(root: string): Promise<readonly string[]> {
  const excludes = readIgnoreFile(readFileSync(join(root, '.dockerignore'), 'utf8'));
  const lines: string[] = [];
  const { signal } = new AbortController();
  for await (const entry of walkContext(root, { excludes }, signal)) {
    const { path, kind, mode, size, target } = entry;
    const more = kind === 'link' ? target : kind === 'file' ? size : '';
    const bits = kind === 'link' ? '' : mode.toString(8);
    lines.push(`${path} ${kind} ${bits} ${more}`);
  }
  return lines.toSorted();
}

/** Returns a short text that differs for other lists. */
export function digestOf(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('base64').slice(0, 8);
}
