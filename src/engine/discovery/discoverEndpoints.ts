import { parseEndpoint, type Endpoint, type Machine } from './endpoint.ts';
import { EngineError } from '../errors.ts';
import { asRecord, asText } from '../wire.ts';
import {
  findConfiguredEndpoint,
  discoverySteps,
  type ConfiguredEndpoint,
} from './configuredEndpoint.ts';
import { DEFAULT_CONTEXT, endpointIn, listContexts } from './dockerContext.ts';
import { endpointExtras, readDockerConfig, type EndpointExtras } from './dockerConfig.ts';
import { readVariable } from './folders.ts';
import {
  anyContextEndpoint,
  defaultEndpoint,
  hostEndpoint,
  missingAddressError,
  formatAddress,
  variableEndpoint,
} from './hostEndpoint.ts';
import type {
  DiscoveryResult,
  ContextSource,
  EngineEntry,
  CandidateOrigin,
  EndpointCandidate,
} from './endpointCandidate.ts';
import { isTlsRequested, readNamedTlsFolder } from './readTlsFolder.ts';
import { wellKnownSockets, type WellKnownSocket } from './wellKnownSockets.ts';

/**
 * Where the rules of the command line lead, with the setting `gantry.host` before them: `DOCKER_HOST`, then
 * `DOCKER_CONTEXT`, then the current context. Where nobody has chosen, the usual places to try in turn. Never
 * rejects: what cannot be used is a place with its error.
 */
export async function discoverEndpoints(
  hostSetting: string,
  machine: Machine,
): Promise<DiscoveryResult> {
  const config = await readDockerConfig(machine);
  const chooser = findConfiguredEndpoint(hostSetting, machine, config);
  const looked = await discoverySteps(hostSetting, machine, config, chooser);
  const extras = endpointExtras(machine, config);
  if (chooser) {
    return {
      candidates: [await configuredCandidate(chooser, machine, extras)],
      isChosen: true,
      steps: looked,
    };
  }
  return { candidates: await defaultCandidates(machine, extras), isChosen: false, steps: looked };
}

/**
 * The place that an entry of the setting `gantry.engines` means. An address alone follows Docker's variables for
 * encryption as the command line's `--host` does. Never rejects: an entry that cannot be used is a place with its
 * error.
 */
export async function settingCandidate(
  name: string,
  entry: EngineEntry,
  machine: Machine,
): Promise<EndpointCandidate> {
  const extras = endpointExtras(machine, await readDockerConfig(machine));
  // What somebody wrote into settings may be anything.
  const fields = asRecord(entry);
  const host = (asText(entry) || asText(fields['host'])).trim();
  const context = contextNamed(host);
  if (context !== undefined) return contextCandidate(name, context, 'setting', machine, extras);
  return addressCandidate(name, machine, extras, async () => {
    if (host === '') throw missingAddressError(name);
    return (
      (await encryptedByEntry(name, host, fields, machine)) ??
      hostEndpoint(host, 'setting', machine)
    );
  });
}

/** A place whose endpoint is looked for now; that it cannot be used is part of it. */
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

/** One of the usual places. What is meant for Docker is not for others. */
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

/** The place of what `DOCKER_HOST` says. */
export function variableCandidate(
  text: string,
  machine: Machine,
  extras: EndpointExtras,
): Promise<EndpointCandidate> {
  const found: CandidateOrigin = { kind: 'variable', name: 'DOCKER_HOST' };
  return resolveCandidate(formatAddress(text), found, extras, () =>
    variableEndpoint(text, machine),
  );
}

async function configuredCandidate(
  chooser: ConfiguredEndpoint,
  machine: Machine,
  extras: EndpointExtras,
): Promise<EndpointCandidate> {
  const { by, text } = chooser;
  if (by === 'DOCKER_HOST') return variableCandidate(text, machine, extras);
  if (by !== 'gantry.host') return contextCandidate(text, text, by, machine, extras);
  const context = contextNamed(text);
  if (context !== undefined) return contextCandidate(context, context, 'setting', machine, extras);
  return addressCandidate(formatAddress(text), machine, extras, () =>
    hostEndpoint(text, 'setting', machine),
  );
}

async function defaultCandidates(
  machine: Machine,
  extras: EndpointExtras,
): Promise<readonly EndpointCandidate[]> {
  const usual = (await wellKnownSockets(machine)).map((one) => wellKnownCandidate(one, extras));
  if (!isTlsRequested(machine)) return usual;
  // Variables that ask for encryption lead the command line away from its socket.
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
  machine: Machine,
  extras: EndpointExtras,
): Promise<EndpointCandidate> {
  return resolveCandidate(name, { kind: 'context', name: context, chosenBy }, extras, () =>
    anyContextEndpoint(context, machine),
  );
}

/** The place of an address in our own settings. Headers may be secret: they go only where the command line sends them. */
async function addressCandidate(
  name: string,
  machine: Machine,
  extras: EndpointExtras,
  find: () => Promise<Endpoint>,
): Promise<EndpointCandidate> {
  const place = await resolveCandidate(name, { kind: 'setting' }, extras, find);
  if (!place.endpoint?.headers || (await isKnown(place.endpoint.url, machine))) return place;
  return resolveCandidate(name, { kind: 'setting' }, withoutHeaders(extras), find);
}

function withoutHeaders({ pinnedApi }: EndpointExtras): EndpointExtras {
  return pinnedApi === undefined ? {} : { pinnedApi };
}

/** Whether the command line would reach an engine at this address by its own configuration. */
async function isKnown(url: string, machine: Machine): Promise<boolean> {
  const host = readVariable(machine, 'DOCKER_HOST');
  const contexts = await listContexts(machine);
  const known = await Promise.allSettled([
    defaultEndpoint(machine),
    ...(host === undefined ? [] : [variableEndpoint(host, machine)]),
    ...contexts.map((context) => endpointIn(context, machine)),
  ]);
  return known.some((one) => one.status === 'fulfilled' && one.value.url === url);
}

/** The context of an address that is none. */
function contextNamed(address: string): string | undefined {
  return /^context:(.+)$/.exec(address.trim())?.[1]?.trim();
}

/** A tcp address with the encryption that stands beside it; undefined where nothing does. */
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
