import * as l10n from '@vscode/l10n';
import { dirname } from 'node:path';
import { listBuilds, removeBuild, replayBuild } from '../engine/builds/buildHistory.ts';
import { buildImage, checkBuild, type BuildFiles } from '../engine/builds/buildImage.ts';
import type { BuildRequest } from '../engine/builds/model.ts';
import { ContextError, type ContextProblem } from '../engine/builds/context/contextError.ts';
import { realRoot } from '../engine/builds/context/contextRoot.ts';
import { packContext } from '../engine/builds/context/packContext.ts';
import { serveContext, type ServedContext } from '../engine/builds/context/serveContext.ts';
import { capabilitiesOf } from '../engine/capabilities/capabilities.ts';
import { UploadError } from '../engine/errors.ts';
import { MessageError } from '../commands/ui/errorMessage.ts';
import { formatName } from '../commands/ui/formatNames.ts';
import type { Builder } from '../builds/buildsAccess.ts';

/**
 * Returns the builder of the engines.
 *
 * @param installation returns text that other installations do not have.
 */
export function engineBuilder(installation: () => string): Builder {
  return {
    build: (connection, request, providers, controls) => {
      const work = { request, signal: controls.signal, installation: installation() };
      return withFiles(work, async (files) => {
        const result = await buildImage(connection, request, providers, files, controls);
        const { sent } = files.served;
        return sent.bytes > 0 ? { ...result, sent } : result;
      });
    },
    check: (connection, request, providers, signal) => {
      const work = { request, signal, installation: installation(), isCheck: true };
      return withFiles(work, (files) => checkBuild(connection, request, providers, files, signal));
    },
    hasHistory: async (connection, signal) =>
      capabilitiesOf(await connection.info(signal)).keepsBuilds,
    list: listBuilds,
    replay: replayBuild,
    remove: removeBuild,
  };
}

/**
 * The engine only reports that a file could not be sent; the cause has more detail. A build in which one changed is
 * tried once more.
 */
async function withFiles<T>(
  { request, signal, installation, isCheck = false }: FileWork,
  work: (files: BuildFiles & { readonly served: ServedContext }) => Promise<T>,
): Promise<T> {
  const place = placeOf(request);
  // The engine decides when it wants the files, and the user has agreed to those of this place.
  const isMoved = (): boolean => placeOf(request) !== place;
  const entries: BuildFiles['entries'] = async function* (isPodman) {
    if (isMoved()) throw new ContextError('changed', '.');
    yield* packContext(request, signal, isPodman);
  };
  for (let isLast = isCheck; ; isLast = true) {
    const served = serveContext(request, installation, isCheck);
    try {
      return await work({ served, entries });
    } catch (error) {
      // In a tar, the files are an upload.
      const thrown = error instanceof UploadError ? error.cause : error;
      const failure = served.failure ?? (thrown instanceof ContextError ? thrown : undefined);
      if (!failure || signal.aborted) throw error;
      // Without its context a build has made nothing. A log or a cache may stand still the next time.
      if (failure.problem === 'changed' && !isLast && !isMoved()) continue;
      throw new MessageError(contextMessage(failure), { cause: error });
    }
  }
}

/** Returns where the files of a build really lie. */
function placeOf({ context, dockerfile }: BuildRequest): string {
  return [context, dirname(dockerfile)].map(realRoot).join('\0');
}

interface FileWork {
  readonly request: BuildRequest;
  readonly signal: AbortSignal;
  readonly installation: string;
  /** Whether nothing is built. */
  readonly isCheck?: boolean;
}

function contextMessage({ problem, path, place }: ContextError): string {
  const name = formatName(path);
  const messages: Partial<Record<ContextProblem, string>> = {
    unreadable: l10n.t(
      'Cannot read {0}. Add it to .dockerignore if the build does not need it.',
      name,
    ),
    changed: l10n.t(
      '{0} changed while it was sent. Add it to .dockerignore if the build does not need it.',
      name,
    ),
    badName: l10n.t('The name of {0} is not valid UTF-8.', name),
    badTarget: l10n.t('The target of the link {0} is not valid UTF-8.', name),
    badPattern: place
      ? l10n.t(
          'The pattern {0} is not valid. Correct line {1} of {2}.',
          name,
          place.line,
          formatName(place.file),
        )
      : l10n.t('The pattern {0} in the ignore file is not valid.', name),
    ignoreFolder: l10n.t('{0} is a folder. Rename it, or replace it with an ignore file.', name),
    utf16: l10n.t('{0} is encoded in UTF-16. Save it as UTF-8.', name),
    tooManyPatterns: l10n.t('The ignore file has too many patterns. Use fewer wildcards.'),
  };
  return messages[problem] ?? l10n.t('Cannot send the build context: {0}.', name);
}
