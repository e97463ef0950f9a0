export interface EngineRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  /** Without the version prefix, with encoded segments: `/containers/abc/start`. */
  readonly path: string;
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent instead of `body`. Rejects with an UploadError if it cannot be read. */
  readonly upload?: Upload;
  readonly headers?: RequestHeaders;
  /** Time limit of the whole call in milliseconds; 0 for none. Default 30 s. Ignored by streams. */
  readonly limitMs?: number;
  /** Whether the call may take minutes (300 s by default), but still uses the connections of the short calls. */
  readonly isPatient?: boolean;
  /** Maximum size of the response in bytes. Default 16 MiB. Ignored by streams. */
  readonly answerLimit?: number;
  readonly signal?: AbortSignal;
  /** Whether it is sent every few seconds, so that its success is not worth a line in the log. */
  readonly isRoutine?: boolean;
  /** For a stream: connections are reserved for it if there are few. */
  readonly isVital?: boolean;
}

/** Headers by name. An array repeats the header. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Query parameters. `undefined` is omitted, `true` and `false` become 1 and 0, arrays repeat the key. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** Bytes that are sent as they are read and never held in memory as a whole. */
export interface Upload {
  /** The media type, for example `application/x-tar`. */
  readonly type: string;
  /** Size in bytes, if known. Then exactly this many bytes must be read. */
  readonly size?: number;
  /**
   * Starts reading. Called once per attempt, so that a request can be sent again. Reads no further ahead than the
   * engine takes. A reader that leaves early calls `return` of the iterator.
   */
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** A request with the fields that are internal to the connection. */
export interface WireRequest extends EngineRequest {
  /** Asks the engine to upgrade the connection to a stream in both directions. */
  readonly upgrade?: 'tcp' | 'h2c';
}

/** A complete response with a status below 300, or 304 ("not modified"). */
export interface Reply extends Omit<StreamReply, 'body'> {
  readonly text: string;
  /** Parses the body as JSON. @throws EngineError `badAnswer` if it is not JSON. */
  json(): unknown;
}

/** A response whose status and headers have arrived and whose body is still arriving. */
export interface StreamReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** May be read once. Ends when the engine ends it; throws EngineError `cut` if the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>;
}
