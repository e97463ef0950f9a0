/** One request to an engine. */
export interface EngineRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  /** Without the version prefix, its segments already encoded: `/containers/abc/start`. */
  readonly path: string;
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent instead of `body`. What cannot be read rejects with an UploadError. */
  readonly upload?: Upload;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds for the whole call; 0 for none. Default 30 s. Not used by streams. */
  readonly limitMs?: number;
  /** Whether it may take minutes, though it is a short call to an engine that has little. */
  readonly isPatient?: boolean | undefined;
  /** Bytes the answer may have. Default 16 MiB. Not used by streams. */
  readonly answerLimit?: number;
  readonly signal?: AbortSignal | undefined;
  /** Of a stream: connections are kept for it where there are few. */
  readonly isVital?: boolean;
}

/** What goes over a connection to an engine, there and back. */

/** Query values; `undefined` is left out, `true` and `false` become 1 and 0, arrays repeat the key. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** Bytes that are sent as they are read, and never held whole. */
export interface Upload {
  /** Their media type, for example `application/x-tar`. */
  readonly type: string;
  /** How many, where that is known. Then exactly so many must come. */
  readonly size?: number;
  /**
   * Begins to read. Called once for each try, so that a request can be sent again; no more is read than the engine
   * takes, and a reader that leaves early calls the iterator's `return`.
   */
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** A request as it goes over the wire. */
export interface WireRequest extends EngineRequest {
  /** Asks to go over to bytes in both directions. */
  readonly upgrade?: 'tcp';
}

/** A whole answer with a status that says yes: below 300, or 304 for "already so". */
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
