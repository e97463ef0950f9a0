import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, performServerHandshake } from 'node:http2';
import { createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallHandler, CallStream } from '../../../src/engine/builds/grpc/callStream.ts';
import { GrpcClient } from '../../../src/engine/builds/grpc/grpcClient.ts';
import { messagePipe } from '../../../src/engine/builds/grpc/messagePipe.ts';
import { serveGrpc } from '../../../src/engine/builds/grpc/serveGrpc.ts';

/** What a fake builder is. */
export interface FakeBuilderOptions {
  /** The API version that it reports. */
  readonly api?: string;
  /** Whether it takes HTTP/2 from the first byte; otherwise it answers that with an error of HTTP/1.1. */
  readonly takesPlain?: boolean;
  /** The status with which a proxy that speaks HTTP/2 itself answers all that comes from the first byte on. */
  readonly proxyStatus?: number;
  /** The status for `POST /grpc`. Default: 101. */
  readonly status?: number;
  /** The status for all other requests. Default: 404. */
  readonly otherStatus?: number;
  readonly services: ReadonlyMap<string, CallHandler>;
  /** Answers all calls with these bytes instead, which need not be gRPC. */
  readonly body?: Uint8Array;
}

/** An engine with a builder behind a Unix socket. */
export interface FakeBuilder {
  readonly url: string;
  /** How each connection was opened. */
  readonly ways: readonly ('plain' | 'upgrade')[];
  /** The requests of HTTP/1.1 without those for an upgrade. */
  readonly requests: readonly string[];
  /** Closes all connections at once. */
  cut(): void;
  /** The number of open connections. */
  readonly open: () => number;
  stop(): Promise<void>;
}

export async function startFakeBuilder(options: FakeBuilderOptions): Promise<FakeBuilder> {
  const { api = '1.51', takesPlain = false, status = 101, services, body } = options;
  const { otherStatus = 404, proxyStatus } = options;
  const serve = (socket: Duplex): void => {
    if (body) serveBytes(socket, body);
    else serveGrpc(socket, services);
  };
  const folder = mkdtempSync(join(tmpdir(), 'gantry-builder-'));
  const path = join(folder, 'engine.sock');
  const sockets = new Set<Socket>();
  const ways: ('plain' | 'upgrade')[] = [];
  const requests: string[] = [];
  const http = createHttpServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const headers = { 'api-version': api, server: 'Docker/28.5.2 (linux)' };
    if (request.url === '/_ping') response.writeHead(200, headers).end('OK');
    else response.writeHead(otherStatus, headers).end('{"message":"page not found"}');
  });
  http.on('upgrade', (request, socket: Socket, head) => {
    ways.push('upgrade');
    const isAsked = request.headers.upgrade === 'h2c' && request.url?.endsWith('/grpc');
    if (status !== 101 || isAsked !== true) {
      socket.end(`HTTP/1.1 ${status} x\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
    socket.unshift(head);
    serve(socket);
  });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.once('data', (start) => {
      socket.pause();
      socket.unshift(start);
      const isPlain = start.toString('latin1').startsWith('PRI * HTTP/2.0');
      if (isPlain) ways.push('plain');
      if (isPlain && proxyStatus !== undefined) {
        refuseAll(socket, proxyStatus);
        return;
      }
      if (isPlain && takesPlain) {
        serve(socket);
        return;
      }
      http.emit('connection', socket);
      socket.resume();
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    url: `unix://${path}`,
    ways,
    requests,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    open: () => sockets.size,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function serveBytes(socket: Duplex, body: Uint8Array): void {
  const session = performServerHandshake(socket);
  session.on('error', () => undefined);
  session.on('stream', (stream) => {
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
    stream.write(body);
  });
}

function refuseAll(socket: Duplex, status: number): void {
  const session = performServerHandshake(socket);
  session.on('error', () => undefined);
  session.on('stream', (stream) => {
    stream.on('error', () => undefined);
    stream.respond({ ':status': status }, { endStream: true });
  });
}

/** Returns a client for the services that the other side offers in a session, as the engine has one. */
export function sessionClient(call: CallStream): GrpcClient {
  const { messages } = call;
  const pipe = messagePipe({
    messages,
    write: (...parts) => call.write(...parts),
    end: () => undefined,
    close: () => undefined,
  });
  pipe.on('error', () => undefined);
  const session = connect('http://localhost', { createConnection: () => pipe });
  session.on('error', () => undefined);
  return new GrpcClient(session, (error) => Promise.resolve(error as Error));
}
