import type { IncomingHttpHeaders } from 'node:http2';
import { bytes, integer, list, message, ProtobufError, text } from './protobuf.ts';

/** A call that ended with another status than OK. The message is the peer's, or for the peer. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError';
  readonly code: number;
  readonly details: readonly ErrorDetail[];
  /** The status of a response of HTTP that is not one of gRPC: something before the peer sent it. */
  readonly httpStatus: number | undefined;

  constructor(
    code: number,
    text: string,
    details: readonly ErrorDetail[] = [],
    httpStatus?: number,
  ) {
    super(text);
    this.code = code;
    this.details = details;
    this.httpStatus = httpStatus;
  }
}

/** The codes of gRPC that we send or decide by. */
export const GRPC_CODE = {
  canceled: 1,
  unknown: 2,
  notFound: 5,
  unimplemented: 12,
  internal: 13,
} as const;

/** More about an error, in a format that the type names. */
export interface ErrorDetail {
  readonly type: string;
  readonly value: Uint8Array;
}

/** `google.rpc.Status`. */
interface RpcStatus {
  readonly code: number;
  readonly text: string;
  readonly details: readonly ErrorDetail[];
}

/** `google.protobuf.Any`. */
const DETAIL = message<ErrorDetail>({ type: text(1), value: bytes(2) });

/** `google.rpc.Status`. */
export const RPC_STATUS = message<RpcStatus>({
  code: integer(1),
  text: text(2),
  details: list(3, DETAIL),
});

/** Reads the status in the trailers of a call; undefined if there is none. Code 0 is OK. */
export function readStatus(headers: IncomingHttpHeaders): GrpcError | undefined {
  const status = headers['grpc-status'];
  if (typeof status !== 'string' || !/^\d{1,9}$/.test(status)) return undefined;
  const words = headers['grpc-message'];
  const known = headers['grpc-status-details-bin'];
  return new GrpcError(
    Number(status),
    typeof words === 'string' ? unescaped(words) : '',
    typeof known === 'string' ? readDetails(known) : [],
  );
}

/** Returns the trailers of a call that ends with this status. */
export function statusHeaders(code: number, words = ''): Readonly<Record<string, string>> {
  // Only what is allowed in a header; encodeURIComponent escapes more than it must.
  const escaped = encodeURIComponent(words.toWellFormed().slice(0, MOST_WORDS));
  return { 'grpc-status': String(code), ...(words !== '' && { 'grpc-message': escaped }) };
}

/** The longest message that we send, in characters. */
const MOST_WORDS = 1_000;

function readDetails(base64: string): readonly ErrorDetail[] {
  try {
    return RPC_STATUS.decode(Buffer.from(base64, 'base64')).details;
  } catch (error) {
    if (error instanceof ProtobufError) return [];
    throw error;
  }
}

/** Decodes `%xx`. An invalid escape stays as it is. */
function unescaped(words: string): string {
  const bytes = words.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}
