import * as l10n from '@vscode/l10n';
import { basename } from 'node:path';
import {
  parseDockerfile,
  type Dockerfile,
  type DockerfileArg,
} from '../../engine/builds/dockerfile/dockerfile.ts';
import { readLocalText } from '../../base/readLocalFile.ts';
import type { BuildRequest, BuildWarning } from '../../engine/builds/model.ts';
import { ignoreFolders } from '../../engine/builds/context/readIgnoreFile.ts';
import { formatName } from '../ui/formatNames.ts';

/** The arguments that the builder knows without a declaration. */
const PREDEFINED =
  /^(?:BUILDKIT_\w*|SOURCE_DATE_EPOCH|(?:HTTPS?|FTP|NO|ALL)_PROXY|(?:BUILD|TARGET)(?:PLATFORM|OS|OSVERSION|ARCH|VARIANT|STAGE))$/i;

/** Returns the names that neither the Dockerfile nor the builder knows. */
export function unknownArguments(
  dockerfile: Dockerfile,
  names: readonly string[],
): readonly string[] {
  const known = declaredArguments(dockerfile);
  return names.filter((name) => !known.has(name) && !PREDEFINED.test(name));
}

/** Returns the arguments that a Dockerfile declares, by their names. */
export function declaredArguments({
  args,
  stages,
}: Dockerfile): ReadonlyMap<string, DockerfileArg> {
  const all = [...args, ...stages.flatMap((stage) => stage.args)];
  // The first declaration has the default that counts for all.
  return new Map(all.toReversed().map((arg) => [arg.name, arg]));
}

/** Returns warnings about a build that no builder gives: arguments and ignore files that have no effect. */
export async function requestWarnings(
  request: Pick<BuildRequest, 'context' | 'dockerfile' | 'args'>,
): Promise<readonly BuildWarning[]> {
  const folders = (await ignoreFolders(request)).map((path) => ({
    message: l10n.t(
      '{0} is a folder, so it excludes nothing. Replace it with an ignore file.',
      formatName(basename(path)),
    ),
  }));
  return [...folders, ...(await argumentWarnings(request))];
}

/** Returns a warning about the arguments of a build that its Dockerfile does not use; none if it uses all. */
async function argumentWarnings({
  dockerfile,
  args = {},
}: Pick<BuildRequest, 'dockerfile' | 'args'>): Promise<readonly BuildWarning[]> {
  const names = Object.keys(args);
  if (names.length === 0) return [];
  // The builder reports a file that cannot be read.
  const text = await readLocalText(dockerfile);
  const unknown = text === undefined ? [] : unknownArguments(parseDockerfile(text), names);
  if (unknown.length === 0) return [];
  return [{ message: unknownMessage(unknown) }];
}

/** Returns a sentence about these arguments. */
export function unknownMessage(unknown: readonly string[]): string {
  return l10n.t('Not used by the Dockerfile: {0}.', unknown.join(', '));
}
