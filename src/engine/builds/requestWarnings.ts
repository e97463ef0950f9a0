/** Warnings about a build that no builder gives: arguments and ignore files that have no effect. */

import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { oneLine } from '../../base/plainText.ts';
import { inEnglish, sentence, type Sentence } from '../../base/sentence.ts';
import type { Dockerfile, DockerfileArg } from './dockerfile/dockerfile.ts';
import type { StartedRequest } from './dockerfile/readDockerfile.ts';
import type { BuildWarning } from './model.ts';

export async function requestWarnings(request: StartedRequest): Promise<readonly BuildWarning[]> {
  const { context, source, args = {} } = request;
  const files = [`${source.path}.dockerignore`, join(context, '.dockerignore')];
  const kinds = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  const folders = files.filter((_, at) => kinds[at]?.isDirectory() === true);
  // The builder reports a file that cannot be read.
  const isRead = source.content instanceof Buffer;
  const unknown = isRead ? unknownArguments(source.outline, Object.keys(args)) : [];
  return [
    ...folders.map(folderSentence),
    ...(unknown.length > 0 ? [unknownSentence(unknown)] : []),
  ].map((one) => ({ message: inEnglish(one), sentence: one }));
}

/** BuildKit passes over a folder with the name of an ignore file. */
function folderSentence(path: string): Sentence {
  return sentence(
    '{0} is a folder, so it excludes nothing. Replace it with an ignore file.',
    oneLine(basename(path), 80),
  );
}

export function unknownSentence(unknown: readonly string[]): Sentence {
  return sentence('Not used by the Dockerfile: {0}.', unknown.join(', '));
}

/** Returns the names that neither the Dockerfile nor the builder knows. */
export function unknownArguments(
  dockerfile: Dockerfile,
  names: readonly string[],
): readonly string[] {
  const known = declaredArguments(dockerfile);
  return names.filter((name) => !known.has(name) && !PREDEFINED.test(name));
}

/** The arguments that the builder knows without a declaration. */
const PREDEFINED =
  /^(?:BUILDKIT_\w*|SOURCE_DATE_EPOCH|(?:HTTPS?|FTP|NO|ALL)_PROXY|(?:BUILD|TARGET)(?:PLATFORM|OS|OSVERSION|ARCH|VARIANT|STAGE))$/i;

/** Returns the arguments that a Dockerfile declares, by their names. */
export function declaredArguments({
  args,
  stages,
}: Dockerfile): ReadonlyMap<string, DockerfileArg> {
  const all = [...args, ...stages.flatMap((stage) => stage.args)];
  // The first declaration has the default that counts for all.
  return new Map(all.toReversed().map((arg) => [arg.name, arg]));
}
