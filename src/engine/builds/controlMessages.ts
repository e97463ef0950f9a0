/** The messages of BuildKit's service `moby.buildkit.v1.Control` that we send or read, and its methods. */

import type { Method } from './grpc/grpcClient.ts';
import {
  boolean,
  bytes,
  integer,
  list,
  manyBytes,
  message,
  nested,
  text,
  textMap,
  texts,
  type MessageOf,
  type MessageType,
} from './grpc/protobuf.ts';

const TIMESTAMP = message<Timestamp>({ seconds: integer(1), nanos: integer(2) });

/** Since 1970. */
export interface Timestamp {
  readonly seconds: number;
  readonly nanos: number;
}

/** Returns milliseconds since 1970; undefined for a time that is not set, also in Go. */
export function timeOf(time: Timestamp | undefined): number | undefined {
  return time && time.seconds > 0 ? time.seconds * 1000 + time.nanos / 1e6 : undefined;
}

const POSITION = message<{ readonly line: number }>({ line: integer(1) });
const RANGE = message<{
  readonly start: MessageOf<typeof POSITION> | undefined;
  readonly end: MessageOf<typeof POSITION> | undefined;
}>({ start: nested(1, POSITION), end: nested(2, POSITION) });
const SOURCE_INFO = message<{ readonly filename: string; readonly data: Uint8Array }>({
  filename: text(1),
  data: bytes(2),
});

const VERTEX = message<Vertex>({
  digest: text(1),
  inputs: texts(2),
  name: text(3),
  isCached: boolean(4),
  started: nested(5, TIMESTAMP),
  completed: nested(6, TIMESTAMP),
  error: text(7),
});

/** A step. Sent again whenever it changes. */
export interface Vertex {
  readonly digest: string;
  readonly inputs: readonly string[];
  readonly name: string;
  readonly isCached: boolean;
  readonly started: Timestamp | undefined;
  readonly completed: Timestamp | undefined;
  readonly error: string;
}

const VERTEX_STATUS = message<VertexStatus>({
  id: text(1),
  vertex: text(2),
  name: text(3),
  current: integer(4),
  total: integer(5),
  completed: nested(8, TIMESTAMP),
});

/** The progress of a part of a step. */
export interface VertexStatus {
  readonly id: string;
  readonly vertex: string;
  readonly name: string;
  readonly current: number;
  readonly total: number;
  readonly completed: Timestamp | undefined;
}

const VERTEX_LOG = message<VertexLog>({
  vertex: text(1),
  timestamp: nested(2, TIMESTAMP),
  stream: integer(3),
  data: bytes(4),
});

export interface VertexLog {
  readonly vertex: string;
  readonly timestamp: Timestamp | undefined;
  /** 1 is stdout, 2 is stderr. */
  readonly stream: number;
  readonly data: Uint8Array;
}

const VERTEX_WARNING = message<VertexWarning>({
  short: bytes(3),
  detail: manyBytes(4),
  url: text(5),
  info: nested(6, SOURCE_INFO),
  ranges: list(7, RANGE),
});

/** A finding of the checks. */
export interface VertexWarning {
  readonly short: Uint8Array;
  readonly detail: readonly Uint8Array[];
  readonly url: string;
  readonly info: MessageOf<typeof SOURCE_INFO> | undefined;
  readonly ranges: readonly MessageOf<typeof RANGE>[];
}

/** Events of a build since the last message. Also the payload of a trace of `POST /build`. */
export const STATUS_RESPONSE = message<StatusResponse>({
  vertexes: list(1, VERTEX),
  statuses: list(2, VERTEX_STATUS),
  logs: list(3, VERTEX_LOG),
  warnings: list(4, VERTEX_WARNING),
});

/** Events of a build since the last message. */
export interface StatusResponse {
  readonly vertexes: readonly Vertex[];
  readonly statuses: readonly VertexStatus[];
  readonly logs: readonly VertexLog[];
  readonly warnings: readonly VertexWarning[];
}

const WORKERS = message<{
  readonly workers: readonly { readonly labels: ReadonlyMap<string, string> }[];
}>({ workers: list(1, message({ labels: textMap(2) })) });

const REF = message<{ readonly ref: string }>({ ref: text(1) });

const EXPORTER = message<{
  readonly type: string;
  readonly attributes: ReadonlyMap<string, string>;
}>({ type: text(1), attributes: textMap(2) });

const SOLVE_REQUEST = message<SolveRequest>({
  ref: text(1),
  oldExporter: text(3),
  oldExporterAttributes: textMap(4),
  session: text(5),
  frontend: text(6),
  attributes: textMap(7),
  entitlements: texts(9),
  exporters: list(13, EXPORTER),
});

interface SolveRequest {
  readonly ref: string;
  /** The only exporter that engines before 26 know. */
  readonly oldExporter: string;
  readonly oldExporterAttributes: ReadonlyMap<string, string>;
  readonly session: string;
  readonly frontend: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly entitlements: readonly string[];
  readonly exporters: readonly MessageOf<typeof EXPORTER>[];
}

const SOLVE_RESPONSE = message<{ readonly attributes: ReadonlyMap<string, string> }>({
  attributes: textMap(1),
});

const HISTORY_REQUEST = message<{ readonly earlyExit: boolean }>({ earlyExit: boolean(3) });

const RPC_ERROR = message<{ readonly code: number; readonly text: string }>({
  code: integer(1),
  text: text(2),
});
const DESCRIPTOR = message<{ readonly digest: string; readonly size: number }>({
  digest: text(2),
  size: integer(3),
});

const HISTORY_RECORD = message<HistoryRecord>({
  ref: text(1),
  attributes: textMap(3),
  exporters: list(4, EXPORTER),
  error: nested(5, RPC_ERROR),
  created: nested(6, TIMESTAMP),
  completed: nested(7, TIMESTAMP),
  cachedSteps: integer(15),
  totalSteps: integer(16),
  completedSteps: integer(17),
  externalError: nested(18, DESCRIPTOR),
});

export interface HistoryRecord {
  readonly ref: string;
  /** Of the frontend, as in the request. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly exporters: readonly MessageOf<typeof EXPORTER>[];
  readonly error: MessageOf<typeof RPC_ERROR> | undefined;
  readonly created: Timestamp | undefined;
  readonly completed: Timestamp | undefined;
  readonly cachedSteps: number;
  readonly totalSteps: number;
  readonly completedSteps: number;
  /** The content that has the error with its details. */
  readonly externalError: MessageOf<typeof DESCRIPTOR> | undefined;
}

const HISTORY_EVENT = message<{
  /** 0 is started, 1 is completed, 2 is deleted. */
  readonly type: number;
  readonly record: HistoryRecord | undefined;
}>({ type: integer(1), record: nested(2, HISTORY_RECORD) });

const HISTORY_UPDATE = message<{ readonly ref: string; readonly isDeleted: boolean }>({
  ref: text(1),
  isDeleted: boolean(3),
});

const NOTHING = message<object>({});
const READ_REQUEST = message<{ readonly digest: string }>({ digest: text(1) });
const READ_RESPONSE = message<{ readonly data: Uint8Array }>({ data: bytes(2) });

/** The path of the call that carries the session. */
export const SESSION_PATH = '/moby.buildkit.v1.Control/Session';

export const SOLVE = control('Solve', SOLVE_REQUEST, SOLVE_RESPONSE);
export const LIST_WORKERS = control('ListWorkers', NOTHING, WORKERS);
export const STATUS = control('Status', REF, STATUS_RESPONSE);
export const LISTEN_BUILD_HISTORY = control('ListenBuildHistory', HISTORY_REQUEST, HISTORY_EVENT);
export const UPDATE_BUILD_HISTORY = control('UpdateBuildHistory', HISTORY_UPDATE, NOTHING);
export const READ_CONTENT = {
  path: '/containerd.services.content.v1.Content/Read',
  request: READ_REQUEST,
  response: READ_RESPONSE,
} as const;

function control<Request, Response>(
  name: string,
  request: MessageType<Request>,
  response: MessageType<Response>,
): Method<Request, Response> {
  return { path: `/moby.buildkit.v1.Control/${name}`, request, response };
}
