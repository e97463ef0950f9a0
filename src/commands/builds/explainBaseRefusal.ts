import { baseRegistries, firstImageOf, refusedImage } from '../../engine/builds/baseRegistries.ts';
import { imageIn } from '../../engine/builds/failedLines.ts';
import type { BuildRequest } from '../../engine/builds/model.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { parseReference } from '../../engine/options/reference.ts';
import { readLocalText } from '../../engine/readLocalFile.ts';
import { isRegistryRefusal } from '../../registries/credentialSource.ts';
import type { RegistryRef } from '../../registries/registryRef.ts';
import type { CommandContext } from '../commandContext.ts';

/**
 * Returns the error of a build whose base image was refused with the credentials that were tried; its cause names the
 * registry. Any other error stays.
 */
export async function explainBaseRefusal(
  context: CommandContext,
  connection: Connection,
  error: unknown,
  request: BuildRequest,
  signal: AbortSignal,
): Promise<unknown> {
  if (signal.aborted || !isRegistryRefusal(error) || typeof error.cause !== 'object') return error;
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
  const explained = await (await context.registries()).explain(asked, error);
  return explained.with({ cause: { ...error.cause, registry } });
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
