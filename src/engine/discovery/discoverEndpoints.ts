import {
  formatAddress,
  parseEndpoint,
  type Endpoint,
  type EndpointSource,
  type Machine,
} from '../http/endpoint.ts';
import { EngineError } from '../errors.ts';
import { asRecord, asText } from '../wire/wire.ts';
import {
  findConfiguredEndpoint,
  discoverySteps,
  type ConfiguredEndpoint,
} from './configuredEndpoint.ts';
import { contextEndpoint, DEFAULT_CONTEXT, endpointIn } from './dockerContext.ts';
import type { EndpointExtras } from './dockerConfig.ts';
import type { EngineConfig } from './engineConfig.ts';
import { expandHome, readVariable } from './folders.ts';
import type {
  DiscoveryResult,
  ContextSource,
  EngineEntry,
  CandidateOrigin,
  EndpointCandidate,
} from './endpointCandidate.ts';
import { isTlsRequested, readNamedTlsFolder, tlsFromVariables } from './readTlsFolder.ts';
import { connectionEndpoint } from './readPodmanConnections.ts';
import { defaultSocket, wellKnownSockets, type WellKnownSocket } from './wellKnownSockets.ts';

/**
 * Returns the candidates by the rules of the Docker CLI, preceded by the setting `gantry.host`: `DOCKER_HOST`,
 * then `DOCKER_CONTEXT`, then the current context. If none of them is set, the candidates are the well-known
 * sockets, to try in order. Never rejects: a candidate that cannot be used has an error.
 */
export async function discoverEndpoints(
  hostSetting: string,
  config: EngineConfig,
): Promise<DiscoveryResult> {
  const chooser = findConfiguredEndpoint(hostSetting, config);
  const candidates = chooser
    ? [await configuredCandidate(chooser, config)]
    : await defaultCandidates(config);
  const steps = await discoverySteps(hostSetting, config, chooser);
  return { candidates, isChosen: chooser !== undefined, steps };
}

/**
 * Returns the candidate for an entry of the setting `gantry.engines`. An address without TLS options follows Docker's
 * TLS variables, like `--host` of the Docker CLI. Never rejects: an entry that cannot be used has an error.
 */
export async function settingCandidate(
  name: string,
  entry: EngineEntry,
  config: EngineConfig,
): Promise<EndpointCandidate> {
  const { extras } = config.docker;
  // VS Code does not enforce the types of settings.
  const fields = asRecord(entry);
  const host = (asText(entry) || asText(fields['host'])).trim();
  const context = contextNamed(host);
  if (context !== undefined) return contextCandidate(name, context, 'setting', config);
  const find = async (): Promise<Endpoint> => {
    if (host === '') throw new EngineError('badEndpoint', { endpoint: name, engineMessage: name });
    return (
      (await encryptedByEntry(name, host, fields, config.machine)) ??
      hostEndpoint(host, 'setting', config)
    );
  };
  const candidate = await resolveCandidate(name, { kind: 'setting' }, extras, find);
  // Headers may contain secrets, so they are sent only to engines to which the Docker CLI would send them.
  if (!candidate.endpoint?.headers || (await isKnown(candidate.endpoint.url, config)))
    return candidate;
  return resolveCandidate(name, { kind: 'setting' }, withoutHeaders(extras), find);
}

/** Resolves the endpoint of a candidate. If it cannot be used, the error becomes part of the candidate. */
export async function resolveCandidate(
  name: string,
  found: CandidateOrigin,
  extras: EndpointExtras,
  find: () => Promise<Endpoint> | Endpoint,
): Promise<EndpointCandidate> {
  try {
    return { name, found, endpoint: { ...(await find()), ...extras }, error: undefined };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { name, found, endpoint: undefined, error };
  }
}

/**
 * Returns the candidate of a well-known socket. Headers and API version are intended for Docker and not sent to Podman.
 */
export function wellKnownCandidate(
  { product, isPodman, endpoint }: WellKnownSocket,
  extras: EndpointExtras,
): EndpointCandidate {
  return {
    name: product,
    found: { kind: 'usual', product },
    endpoint: isPodman ? endpoint : { ...endpoint, ...extras },
    error: undefined,
  };
}

/** Returns the candidates of Podman's connections. */
export async function podmanCandidates({
  machine,
  podman,
}: EngineConfig): Promise<readonly EndpointCandidate[]> {
  const { byName } = await podman();
  return Promise.all(
    [...byName].map(([name, destination]) =>
      resolveCandidate(name, { kind: 'podmanConnection', name }, {}, () =>
        connectionEndpoint(destination, machine),
      ),
    ),
  );
}

/** Returns the candidate for the value of `DOCKER_HOST`. */
export function variableCandidate(text: string, config: EngineConfig): Promise<EndpointCandidate> {
  const found: CandidateOrigin = { kind: 'variable', name: 'DOCKER_HOST' };
  return resolveCandidate(formatAddress(text), found, config.docker.extras, () =>
    variableEndpoint(text, config),
  );
}

async function configuredCandidate(
  { by, text }: ConfiguredEndpoint,
  config: EngineConfig,
): Promise<EndpointCandidate> {
  if (by === 'DOCKER_HOST') return variableCandidate(text, config);
  if (by !== 'gantry.host') return contextCandidate(text, text, by, config);
  return settingCandidate(contextNamed(text) ?? formatAddress(text), text, config);
}

async function defaultCandidates(config: EngineConfig): Promise<readonly EndpointCandidate[]> {
  const { machine, docker } = config;
  const { extras } = docker;
  const usual = (await wellKnownSockets(config)).map((one) => wellKnownCandidate(one, extras));
  if (!isTlsRequested(machine)) return usual;
  // If the variables ask for TLS, the Docker CLI does not use its default socket.
  const found: CandidateOrigin = { kind: 'context', name: DEFAULT_CONTEXT };
  return [
    await resolveCandidate(DEFAULT_CONTEXT, found, extras, () => defaultEndpoint(machine)),
    ...usual,
  ];
}

function contextCandidate(
  name: string,
  context: string,
  chosenBy: ContextSource,
  { machine, docker }: EngineConfig,
): Promise<EndpointCandidate> {
  return resolveCandidate(name, { kind: 'context', name: context, chosenBy }, docker.extras, () =>
    context === DEFAULT_CONTEXT ? defaultEndpoint(machine) : contextEndpoint(context, machine),
  );
}

function withoutHeaders({ pinnedApi }: EndpointExtras): EndpointExtras {
  return pinnedApi === undefined ? {} : { pinnedApi };
}

/** Returns whether the Docker CLI would connect to this address by its own configuration. */
async function isKnown(url: string, config: EngineConfig): Promise<boolean> {
  const { machine } = config;
  const host = readVariable(machine, 'DOCKER_HOST');
  const contexts = (await config.contexts()).all;
  const known = await Promise.allSettled([
    defaultEndpoint(machine),
    ...(host === undefined ? [] : [variableEndpoint(host, config)]),
    ...contexts.map((context) => endpointIn(context, machine)),
  ]);
  return known.some((one) => one.status === 'fulfilled' && one.value.url === url);
}

/** Returns the context name in `context:NAME`; undefined for an address. */
function contextNamed(address: string): string | undefined {
  return /^context:(.+)$/.exec(address.trim())?.[1]?.trim();
}

/** Returns the endpoint of a tcp address with the TLS options of its entry; undefined if the entry has none. */
async function encryptedByEntry(
  name: string,
  host: string,
  fields: Readonly<Record<string, unknown>>,
  machine: Machine,
): Promise<Endpoint | undefined> {
  const certPath = asText(fields['certPath']).trim();
  const verify = fields['skipTlsVerify'] !== true;
  if (certPath === '' && verify) return undefined;
  if (parseEndpoint(host, 'setting').transport.kind !== 'tcp') return undefined;
  const tls =
    certPath === ''
      ? { verify }
      : await readNamedTlsFolder(machine, certPath, { name, verify, isCaAlone: true });
  return parseEndpoint(host, 'setting', tls);
}

/**
 * Returns the endpoint of an address entered by the user, with the TLS options of Docker's variables or the key of
 * Podman's connection to this address.
 *
 * @throws EngineError `badEndpoint`; `certificateUnusable`.
 */
async function hostEndpoint(
  text: string,
  source: EndpointSource,
  config: EngineConfig,
): Promise<Endpoint> {
  const { machine } = config;
  const address = expandHome(machine, text.trim());
  const plain = parseEndpoint(address, source);
  if (plain.transport.kind === 'ssh') return withPodmanKey(plain, config);
  if (plain.transport.kind !== 'tcp') return plain;
  return parseEndpoint(address, source, await tlsFromVariables(machine));
}

/** Adds the key of Podman's connection to the same address, if there is one. */
async function withPodmanKey(plain: Endpoint, config: EngineConfig): Promise<Endpoint> {
  const known = await podmanCandidates(config);
  const same = known.find(({ endpoint }) => endpoint?.url === plain.url);
  return { ...plain, transport: same?.endpoint?.transport ?? plain.transport };
}

/** Like {@link hostEndpoint} for `DOCKER_HOST`, in which the Docker CLI lets the user omit default parts. */
async function variableEndpoint(text: string, config: EngineConfig): Promise<Endpoint> {
  return hostEndpoint(withDefaults(text.trim(), config.machine), 'environment', config);
}

/** Returns the default endpoint of the Docker CLI: its socket, or a local port if the variables ask for TLS. */
async function defaultEndpoint(machine: Machine): Promise<Endpoint> {
  if (!isTlsRequested(machine)) return parseEndpoint(defaultSocket(machine), 'context');
  return parseEndpoint('tcp://localhost:2376', 'context', await tlsFromVariables(machine));
}

function withDefaults(text: string, machine: Machine): string {
  if (text === 'unix://' || text === 'npipe://') return defaultSocket(machine);
  if (/^tcp:\/\/(?::|$)/.test(text)) return text.replace('tcp://', 'tcp://localhost');
  const isBareHost = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d+(?:\/.*)?)?$/i.test(text);
  return isBareHost ? `tcp://${text}` : text;
}
