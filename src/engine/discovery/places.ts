import { parseEndpoint, type Endpoint, type Machine } from './endpoint.ts';
import { EngineError } from '../errors.ts';
import { asRecord, asText } from '../wire.ts';
import { chooserOf, trailOf, type Chooser } from './choosers.ts';
import { DEFAULT_CONTEXT, endpointIn, listContexts } from './contexts.ts';
import { extrasOf, readDockerConfig, type Extras } from './dockerConfig.ts';
import { variable } from './folders.ts';
import {
  anyContextEndpoint,
  defaultEndpoint,
  hostEndpoint,
  noAddress,
  shownAddress,
  variableEndpoint,
} from './hosts.ts';
import type { Choice, ContextChooser, EngineEntry, FoundBy, Place } from './place.ts';
import { areVariablesAskingForTls, readNamedTlsFolder } from './tls.ts';
import { usualPlaces, type UsualPlace } from './usual.ts';

/**
 * Where the rules of the command line lead, with the setting `gantry.host` before them: `DOCKER_HOST`, then
 * `DOCKER_CONTEXT`, then the current context. Where nobody has chosen, the usual places to try in turn. Never
 * rejects: what cannot be used is a place with its error.
 */
export async function choosePlaces(hostSetting: string, machine: Machine): Promise<Choice> {
  const config = await readDockerConfig(machine);
  const chooser = chooserOf(hostSetting, machine, config);
  const looked = await trailOf(hostSetting, machine, config, chooser);
  const extras = extrasOf(machine, config);
  if (chooser) {
    return { places: [await chosenPlace(chooser, machine, extras)], isChosen: true, looked };
  }
  return { places: await unchosenPlaces(machine, extras), isChosen: false, looked };
}

/**
 * The place that an entry of the setting `gantry.engines` means. An address alone follows Docker's variables for
 * encryption as the command line's `--host` does. Never rejects: an entry that cannot be used is a place with its
 * error.
 */
export async function placeOf(name: string, entry: EngineEntry, machine: Machine): Promise<Place> {
  const extras = extrasOf(machine, await readDockerConfig(machine));
  // What somebody wrote into settings may be anything.
  const fields = asRecord(entry);
  const host = (asText(entry) || asText(fields['host'])).trim();
  const context = contextNamed(host);
  if (context !== undefined) return contextPlace(name, context, 'setting', machine, extras);
  return addressPlace(name, machine, extras, async () => {
    if (host === '') throw noAddress(name);
    return (
      (await encryptedByEntry(name, host, fields, machine)) ??
      hostEndpoint(host, 'setting', machine)
    );
  });
}

/** A place whose endpoint is looked for now; that it cannot be used is part of it. */
export async function placeFrom(
  name: string,
  found: FoundBy,
  extras: Extras,
  find: () => Promise<Endpoint> | Endpoint,
): Promise<Place> {
  try {
    return { name, found, endpoint: { ...(await find()), ...extras }, error: undefined };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { name, found, endpoint: undefined, error };
  }
}

/** One of the usual places. What is meant for Docker is not for others. */
export function usualPlace({ product, isPodman, endpoint }: UsualPlace, extras: Extras): Place {
  return {
    name: product,
    found: { kind: 'usual', product },
    endpoint: isPodman ? endpoint : { ...endpoint, ...extras },
    error: undefined,
  };
}

/** The place of what `DOCKER_HOST` says. */
export function variablePlace(text: string, machine: Machine, extras: Extras): Promise<Place> {
  const found: FoundBy = { kind: 'variable', name: 'DOCKER_HOST' };
  return placeFrom(shownAddress(text), found, extras, () => variableEndpoint(text, machine));
}

async function chosenPlace(chooser: Chooser, machine: Machine, extras: Extras): Promise<Place> {
  const { by, text } = chooser;
  if (by === 'DOCKER_HOST') return variablePlace(text, machine, extras);
  if (by !== 'gantry.host') return contextPlace(text, text, by, machine, extras);
  const context = contextNamed(text);
  if (context !== undefined) return contextPlace(context, context, 'setting', machine, extras);
  return addressPlace(shownAddress(text), machine, extras, () =>
    hostEndpoint(text, 'setting', machine),
  );
}

async function unchosenPlaces(machine: Machine, extras: Extras): Promise<readonly Place[]> {
  const usual = (await usualPlaces(machine)).map((one) => usualPlace(one, extras));
  if (!areVariablesAskingForTls(machine)) return usual;
  // Variables that ask for encryption lead the command line away from its socket.
  const found: FoundBy = { kind: 'context', name: DEFAULT_CONTEXT };
  return [
    await placeFrom(DEFAULT_CONTEXT, found, extras, () => defaultEndpoint(machine)),
    ...usual,
  ];
}

function contextPlace(
  name: string,
  context: string,
  chosenBy: ContextChooser,
  machine: Machine,
  extras: Extras,
): Promise<Place> {
  return placeFrom(name, { kind: 'context', name: context, chosenBy }, extras, () =>
    anyContextEndpoint(context, machine),
  );
}

/** The place of an address in our own settings. Headers may be secret: they go only where the command line sends them. */
async function addressPlace(
  name: string,
  machine: Machine,
  extras: Extras,
  find: () => Promise<Endpoint>,
): Promise<Place> {
  const place = await placeFrom(name, { kind: 'setting' }, extras, find);
  if (!place.endpoint?.headers || (await isKnown(place.endpoint.url, machine))) return place;
  return placeFrom(name, { kind: 'setting' }, withoutHeaders(extras), find);
}

function withoutHeaders({ pinnedApi }: Extras): Extras {
  return pinnedApi === undefined ? {} : { pinnedApi };
}

/** Whether the command line would reach an engine at this address by its own configuration. */
async function isKnown(url: string, machine: Machine): Promise<boolean> {
  const host = variable(machine, 'DOCKER_HOST');
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
