/** Sets the proxies of the Docker CLI in new containers, and leaves them out of copies. */

import * as l10n from '@vscode/l10n';
import type { Connection } from '../../engine/http/connection.ts';
import type { CreateRequest } from '../../engine/containers/createRequest.ts';
import type { CreateArguments } from '../../engine/options/options.ts';
import { asTexts } from '../../engine/wire/wire.ts';
import { readContainerSpec, type ContainerSpec } from '../../recipes/containerSpec.ts';
import {
  hasCredentials,
  withoutProxyVariables,
  withProxyVariables,
  type ProxyVariables,
} from '../../registries/proxyVariables.ts';
import type { CommandContext, WindowServices } from '../frame/commandContext.ts';

/**
 * Returns the proxies that an engine gets. Those with credentials are left out if others could read them and the user
 * does not consent.
 *
 * @param own the names of variables that are set otherwise.
 * @param isInteractive whether the user can be asked.
 */
export async function sentProxies(
  { window: { proxies, consent } }: ProxySource,
  { endpoint }: Pick<Connection, 'endpoint'>,
  own: readonly string[],
  isInteractive: boolean,
): Promise<SentProxies> {
  const all = Object.entries((await proxies?.(endpoint.url)) ?? {});
  const set = all.filter(([name]) => !own.includes(name));
  const open = set.filter(([, value]) => !hasCredentials(value));
  const isAllowed =
    open.length === set.length ||
    consent.isGiven(endpoint, 'proxy') ||
    (isInteractive && (await consent.ask(endpoint, 'proxy')));
  return {
    variables: Object.fromEntries(isAllowed ? set : open),
    warnings: isAllowed ? [] : [consent.refusal(endpoint, 'proxy')],
  };
}

/** The proxies that are sent, with a sentence if others are not. */
interface SentProxies {
  readonly variables: ProxyVariables;
  readonly warnings: readonly string[];
}

/** A context, or the part of it that is needed here. */
interface ProxySource {
  readonly window: Pick<WindowServices, 'proxies' | 'consent'>;
}

/**
 * Returns the request with the proxies in the environment of the container, as far as they may be sent. Its own
 * variables come first.
 */
export async function withProxies(
  context: ProxySource,
  connection: Pick<Connection, 'endpoint'>,
  request: CreateRequest,
  isInteractive: boolean,
): Promise<Pick<SentProxies, 'warnings'> & { readonly request: CreateRequest }> {
  const { body } = request;
  const env = asTexts(body['Env']);
  const own = env.map((entry) => entry.split('=', 1)[0] ?? '');
  const { variables, warnings } = await sentProxies(context, connection, own, isInteractive);
  if (Object.keys(variables).length === 0) return { request, warnings };
  const whole = { ...request, body: { ...body, Env: withProxyVariables(env, variables) } };
  return { request: whole, warnings };
}

/** Returns a line for a question: an untrusted program would get the passwords of proxies. Empty without proxies. */
export async function proxyLines(
  { window: { proxies } }: Pick<CommandContext, 'window'>,
  { endpoint }: Connection,
): Promise<readonly string[]> {
  const names = Object.keys((await proxies?.(endpoint.url)) ?? {});
  const shown = [...new Set(names.map((name) => name.toUpperCase()))].join(', ');
  return shown === '' ? [] : [l10n.t('Proxies of the Docker CLI: {0}', shown)];
}

/**
 * Reads a container as `readContainerSpec`, without the proxies of the configuration: a copy gets them again, and a
 * text must not have them, because they may contain passwords.
 */
export async function readCopy(
  context: Pick<CommandContext, 'window'> | undefined,
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<ContainerSpec> {
  const spec = await readContainerSpec(connection, id, signal);
  const variables = (await context?.window.proxies?.(connection.endpoint.url)) ?? {};
  const { env, ...args } = spec.args;
  const own = withoutProxyVariables(env ?? [], variables);
  if (env === undefined || own.length === env.length) return spec;
  const kept: CreateArguments = own.length === 0 ? args : { ...spec.args, env: own };
  return { ...spec, args: kept };
}
