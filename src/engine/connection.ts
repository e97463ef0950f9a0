import type { Disposable } from '../lifetime.ts';
import type { Endpoint } from './endpoint.ts';
import type { EngineInfo } from './model.ts';

/** Query values; `undefined` is left out, `true` and `false` become 1 and 0, arrays repeat the key. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** One request to an engine. */
export interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Without the version prefix, its segments already encoded: `/containers/abc/start`. */
  readonly path: string;
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds for the whole call; 0 for none. Default 30 s. Not used by streams. */
  readonly limitMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A whole answer with a status below 400. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON; throws EngineError `badAnswer` where it is none. */
  json(): unknown;
}

/** An answer that goes on: its status and headers are there, its body comes. */
export interface StreamReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends when the engine ends it; throws EngineError `cut` when the connection breaks. Read it once. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** The way to one engine. Every status is checked: 400 and above reject with an EngineError. */
export interface Connection extends Disposable {
  readonly endpoint: Endpoint;
  /** What answers there; negotiates the version on first use. */
  info(signal?: AbortSignal): Promise<EngineInfo>;
  /** A call: answered whole, within its limit. */
  send(request: EngineRequest): Promise<Reply>;
  /** A stream: resolves with the headers, has no limit, ends with its signal. */
  stream(request: EngineRequest): Promise<StreamReply>;
}
