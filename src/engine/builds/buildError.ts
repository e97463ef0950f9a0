import { asLine, asList, asNumber, asRecord, asText, asId } from '../wire/wire.ts';
import type { RequestContext } from '../errors.ts';
import { GRPC_CODE, type ErrorDetail, type GrpcError } from './grpc/grpcError.ts';
import { tryParseJson } from '../wire/parseJson.ts';
import { BuildFailedError } from './buildFailedError.ts';
import type { BuildFailure, BuildSource, LineRange } from './model.ts';

/**
 * Returns the error of a build that failed, with the message of the builder.
 *
 * @param step the id of the step that failed, if the details do not name it.
 */
export function buildError(
  { code, message, details }: Pick<GrpcError, 'code' | 'message' | 'details'>,
  where: RequestContext,
  step?: string,
): BuildFailedError {
  const reason = code === GRPC_CODE.notFound ? 'notFound' : 'failed';
  const failure = readFailure(details, step);
  return new BuildFailedError(failure, reason, { ...where, engineMessage: message });
}

/** A range of lines as BuildKit sends it. */
export interface WireRange {
  readonly start?: { readonly line: number };
  readonly end?: { readonly line: number };
}

/** The most ranges of one error or warning: each has one physical line. */
const MOST_RANGES = 1_000;

/**
 * Returns the lines from the first range to the last; undefined if there are none. A range without an end has one
 * line.
 */
export function linesOf(ranges: readonly WireRange[]): LineRange | undefined {
  const known = ranges.slice(0, MOST_RANGES).flatMap(({ start, end }) => {
    const first = start?.line ?? 0;
    return [first, Math.max(first, end?.line ?? 0)].filter((line) => line >= 1);
  });
  if (known.length === 0) return undefined;
  return { start: Math.min(...known), end: Math.max(...known) };
}

/** The most details of one error that are read. The builder sends fewer than ten. */
const MOST_DETAILS = 100;

/** Reads where and why a build failed. The details are JSON, by types with a suffix. */
function readFailure(details: readonly ErrorDetail[], usual?: string): BuildFailure {
  const all = details.slice(0, MOST_DETAILS).map(({ type, value }) => ({
    type: type.replace(/^.*\//, ''),
    value: asRecord(tryParseJson(Buffer.from(value).toString())),
  }));
  const valuesOf = (name: string): readonly Readonly<Record<string, unknown>>[] =>
    all.filter(({ type }) => type === name).map(({ value }) => value);
  const [vertex] = valuesOf('errdefs.Vertex+json');
  const [exit] = valuesOf('gatewayapi.ExitMessage+json');
  const source = valuesOf('errdefs.Source+json').map(readSource).find(Boolean);
  const step = asId(vertex?.['digest']) || usual;
  const exitCode = asNumber(exit?.['Code']);
  return {
    ...(step !== undefined && { step }),
    ...(source && { source }),
    ...(exitCode !== undefined && { exitCode }),
  };
}

function readSource(value: Readonly<Record<string, unknown>>): BuildSource | undefined {
  const info = asRecord(value['info']);
  const lines = linesOf(asList(value['ranges']).map(readRange));
  const data = asText(info['data']);
  const file = asLine(info['filename']);
  if (!lines || file === '') return undefined;
  return {
    file,
    ...(data !== '' && { text: Buffer.from(data, 'base64').toString() }),
    lines,
  };
}

function readRange(value: unknown): WireRange {
  const { start, end } = asRecord(value);
  const lineOf = (position: unknown): { readonly line: number } => ({
    line: asNumber(asRecord(position)['line']) ?? 0,
  });
  return { start: lineOf(start), end: lineOf(end) };
}
