import { cleanPath } from './pathPattern.ts';

/**
 * Returns the patterns of a `.dockerignore`, relative to the context: exceptions begin with an exclamation mark. For
 * engines that leave this file to the client.
 */
export function readIgnoreFile(text: string): readonly string[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(patternOf);
}

function patternOf(line: string): string {
  const isException = line.startsWith('!');
  const path = isException ? line.slice(1).trim() : line;
  const cleaned = path === '' ? '' : cleanPath(path);
  const relative = cleaned.length > 1 && cleaned.startsWith('/') ? cleaned.slice(1) : cleaned;
  return isException ? `!${relative}` : relative;
}
