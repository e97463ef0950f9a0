import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Answers a request by writing bytes to the socket or otherwise acting on it. */
export type Speak = (socket: Socket, head: string, body: string) => void;

/** A server on a Unix socket that sends raw bytes, to send what an HTTP server cannot. */
export interface RawEngine {
  readonly url: string;
  /** The request lines of all requests except `_ping`, in order. */
  readonly seen: readonly string[];
  /** The number of open connections. */
  readonly open: () => number;
  /** The number of connections accepted so far. */
  readonly accepted: () => number;
  stop(): Promise<void>;
}

/** Formats a complete HTTP response. */
export function bytesOf(status: string, headers: Record<string, string>, body = ''): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`;
}

const PING = bytesOf('200 OK', { 'api-version': '1.41', 'content-length': '2' }, 'OK');

/** Starts a raw engine. A `_ping` is answered like Docker 20.10 unless `pings` is given. */
export async function startRawEngine(speak: Speak, pings?: Speak): Promise<RawEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-raw-'));
  const path = join(folder, 'engine.sock');
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;
  const answer: Speak = (socket, head, body) => {
    if (!head.startsWith('GET /_ping')) {
      seen.push(head.split(' HTTP/')[0] ?? '');
      speak(socket, head, body);
    } else if (pings) pings(socket, head, body);
    else socket.write(PING);
  };
  const server = createServer((socket) => {
    accepted++;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    readRequests(socket, (head, body) => answer(socket, head, body));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    url: `unix://${path}`,
    seen,
    open: () => sockets.size,
    accepted: () => accepted,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Splits incoming data into requests by their heads and content lengths. */
function readRequests(socket: Socket, onRequest: (head: string, body: string) => void): void {
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part;
    for (;;) {
      const end = text.indexOf('\r\n\r\n');
      const head = text.slice(0, end);
      const size = end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (end < 0 || text.length < size) return;
      const body = text.slice(end + 4, size);
      text = text.slice(size);
      onRequest(head, body);
    }
  });
}
