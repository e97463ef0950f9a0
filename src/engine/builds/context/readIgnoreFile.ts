import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { StepYielder } from '../../../base/stepYielder.ts';
import type { BuildRequest } from '../model.ts';
import { isUtf16, readStart } from '../../../base/readLocalFile.ts';
import { ContextError } from './contextError.ts';
import { cleanPath, PathPattern } from './pathPattern.ts';
import { isTooMany, PatternList, type Match } from './patternList.ts';

/**
 * Returns the patterns of a `.dockerignore`, relative to the context: exceptions begin with an exclamation mark. For
 * engines that leave this file to the client.
 */
export function readIgnoreFile(text: string): readonly string[] {
  return linesOf(text).map(({ pattern }) => pattern);
}

/** Rules of the ignore file of a build. */
export interface IgnoreRules {
  /** Absolute path of the file; undefined if there is none. */
  readonly file: string | undefined;
  /** Relative to the context. Exceptions begin with an exclamation mark. */
  readonly patterns: readonly string[];
}

/**
 * Reads the ignore file that counts: that of the Dockerfile before that of the context. BuildKit passes over a folder
 * with such a name, and Podman refuses it.
 *
 * @param isPodman whether files named `.containerignore` count, as for Podman.
 * @throws ContextError if it cannot be read, or a pattern is not valid.
 */
export async function readIgnoreRules(
  { context, dockerfile }: Pick<BuildRequest, 'context' | 'dockerfile'>,
  isPodman = false,
): Promise<IgnoreRules> {
  // In the order of Buildah: beside the Dockerfile, Docker's name comes first, in the context its own.
  const files = [
    `${dockerfile}.dockerignore`,
    ...(isPodman ? [`${dockerfile}.containerignore`, join(context, '.containerignore')] : []),
    join(context, '.dockerignore'),
  ];
  for (const file of files) {
    const text = await textOf(file);
    if (text === 'folder' && isPodman) throw new ContextError('ignoreFolder', basename(file));
    if (text === undefined || text === 'folder') continue;
    if (isUtf16(text)) throw new ContextError('utf16', basename(file));
    const patterns = checkedPatterns(text.toString('utf8'), basename(file));
    if (isTooMany(patterns)) throw new ContextError('tooManyPatterns', basename(file));
    return { file, patterns };
  }
  return { file: undefined, patterns: [] };
}

/** Resolves to whether a file of the context is ignored, by its name or by its folder's. */
export async function isIgnored({ patterns }: IgnoreRules, path: string): Promise<boolean> {
  const list = new PatternList(patterns);
  const parts = path.split('/');
  const pace = new StepYielder(new AbortController().signal);
  let match: Match | undefined;
  for (const at of parts.keys())
    match = await list.match(parts.slice(0, at + 1).join('/'), match?.matched, pace);
  return match?.isMatch === true;
}

/** Returns the path of the Dockerfile relative to the context, with slashes; undefined if it is outside. */
export function dockerfileInContext({
  context,
  dockerfile,
}: Pick<BuildRequest, 'context' | 'dockerfile'>): string | undefined {
  const path = relative(context, dockerfile);
  const isInside = path !== '' && path !== '..' && !path.startsWith(`..${sep}`);
  return isInside && !/^[A-Za-z]:/.test(path) ? path.split(sep).join('/') : undefined;
}

/**
 * Returns the same as {@link readIgnoreFile}. @throws ContextError `badPattern` with the place of the first pattern
 * that is not valid.
 */
function checkedPatterns(text: string, file: string): readonly string[] {
  return linesOf(text).map(({ pattern, line }) => {
    try {
      PathPattern.parse(pattern);
    } catch (error) {
      throw new ContextError('badPattern', pattern, error, { file, line });
    }
    return pattern;
  });
}

interface IgnoreLine {
  readonly pattern: string;
  /** From 1. */
  readonly line: number;
}

function linesOf(text: string): readonly IgnoreLine[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((words, at) => ({ words: words.startsWith('#') ? '' : words.trim(), line: at + 1 }))
    .filter(({ words }) => words !== '')
    .map(({ words, line }) => ({ pattern: patternOf(words), line }));
}

function patternOf(line: string): string {
  const isException = line.startsWith('!');
  const path = isException ? line.slice(1).trim() : line;
  const cleaned = path === '' ? '' : cleanPath(path);
  const relative = cleaned.length > 1 && cleaned.startsWith('/') ? cleaned.slice(1) : cleaned;
  return isException ? `!${relative}` : relative;
}

/** An ignore file is read as a whole. In bytes. */
const IGNORE_LIMIT = 1024 * 1024;

/**
 * Returns what is in an ignore file; undefined if there is none. It may be a link, also out of the context: then the
 * text must not be sent.
 *
 * @throws ContextError.
 */
async function textOf(path: string): Promise<Buffer | 'folder' | undefined> {
  let file: FileHandle | undefined;
  try {
    // A pipe does not make it wait.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await file.stat();
    if (found.isDirectory()) return 'folder';
    if (!found.isFile()) throw new ContextError('unreadable', path);
    const bytes = await readStart(file, IGNORE_LIMIT + 1);
    if (bytes.length > IGNORE_LIMIT) throw new ContextError('tooManyPatterns', basename(path));
    return bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error instanceof ContextError ? error : new ContextError('unreadable', path, error);
  } finally {
    await file?.close();
  }
}
