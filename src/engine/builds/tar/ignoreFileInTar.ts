import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { isIgnored, readIgnoreRules } from '../context/readIgnoreFile.ts';
import type { BuildRequest } from '../model.ts';
import { readLocalFile } from '../../../base/readLocalFile.ts';
import type { TarBuild } from './buildQuery.ts';

/** The ignore file that is sent in place of the one with this name. */
export interface IgnoreFileInTar {
  readonly name: string;
  readonly text: string;
}

/**
 * Returns the ignore file for a tar, whose files are chosen already: with it, the builder copies the Dockerfile into no
 * image if it is ignored or outside the context. Undefined if the files of the context suffice. BuildKit reads no
 * ignore file from a tar.
 *
 * @param dockerfile its path in the tar.
 * @param isOutside whether the Dockerfile is outside the context.
 * @throws ContextError if the ignore file cannot be read.
 */
export async function ignoreFileInTar(
  request: BuildRequest,
  builder: TarBuild['builder'],
  dockerfile: string,
  isOutside: boolean,
): Promise<IgnoreFileInTar | undefined> {
  if (builder === 'buildkit' || (builder === 'classic' && !isOutside)) return undefined;
  const { context } = request;
  // Podman applies this one alone if the tar has it.
  const isForPodman = builder === 'buildah' && (await kindOf(join(context, CONTAINERS))) !== '';
  const name = isForPodman ? CONTAINERS : DOCKERS;
  const file = join(context, name);
  const rules = await readIgnoreRules(request, builder === 'buildah');
  // The text of a link is not sent: it may lead out of the context.
  const isOwn = builder === 'classic' || rules.file === file;
  const isPlain = isOwn && (await kindOf(file)) === 'file';
  if (isOutside) {
    const text = isPlain ? (await readLocalFile(file)).toString() : name;
    return { name, text: `${text}\n${dockerfile}\n` };
  }
  if (rules.file === undefined || (isPlain && !(await isIgnored(rules, name)))) return undefined;
  const isHidden = await isIgnored(rules, dockerfile);
  return { name, text: isHidden ? `${name}\n${dockerfile}\n` : `${name}\n` };
}

const CONTAINERS = '.containerignore';
const DOCKERS = '.dockerignore';

async function kindOf(path: string): Promise<'' | 'file' | 'other'> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return '';
  return stats.isFile() ? 'file' : 'other';
}
