import type { Endpoint, Machine } from './endpoint.ts';
import { asRecord, asText } from '../wire.ts';
import { filesOf } from './nodeFiles.ts';
import { dockerFolder, joinPathOn, readVariable } from './folders.ts';
import { parseHeaderList, readCustomHeaders } from './readCustomHeaders.ts';
import type { DiscoveryStepResult } from './endpointCandidate.ts';

/** What Docker's `config.json` says of engines. */
export interface DockerConfig {
  /** Its path; undefined where no home is known. */
  readonly file: string | undefined;
  readonly result: DiscoveryStepResult;
  /** The context in use; undefined where nobody chose one. */
  readonly currentContext: string | undefined;
  /** May be secret. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Sent along with, or asked of, engines that the command line would reach. */
export type EndpointExtras = Pick<Endpoint, 'headers' | 'pinnedApi'>;

/** Reads `config.json`. A damaged one says nothing, as one that is not there. Never rejects. */
export async function readDockerConfig(machine: Machine): Promise<DockerConfig> {
  const folder = dockerFolder(machine);
  const file = folder === undefined ? undefined : joinPathOn(machine, folder, 'config.json');
  if (file === undefined) return { file, result: 'absent', currentContext: undefined, headers: {} };
  const { result, record } = await readJsonFile(machine, file);
  const context = asText(readField(record, 'currentContext'));
  return {
    file,
    result,
    currentContext: context === '' ? undefined : context,
    headers: readCustomHeaders(readField(record, 'HttpHeaders')),
  };
}

/** A JSON object in a file. Where it is absent or damaged, the record is empty. Never rejects. */
export async function readJsonFile(
  machine: Machine,
  file: string,
): Promise<{
  readonly result: DiscoveryStepResult;
  readonly record: Readonly<Record<string, unknown>>;
}> {
  const text = await filesOf(machine).readText(file);
  if (text === undefined) {
    const isThere = (await filesOf(machine).kindOf(file)) !== undefined;
    return { result: isThere ? 'damaged' : 'absent', record: {} };
  }
  const parsed = parseJson(text);
  const isRecord = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  return { result: isRecord ? 'found' : 'damaged', record: asRecord(parsed) };
}

/** A field whatever its letters' case, for so its own programs read these files. */
export function readField(record: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(record, name)) return record[name];
  const key = Object.keys(record).find((one) => one.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : record[key];
}

/** The headers and the version for the engines that the command line knows. The variable's headers stand alone. */
export function endpointExtras(machine: Machine, config: DockerConfig): EndpointExtras {
  const told = parseHeaderList(readVariable(machine, 'DOCKER_CUSTOM_HEADERS') ?? '');
  const headers = told && Object.keys(told).length > 0 ? told : config.headers;
  const pinnedApi = pinnedApiOf(machine);
  return {
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(pinnedApi !== undefined && { pinnedApi }),
  };
}

/** The version that `DOCKER_API_VERSION` insists on; undefined where it says none that there could be. */
export function pinnedApiOf(machine: Machine): string | undefined {
  return /^v?(\d+\.\d+)$/.exec(readVariable(machine, 'DOCKER_API_VERSION')?.trim() ?? '')?.[1];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
