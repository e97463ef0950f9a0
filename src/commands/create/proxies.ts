/** Gives new containers the proxies of the Docker CLI, and leaves them out of copies. */

import type { Connection } from '../../engine/http/connection.ts';
import type { CreateRequest } from '../../engine/options/createRequest.ts';
import type { CreateArguments } from '../../engine/options/options.ts';
import { asTexts } from '../../engine/wire.ts';
import { readContainerSpec, type ContainerSpec } from '../../recipes/containerSpec.ts';
import { withoutProxyVariables, withProxyVariables } from '../../registries/proxyVariables.ts';
import type { CommandContext } from '../commandContext.ts';

/** Returns the request with the proxies in the environment of the container. Its own variables come first. */
export async function withProxies(
  { proxies }: Pick<CommandContext, 'proxies'>,
  { endpoint }: Connection,
  request: CreateRequest,
): Promise<CreateRequest> {
  const variables = (await proxies?.(endpoint.url)) ?? {};
  if (Object.keys(variables).length === 0) return request;
  const { body } = request;
  return {
    ...request,
    body: { ...body, Env: withProxyVariables(asTexts(body['Env']), variables) },
  };
}

/** Returns a line for a question: an untrusted program would get the passwords of proxies. Empty without proxies. */
export async function proxyLines(
  { proxies, ui: { l10n } }: Pick<CommandContext, 'proxies' | 'ui'>,
  { endpoint }: Connection,
): Promise<readonly string[]> {
  const names = Object.keys((await proxies?.(endpoint.url)) ?? {});
  const shown = [...new Set(names.map((name) => name.toUpperCase()))].join(', ');
  return shown === '' ? [] : [l10n.t('Proxies of the Docker CLI: {0}', shown)];
}

/**
 * Reads a container as `readContainerSpec`, without the proxies of the configuration: a copy gets them again, and a text
 * must not have them, because they may contain passwords.
 */
export async function readCopy(
  context: Pick<CommandContext, 'proxies'> | undefined,
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<ContainerSpec> {
  const spec = await readContainerSpec(connection, id, signal);
  const variables = (await context?.proxies?.(connection.endpoint.url)) ?? {};
  const { env, ...args } = spec.args;
  const own = withoutProxyVariables(env ?? [], variables);
  if (env === undefined || own.length === env.length) return spec;
  const kept: CreateArguments = own.length === 0 ? args : { ...spec.args, env: own };
  return { ...spec, args: kept };
}
