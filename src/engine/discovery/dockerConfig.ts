import type { Endpoint, Machine } from '../http/endpoint.ts';
import { asRecord, asText, asTextMap } from '../wire/wire.ts';
import { filesOn } from './nodeFiles.ts';
import { dockerFolder, pathBelow, readVariable } from './folders.ts';
import type { DiscoveryStepResult } from './endpointCandidate.ts';
import { tryParseJson } from '../wire/parseJson.ts';

/** The fields of Docker's `config.json` that concern engines. */
export interface DockerConfig {
  /** Its path; undefined if the home folder is unknown. */
  readonly file: string | undefined;
  readonly result: DiscoveryStepResult;
  /** The current context; undefined if none is set. */
  readonly currentContext: string | undefined;
  readonly extras: EndpointExtras;
}

/**
 * Headers and API version for engines that the Docker CLI would reach. The headers of `DOCKER_CUSTOM_HEADERS` replace
 * those of the file. May contain secrets.
 */
export type EndpointExtras = Pick<Endpoint, 'headers' | 'pinnedApi'>;

/** Reads `config.json`. An invalid file counts as empty. Never rejects. */
export async function readDockerConfig(machine: Machine): Promise<DockerConfig> {
  const file = pathBelow(machine, dockerFolder(machine), 'config.json');
  const { result, record } = await readJsonFile(machine, file);
  const context = asText(readField(record, 'currentContext'));
  return {
    file,
    result,
    currentContext: context === '' ? undefined : context,
    extras: endpointExtras(machine, readCustomHeaders(readField(record, 'HttpHeaders'))),
  };
}

/** Reads a JSON object from a file. If the file is absent or invalid, the record is empty. Never rejects. */
export async function readJsonFile(
  machine: Machine,
  file: string | undefined,
): Promise<{
  readonly result: DiscoveryStepResult;
  readonly record: Readonly<Record<string, unknown>>;
}> {
  if (file === undefined) return { result: 'absent', record: {} };
  const text = await filesOn(machine).readText(file);
  if (text === undefined) {
    const isThere = (await filesOn(machine).kindOf(file)) !== undefined;
    return { result: isThere ? 'damaged' : 'absent', record: {} };
  }
  const parsed = tryParseJson(text);
  const isRecord = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  return { result: isRecord ? 'found' : 'damaged', record: asRecord(parsed) };
}

/** Returns a field, ignoring case, because the Docker CLI reads these files that way. */
export function readField(record: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(record, name)) return record[name];
  const key = Object.keys(record).find((one) => one.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : record[key];
}

function endpointExtras(machine: Machine, inFile: EndpointExtras['headers']): EndpointExtras {
  const fromVariable = parseHeaderList(readVariable(machine, 'DOCKER_CUSTOM_HEADERS') ?? '');
  const headers = fromVariable && Object.keys(fromVariable).length > 0 ? fromVariable : inFile;
  const pinnedApi = pinnedApiOf(machine);
  return {
    ...(headers && Object.keys(headers).length > 0 && { headers }),
    ...(pinnedApi !== undefined && { pinnedApi }),
  };
}

/** Returns the version of `DOCKER_API_VERSION`; undefined if it is not set or is invalid. */
export function pinnedApiOf(machine: Machine): string | undefined {
  return /^v?(\d+\.\d+)$/.exec(readVariable(machine, 'DOCKER_API_VERSION')?.trim() ?? '')?.[1];
}

/** Headers of HTTP itself, which the connection sets. */
const OURS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** Printable Latin-1, spaces and tabs. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]+$/;

/** Returns the headers that the user configured, without those that are invalid or set by the connection. */
function readCustomHeaders(value: unknown): Readonly<Record<string, string>> {
  const isFit = ([name, text]: [string, string]): boolean =>
    HEADER_NAME.test(name) && !OURS.has(name.toLowerCase()) && HEADER_VALUE.test(text);
  return Object.fromEntries(Object.entries(asTextMap(value)).filter(isFit));
}

/**
 * Parses `DOCKER_CUSTOM_HEADERS`: comma-separated `name=value` on one line, quoted if it contains a comma. The
 * last of several values wins, and an empty value is dropped. Returns undefined if the text is invalid.
 */
export function parseHeaderList(text: string): Readonly<Record<string, string>> | undefined {
  const fields = splitFields(text);
  if (!fields) return undefined;
  const headers = new Map<string, [name: string, value: string]>();
  for (const field of fields) {
    const equals = field.indexOf('=');
    const name = field.slice(0, Math.max(equals, 0)).trim();
    if (name === '') return undefined;
    headers.set(name.toLowerCase(), [name, field.slice(equals + 1)]);
  }
  return readCustomHeaders(Object.fromEntries(headers.values()));
}

/** Splits a line of comma-separated values. A doubled quotation mark represents one. */
function splitFields(text: string): readonly string[] | undefined {
  const fields: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  for (;;) {
    const found = pattern.exec(text);
    if (!found) return undefined;
    fields.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === '') return fields;
  }
}
