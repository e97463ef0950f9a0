import { parseEndpoint, type Endpoint, type EndpointSource, type Machine } from './endpoint.ts';
import { EngineError, failedWith } from '../errors.ts';
import { contextEndpoint, DEFAULT_CONTEXT } from './dockerContext.ts';
import { expandHome } from './folders.ts';
import { isTlsRequested, tlsFromVariables } from './readTlsFolder.ts';
import { defaultSocket } from './wellKnownSockets.ts';

/**
 * Where an address leads that a person wrote down, with the encryption that Docker's variables ask for.
 *
 * @throws EngineError `badEndpoint`; `certificateUnusable`.
 */
export async function hostEndpoint(
  text: string,
  source: EndpointSource,
  machine: Machine,
): Promise<Endpoint> {
  const address = expandHome(machine, text.trim());
  const plain = parseEndpoint(address, source);
  if (plain.transport.kind !== 'tcp') return plain;
  return parseEndpoint(address, source, await tlsFromVariables(machine));
}

/** The same for `DOCKER_HOST`, in which the command line allows for what goes without saying. */
export async function variableEndpoint(text: string, machine: Machine): Promise<Endpoint> {
  return hostEndpoint(withDefaults(text.trim(), machine), 'environment', machine);
}

/**
 * Where a context leads, the default one included.
 *
 * @throws EngineError `contextMissing`; `contextBroken`; `certificateUnusable`.
 */
export async function anyContextEndpoint(name: string, machine: Machine): Promise<Endpoint> {
  return name === DEFAULT_CONTEXT ? defaultEndpoint(machine) : contextEndpoint(name, machine);
}

/** What the command line takes where nobody chose: its socket, or this machine's port if all is to be encrypted. */
export async function defaultEndpoint(machine: Machine): Promise<Endpoint> {
  if (!isTlsRequested(machine)) return parseEndpoint(defaultSocket(machine), 'context');
  return parseEndpoint('tcp://localhost:2376', 'context', await tlsFromVariables(machine));
}

/** An address as it may be shown, whether it can be read or not. */
export function formatAddress(text: string): string {
  try {
    return parseEndpoint(text, 'setting').url;
  } catch (error) {
    if (failedWith(error, 'badEndpoint')) return error.endpoint ?? '';
    throw error;
  }
}

function withDefaults(text: string, machine: Machine): string {
  if (text === 'unix://' || text === 'npipe://') return defaultSocket(machine);
  if (/^tcp:\/\/(?::|$)/.test(text)) return text.replace('tcp://', 'tcp://localhost');
  const isBareHost = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d+(?:\/.*)?)?$/i.test(text);
  return isBareHost ? `tcp://${text}` : text;
}

/** The error for an entry that says no address at all. */
export function missingAddressError(name: string): EngineError {
  return new EngineError('badEndpoint', { endpoint: name, engineMessage: name });
}
