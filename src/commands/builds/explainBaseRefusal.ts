import * as l10n from '@vscode/l10n';
import { imageIn } from '../../engine/builds/failedLines.ts';
import { BuildFailedError } from '../../engine/builds/buildFailedError.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { parseReference } from '../../engine/options/reference.ts';
import { unreachableRegistry } from '../../engines/failures/unreachableRegistry.ts';
import { oneLine } from '../../base/plainText.ts';
import { isRegistryRefusal } from '../../registries/credentialSource.ts';
import type { CommandContext } from '../frame/commandContext.ts';

/**
 * Returns the error of a build whose base image was refused with the credentials that were tried, and the registry. Any
 * other error stays.
 */
export async function explainBaseRefusal(
  context: CommandContext,
  connection: Connection,
  error: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof BuildFailedError) || !isRegistryRefusal(error)) return error;
  const { base } = error.failure;
  if (signal.aborted || !base) return error;
  const asked = { connection, ref: base, isInteractive: false, signal };
  return (await context.registries()).explain(
    asked,
    error.withFailure({ registry: base.registry }),
  );
}

/**
 * Returns the error of a build whose base image is in a registry that the engine cannot reach, with sentences before the
 * words of the builder. Any other error stays.
 */
export function explainUnreachableBase(error: unknown): unknown {
  if (!(error instanceof BuildFailedError)) return error;
  const { engineMessage = '' } = error;
  const image = imageIn(engineMessage);
  const reference = parseReference(image ?? '');
  if (image === undefined || !reference.ok) return error;
  const why = unreachableRegistry(error, reference.value.registry);
  if (why === undefined) return error;
  const words = engineMessage.split('\n').at(-1) ?? '';
  const sentences = l10n.t('Could not read base image {0}. {1}', oneLine(image), why);
  return error.with({ engineMessage: `${sentences}\n${words}` });
}
