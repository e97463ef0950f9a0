import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import type { Duplex } from 'node:stream';
import { join } from 'node:path';

/** A request received by the fake engine. */
export interface SeenRequest {
  readonly method: string;
  /** The path without version prefix and query. */
  readonly path: string;
  /** The version prefix, for example `1.41`; empty if there is none. */
  readonly version: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers a request. Gets the raw response, to send what a real engine cannot be made to send. */
export type Answer = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

/** An HTTP server on a Unix socket whose responses are set by the test. */
export interface FakeEngine {
  readonly socket: string;
  readonly url: string;
  /** All requests except `_ping`, in order. */
  readonly seen: readonly SeenRequest[];
  /** The number of `_ping` requests. */
  readonly pings: () => number;
  /** Replaces the answer to requests. */
  answer(answer: Answer): void;
  /** Replaces the answer to `_ping`. Default: Docker with API 1.41. */
  ping(answer: Answer): void;
  /** Sets what gets the sockets of `POST /grpc`; by default, they are requests as all others. */
  grpc(serve: ((socket: Duplex) => void) | undefined): void;
  /** Closes all open connections. */
  cut(): void;
  /** The number of open connections. */
  connections(): Promise<number>;
  stop(): Promise<void>;
}

/** Sends a JSON response. */
export function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

const dockerPing: Answer = (_request, response) => {
  response.writeHead(200, {
    'api-version': '1.41',
    'content-type': 'text/plain; charset=utf-8',
    server: 'Docker/20.10.24 (linux)',
  });
  response.end('OK');
};

async function readSeen(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, version = '', path = url.pathname] = /^\/v([\d.]+)(\/.*)$/.exec(url.pathname) ?? [];
  return {
    method: request.method ?? '',
    path,
    version,
    query: url.searchParams,
    headers: request.headers,
    body: Buffer.concat(chunks).toString(),
  };
}

/** Starts a fake engine. Stop it in `afterEach`. */
export async function startFakeEngine(
  first: Answer = (_, r) => json(r, 404, { message: 'page not found' }),
): Promise<FakeEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-fake-'));
  const socket = join(folder, 'engine.sock');
  const seen: SeenRequest[] = [];
  const upgraded = new Set<Duplex>();
  let answer = first;
  let ping = dockerPing;
  let pings = 0;
  const server = createServer((request, response) => {
    const onSeen = (one: SeenRequest): unknown => {
      if (one.path === '/_ping') {
        pings++;
        return ping(one, response);
      }
      seen.push(one);
      return answer(one, response);
    };
    // The client may leave before it has sent the whole request.
    void readSeen(request).then(onSeen, () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    socket,
    url: `unix://${socket}`,
    seen,
    pings: () => pings,
    answer: (next) => {
      answer = next;
    },
    ping: (next) => {
      ping = next;
    },
    grpc: (serve) => {
      server.removeAllListeners('upgrade');
      if (!serve) return;
      server.on('upgrade', (_request, socket) => {
        socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
        upgraded.add(socket);
        serve(socket);
      });
    },
    cut: () => server.closeAllConnections(),
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => {
          if (error) reject(error);
          else resolve(count);
        });
      }),
    stop: async () => {
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
