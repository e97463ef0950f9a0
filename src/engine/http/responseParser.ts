/**
 * Parses one HTTP/1.1 response. Node's own parser copies each chunk and passes it through a stream. Engines send
 * each line of a log as a separate chunk, and with Node's parser a log takes six times as long.
 */
export class ResponseParser {
  /** Whether another request may follow on the same connection. Known when the head has arrived. */
  isKeptAlive = false;
  readonly #handler: ResponseHandler;
  readonly #hasNoBody: boolean;
  #state: State = 'head';
  #isChunked = false;
  /** What has arrived last, and before that the start of a head or line whose end had not arrived. */
  #bytes: Buffer = NONE;
  /** How far these bytes are parsed. */
  #at = 0;
  /** The number of bytes that are left of the body or chunk. */
  #left = 0;
  #trailersSize = 0;

  /** @param method of the request: a response to `HEAD` has no body. */
  constructor(method: string, handler: ResponseHandler) {
    this.#hasNoBody = method === 'HEAD';
    this.#handler = handler;
  }

  /** Whether the response is complete. */
  get isDone(): boolean {
    return this.#state === 'done';
  }

  /**
   * Parses the next bytes from the socket.
   *
   * @returns the bytes that follow the response.
   * @throws ResponseError
   */
  push(bytes: Buffer): Buffer {
    const held = this.#bytes.subarray(this.#at);
    this.#bytes = held.length > 0 ? Buffer.concat([held, bytes]) : bytes;
    this.#at = 0;
    while (this.#state !== 'done' && this.#at < this.#bytes.length && this.#step());
    if (this.#at < this.#bytes.length && this.#state !== 'done') return NONE;
    const rest = this.#bytes.subarray(this.#at);
    this.#bytes = NONE;
    this.#at = 0;
    return rest;
  }

  /** Called at the end of the connection. Returns whether the response is complete. */
  finish(): boolean {
    if (this.#state === 'endless') this.#state = 'done';
    return this.isDone;
  }

  /** Parses one element. Returns false if its end has not arrived. */
  #step(): boolean {
    switch (this.#state) {
      case 'sized':
        return this.#readSized();
      case 'chunkSize':
        return this.#readChunkSize();
      case 'chunkEnd':
        return this.#readChunkEnd();
      case 'trailers':
        return this.#readTrailer();
      case 'head':
        return this.#readHead();
      case 'endless':
      case 'done':
        return this.#emit(this.#bytes.length - this.#at);
    }
  }

  #readHead(): boolean {
    const bytes = this.#bytes.subarray(this.#at);
    const start = bytes.subarray(0, START.length);
    if (!start.equals(START.subarray(0, start.length))) {
      throw new ResponseError('The response is not HTTP', bytes);
    }
    const end = bytes.indexOf('\r\n\r\n');
    if (end > LIMIT || (end < 0 && bytes.length > LIMIT)) {
      throw new ResponseError('The headers are too large', bytes, true);
    }
    if (end < 0) return false;
    const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
    const [, minor, status] = STATUS_LINE.exec(statusLine) ?? [];
    if (status === undefined) throw new ResponseError('Invalid status line', bytes);
    this.#at += end + 4;
    this.#begin(minor === '1', { status: Number(status), headers: headersOf(lines, bytes) }, bytes);
    return true;
  }

  /** Decides how the end of the body is found. */
  #begin(isNew: boolean, head: ResponseHead, bytes: Buffer): void {
    const { status, headers } = head;
    // Informational responses precede the actual one, except for an upgrade.
    if (status < 200 && status !== 101) return;
    const length = headers['content-length'];
    const encoding = headers['transfer-encoding'];
    if (length !== undefined && (encoding !== undefined || !/^\d{1,15}$/.test(length))) {
      throw new ResponseError('Invalid Content-Length', bytes);
    }
    this.#left = Number(length ?? 0);
    this.#isChunked = encoding !== undefined && /(?:^|,)\s*chunked$/i.test(encoding);
    if (this.#hasNoBody || status === 101 || status === 204 || status === 304) this.#state = 'done';
    else if (this.#isChunked) this.#state = 'chunkSize';
    else if (length === undefined) this.#state = 'endless';
    else this.#state = this.#left === 0 ? 'done' : 'sized';
    const connection = headers['connection'] ?? '';
    const isOpen = isNew ? !/\bclose\b/i.test(connection) : /\bkeep-alive\b/i.test(connection);
    this.isKeptAlive = isOpen && this.#state !== 'endless';
    this.#handler.onHead(head);
  }

  #readSized(): boolean {
    const count = Math.min(this.#left, this.#bytes.length - this.#at);
    this.#left -= count;
    if (this.#left === 0) this.#state = this.#isChunked ? 'chunkEnd' : 'done';
    return this.#emit(count);
  }

  #emit(count: number): boolean {
    const start = this.#at;
    this.#at += count;
    this.#handler.onData(this.#bytes.subarray(start, this.#at));
    return true;
  }

  #readChunkSize(): boolean {
    const bytes = this.#bytes;
    let [size, at] = [0, this.#at];
    for (let digit = hexDigit(bytes[at]); digit >= 0; digit = hexDigit(bytes[++at])) {
      size = size * 16 + digit;
    }
    const digits = at - this.#at;
    const isOdd = at < bytes.length && !AFTER_SIZE.has(bytes[at]);
    if (isOdd || digits === 0 || digits > 12) this.#refuse('Invalid chunk size');
    // The size may be followed by extensions, which have no meaning.
    const isShort = bytes[at] === CR && bytes[at + 1] === LF;
    const end = isShort ? at : this.#lineEnd();
    if (end < 0) return false;
    this.#left = size;
    this.#state = size === 0 ? 'trailers' : 'sized';
    this.#at = end + 2;
    return true;
  }

  #readChunkEnd(): boolean {
    const [first, second = LF] = [this.#bytes[this.#at], this.#bytes[this.#at + 1]];
    if (first !== CR || second !== LF) this.#refuse('Invalid end of a chunk');
    if (this.#at + 2 > this.#bytes.length) return false;
    this.#state = 'chunkSize';
    this.#at += 2;
    return true;
  }

  #readTrailer(): boolean {
    const end = this.#lineEnd();
    if (end < 0) return false;
    const size = end - this.#at;
    this.#trailersSize += size;
    if (this.#trailersSize > LIMIT) this.#refuse('The trailers are too large');
    if (size === 0) this.#state = 'done';
    this.#at = end + 2;
    return true;
  }

  /** Returns where the line ends; -1 if its end has not arrived. */
  #lineEnd(): number {
    const end = this.#bytes.indexOf('\r\n', this.#at);
    if ((end < 0 ? this.#bytes.length : end) - this.#at > LIMIT) this.#refuse('A line is too long');
    return end;
  }

  #refuse(message: string): never {
    throw new ResponseError(message, this.#bytes.subarray(this.#at));
  }
}

/** Status and headers of a response. */
export interface ResponseHead {
  readonly status: number;
  /** By their names in lower case. Several values of one header are joined. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Called with what a parser finds. */
export interface ResponseHandler {
  onHead(head: ResponseHead): void;
  onData(chunk: Buffer): void;
}

/** A response that is not HTTP/1.1, or whose headers are too large. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError';
  /** The bytes that could not be parsed. */
  readonly bytes: Uint8Array;
  readonly isTooLarge: boolean;

  constructor(message: string, bytes: Uint8Array, isTooLarge = false) {
    super(message);
    this.bytes = bytes;
    this.isTooLarge = isTooLarge;
  }
}

/** The maximum size of status line and headers, of a line before a chunk, and of the trailers, in bytes. */
const LIMIT = 16 * 1024;
const START = Buffer.from('HTTP/1.');
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const HEADER_LINE = /^([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7e\x80-\xff]*)$/;
const CR = 13;
const LF = 10;
/** What may follow the size of a chunk: space, tab, line end, semicolon. */
const AFTER_SIZE: ReadonlySet<number | undefined> = new Set([32, 9, CR, 59]);
const NONE = Buffer.alloc(0);

type State = 'head' | 'sized' | 'endless' | 'chunkSize' | 'chunkEnd' | 'trailers' | 'done';

function headersOf(lines: readonly string[], bytes: Buffer): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ''] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined) throw new ResponseError('Invalid header', bytes);
    const key = name.toLowerCase();
    const known = headers.get(key);
    headers.set(key, known === undefined ? value.trim() : `${known}, ${value.trim()}`);
  }
  return Object.fromEntries(headers);
}

/** Returns the value of a hexadecimal digit; -1 for any other byte. */
function hexDigit(byte = 0): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
