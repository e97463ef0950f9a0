import { listBuilds, removeBuild, replayBuild } from '../../engine/builds/buildHistory.ts';
import { buildImage, checkBuild, type BuildFiles } from '../../engine/builds/buildImage.ts';
import type { BuildRequest } from '../../engine/builds/model.ts';
import { ContextError, type ContextProblem } from '../../engine/buildContext/contextError.ts';
import { packContext } from '../../engine/buildContext/packContext.ts';
import { serveContext, type ServedContext } from '../../engine/buildContext/serveContext.ts';
import { capabilitiesOf } from '../../engine/capabilities.ts';
import { UploadError } from '../../engine/errors.ts';
import type { L10n } from '../../l10n.ts';
import { MessageError } from '../errorMessage.ts';
import { formatName } from '../formatNames.ts';
import type { Builder } from './buildsAccess.ts';

/**
 * Returns the builder of the engines.
 *
 * @param installation returns text that other installations do not have.
 */
export function engineBuilder(installation: () => string, l10n: L10n): Builder {
  return {
    build: (connection, request, providers, controls) =>
      withFiles(request, controls.signal, async (files) => {
        const built = { ...controls, l10n };
        const result = await buildImage(connection, request, providers, files, built);
        const { sent } = files.served;
        return sent.bytes > 0 ? { ...result, sent } : result;
      }),
    check: (connection, request, providers, signal) =>
      withFiles(request, signal, (files) =>
        checkBuild(connection, request, providers, files, { signal, l10n }),
      ),
    hasHistory: async (connection, signal) =>
      capabilitiesOf(await connection.info(signal)).keepsBuilds,
    list: listBuilds,
    replay: replayBuild,
    remove: removeBuild,
  };

  /** The engine only reports that a file could not be sent; the cause has more detail. */
  async function withFiles<T>(
    request: BuildRequest,
    signal: AbortSignal,
    work: (files: BuildFiles & { readonly served: ServedContext }) => Promise<T>,
  ): Promise<T> {
    const served = serveContext(request, installation());
    try {
      return await work({ served, entries: () => packContext(request, signal) });
    } catch (error) {
      // In a tar, the files are an upload.
      const thrown = error instanceof UploadError ? error.cause : error;
      const failure = served.failure ?? (thrown instanceof ContextError ? thrown : undefined);
      if (!failure || signal.aborted) throw error;
      throw new MessageError(contextMessage(failure, l10n), { cause: error });
    }
  }
}

function contextMessage({ problem, path }: ContextError, l10n: L10n): string {
  const name = formatName(path);
  const messages: Partial<Record<ContextProblem, string>> = {
    unreadable: l10n.t(
      'Cannot read {0}. Add it to .dockerignore if the build does not need it.',
      name,
    ),
    changed: l10n.t('{0} changed while it was sent. Build again.', name),
    badName: l10n.t('The name of {0} is not valid UTF-8.', name),
    badPattern: l10n.t('The pattern {0} in the ignore file is not valid.', name),
  };
  return messages[problem] ?? l10n.t('Cannot send the build context: {0}.', name);
}
