import * as l10n from '@vscode/l10n';
import {
  baseRegistries,
  firstImageOf,
  refusedImage,
} from '../../engine/builds/dockerfile/baseRegistries.ts';
import { imageIn } from '../../engine/builds/failedLines.ts';
import { BuildFailedError } from '../../engine/builds/buildFailedError.ts';
import type { BuildRequest } from '../../engine/builds/model.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { parseReference } from '../../engine/options/reference.ts';
import { readLocalText } from '../../engine/readLocalFile.ts';
import { unreachableRegistry } from '../../engines/failures/unreachableRegistry.ts';
import { oneLine } from '../../base/plainText.ts';
import { isRegistryRefusal } from '../../registries/credentialSource.ts';
import type { RegistryRef } from '../../registries/registryRef.ts';
import type { CommandContext } from '../frame/commandContext.ts';

/**
 * Returns the error of a build whose base image was refused with the credentials that were tried, and the registry. Any other error stays.
 */
export async function explainBaseRefusal(
  context: CommandContext,
  connection: Connection,
  error: unknown,
  request: BuildRequest,
  signal: AbortSignal,
): Promise<unknown> {
  const isRefusal = error instanceof BuildFailedError && isRegistryRefusal(error);
  if (signal.aborted || !isRefusal) return error;
  const message = error.engineMessage ?? '';
  const text = (await readLocalText(request.dockerfile)) ?? '';
  const image = imageIn(message) ?? refusedImage(message, text, request);
  const reference = parseReference(image ?? '');
  if (!reference.ok) return error;
  const { registry } = reference.value;
  // The engine must not choose the registry that the user signs in to.
  if (!baseRegistries(text, request).has(registry)) return error;
  const ref = await baseImageRef(registry, request);
  const asked = { connection, ref, isInteractive: false, signal };
  return (await context.registries()).explain(asked, error.withFailure({ registry }));
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

/**
 * Returns the registry with the repository of the first base image from it: credentials may be for a part of a registry
 * only.
 */
export async function baseImageRef(
  registry: string,
  request: Pick<BuildRequest, 'dockerfile' | 'args' | 'platforms'>,
): Promise<RegistryRef> {
  const text = (await readLocalText(request.dockerfile)) ?? '';
  const reference = parseReference(firstImageOf(registry, text, request) ?? '');
  return reference.ok ? reference.value : { registry };
}
