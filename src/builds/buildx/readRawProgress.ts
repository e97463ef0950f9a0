import type {
  StatusResponse,
  Timestamp,
  VertexWarning,
} from '../../engine/builds/controlMessages.ts';
import { tryParseJson } from '../../engine/wire/parseJson.ts';
import { asList, asNumber, asRecord, asText } from '../../engine/wire/wire.ts';

/**
 * Returns what one line of `--progress=rawjson` reports: the messages of BuildKit as JSON, with bytes in base64.
 * Returns undefined if it is something else.
 */
export function readRawProgress(line: string): StatusResponse | undefined {
  if (!line.startsWith('{')) return undefined;
  const record = asRecord(tryParseJson(line));
  if (!PARTS.some((part) => Array.isArray(record[part]))) return undefined;
  const listOf = (part: Part): readonly JsonObject[] => asList(record[part]).map(asRecord);
  return {
    vertexes: listOf('vertexes').map(readVertex),
    statuses: listOf('statuses').map(readStatus),
    logs: listOf('logs').map(readLog),
    warnings: listOf('warnings').map(readWarning),
  };
}

const PARTS = ['vertexes', 'statuses', 'logs', 'warnings'] as const;

type Part = (typeof PARTS)[number];
type JsonObject = Readonly<Record<string, unknown>>;

function readVertex(value: JsonObject): StatusResponse['vertexes'][number] {
  return {
    digest: asText(value['digest']),
    inputs: asList(value['inputs']).map(asText),
    name: asText(value['name']),
    isCached: value['cached'] === true,
    started: readTime(value['started']),
    completed: readTime(value['completed']),
    error: asText(value['error']),
  };
}

function readStatus(value: JsonObject): StatusResponse['statuses'][number] {
  return {
    id: asText(value['id']),
    vertex: asText(value['vertex']),
    name: asText(value['name']),
    current: asNumber(value['current']) ?? 0,
    total: asNumber(value['total']) ?? 0,
    completed: readTime(value['completed']),
  };
}

function readLog(value: JsonObject): StatusResponse['logs'][number] {
  return {
    vertex: asText(value['vertex']),
    timestamp: readTime(value['timestamp']),
    stream: asNumber(value['stream']) ?? 1,
    data: readBytes(value['data']),
  };
}

function readWarning(value: JsonObject): VertexWarning {
  const info = asRecord(value['sourceInfo']);
  const filename = asText(info['filename']);
  return {
    short: readBytes(value['short']),
    detail: asList(value['detail']).map(readBytes),
    url: asText(value['url']),
    info: filename === '' ? undefined : { filename, data: readBytes(info['data']) },
    ranges: asList(value['range']).map(asRecord).map(readRange),
  };
}

function readRange({ start, end }: JsonObject): VertexWarning['ranges'][number] {
  return { start: readPosition(start), end: readPosition(end) };
}

function readPosition(value: unknown): { readonly line: number } | undefined {
  const line = asNumber(asRecord(value)['line']);
  return line === undefined ? undefined : { line };
}

function readBytes(value: unknown): Uint8Array {
  return Buffer.from(asText(value), 'base64');
}

/** A time that is not set is missing, or in the year 1. */
function readTime(value: unknown): Timestamp | undefined {
  const time = Date.parse(asText(value));
  if (Number.isNaN(time) || time <= 0) return undefined;
  return { seconds: Math.floor(time / 1000), nanos: (time % 1000) * 1e6 };
}
