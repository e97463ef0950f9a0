import * as l10n from '@vscode/l10n';
import { ContextError } from '../../engine/builds/context/contextError.ts';
import { dockerfileInContext } from '../../engine/builds/context/readIgnoreFile.ts';
import { measureContext } from '../../engine/builds/context/measureContext.ts';
import type { BuildRequest } from '../../engine/builds/model.ts';
import { capabilitiesOf } from '../../engine/capabilities/capabilities.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { realPathOf } from '../../projects/fileAccess.ts';
import { formatSize, joinParts } from '../../views/format.ts';
import type { CommandContext } from './commandContext.ts';
import { formatPath } from '../ui/formatNames.ts';
import type { FormRow } from '../ui/formRows.ts';

/**
 * Returns the row of the build context: where it really lies, how much of it the engine may ask for, and the Dockerfile
 * if that is elsewhere.
 */
export async function contextRow(
  { ui, engine }: Pick<CommandContext, 'ui' | 'engine'>,
  paths: BuildPaths,
): Promise<FormRow<{ readonly context?: string }>> {
  const valueOf = async (context: string): Promise<string> => {
    const size = await ui.progress(l10n.t('Reading the build context'), 'late', async (signal) => {
      // Without the engine, the form can still be filled in.
      const isPodman = await engine
        .connect(signal)
        .then((connection) => packsForPodman(connection, signal))
        .catch(() => false);
      return contextSize({ ...paths, context }, { most: MOST_COUNTED, isPodman }, signal);
    });
    const isElsewhere = dockerfileInContext({ ...paths, context }) === undefined;
    const file = isElsewhere ? l10n.t('Dockerfile: {0}', formatPath(paths.dockerfile)) : '';
    return joinParts(formatPath(realPathOf(context) ?? context), size, file);
  };
  const row = {
    kind: 'step' as const,
    label: l10n.t('Context'),
    value: await valueOf(paths.context),
    edit: async () => {
      const title = l10n.t('Build Context');
      const button = l10n.t('Select');
      const question = { title, button, canSelect: 'folders', folder: paths.context } as const;
      const [chosen] = await ui.openDialog(question);
      if (!chosen) return undefined;
      row.value = await valueOf(chosen.fsPath);
      return { context: chosen.fsPath };
    },
  };
  return row;
}

/** The files of a build, as absolute paths. */
export type BuildPaths = Pick<BuildRequest, 'context' | 'dockerfile'>;

/** Maximum number of entries of the context counted for the form, which opens immediately. */
const MOST_COUNTED = 10_000;

/** Returns how much of the context may be sent, as text. */
export async function contextSize(
  paths: BuildPaths,
  { most, isPodman }: CountOptions,
  signal: AbortSignal,
): Promise<string> {
  try {
    const { files, bytes, isMore } = await measureContext(paths, most, signal, isPodman);
    const size = formatSize(bytes);
    if (isMore) return l10n.t('more than {0} in {1} files', size, files);
    return files === 1 ? l10n.t('{0} in 1 file', size) : l10n.t('{0} in {1} files', size, files);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ContextError) return l10n.t('unknown');
    throw error;
  }
}

/** Options for counting a context. */
interface CountOptions {
  /** The most entries. */
  readonly most: number;
  /** Whether Podman's ignore files count. */
  readonly isPodman: boolean;
}

/** Resolves to whether a build on this engine follows the ignore files of Podman. @throws EngineError. */
export async function packsForPodman(
  connection: Connection,
  signal: AbortSignal,
): Promise<boolean> {
  return !capabilitiesOf(await connection.info(signal)).hasBuildKit;
}
