import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { RequestHeaders } from './engineRequest.ts';

/** A request on its way to a socket. */
export class RequestWriter {
  /** Whether the socket has the whole request. */
  isComplete = false;
  readonly #socket: Socket;
  readonly #source: Readable | undefined;
  readonly #isChunked: boolean;

  /**
   * Starts sending.
   *
   * @param keepsAlive whether the socket may be used for the next request.
   * @param onError called if the source of an upload fails.
   * @throws Error if the request contains invalid characters.
   */
  constructor(
    socket: Socket,
    outgoing: Outgoing,
    keepsAlive: boolean,
    onError: (error: Error) => void,
  ) {
    const { body } = outgoing;
    const head = headOf(outgoing, keepsAlive);
    this.#socket = socket;
    this.#isChunked = 'transfer-encoding' in head.headers;
    if (body !== null && typeof body === 'object') {
      this.#source = body;
      socket.write(head.text, 'latin1');
      this.#upload(body, onError);
      return;
    }
    socket.cork();
    socket.write(head.text, 'latin1');
    if (body !== null) socket.write(body);
    socket.uncork();
    this.isComplete = true;
  }

  /** Stops sending. The source of an upload is no longer read. */
  stop(): void {
    this.#socket.off('drain', this.#onDrain);
    this.#source?.off('data', this.#onData).destroy();
  }

  /** Sends what `source` yields, no faster than the engine takes it. */
  #upload(source: Readable, onError: (error: Error) => void): void {
    this.#socket.on('drain', this.#onDrain);
    source.on('error', onError).on('data', this.#onData);
    source.once('end', () => {
      if (this.#isChunked) this.#socket.write('0\r\n\r\n');
      this.isComplete = true;
    });
  }

  readonly #onData = (chunk: Uint8Array): void => {
    const socket = this.#socket;
    if (this.#isChunked) {
      socket.cork();
      socket.write(`${chunk.length.toString(16)}\r\n`);
      socket.write(chunk);
      socket.write('\r\n');
      socket.uncork();
    } else socket.write(chunk);
    if (socket.writableNeedDrain) this.#source?.pause();
  };

  readonly #onDrain = (): void => {
    this.#source?.resume();
  };
}

/** A request as it is sent. */
export interface Outgoing {
  readonly method: string;
  /** With the query, encoded. */
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly body: string | Readable | null;
  /** The protocol to change to, if any. */
  readonly upgrade?: string | undefined;
}

const INVALID_IN_PATH = /[^\x21-\xff]/;
const INVALID_IN_HEADER = /[^\t\x20-\x7e\x80-\xff]/;

interface Head {
  readonly text: string;
  readonly headers: RequestHeaders;
}

function headOf({ method, path, headers, body, upgrade }: Outgoing, keepsAlive: boolean): Head {
  const all = new Map<string, string | readonly string[]>();
  const add = (fields: RequestHeaders): void => {
    // A header of the user replaces our own.
    for (const [name, value] of Object.entries(fields)) all.set(name.toLowerCase(), value);
  };
  add(headers);
  add(upgrade === undefined ? {} : { upgrade });
  add({ connection: upgrade === undefined ? (keepsAlive ? 'keep-alive' : 'close') : 'upgrade' });
  if (!all.has('content-length')) add(framingOf(method, body));
  const values = [...all.values()].flat().join('');
  if (INVALID_IN_PATH.test(path) || INVALID_IN_HEADER.test(values)) {
    throw new Error('The request contains invalid characters');
  }
  const lines = [...all].flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}\r\n`),
  );
  const text = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return { text, headers: Object.fromEntries(all) };
}

/** Returns the headers from which the engine knows where the body ends. */
function framingOf(method: string, body: Outgoing['body']): Readonly<Record<string, string>> {
  if (typeof body === 'string') return { 'content-length': String(Buffer.byteLength(body)) };
  if (body !== null) return { 'transfer-encoding': 'chunked' };
  return method === 'POST' || method === 'PUT' ? { 'content-length': '0' } : {};
}
