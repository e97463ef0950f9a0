// Proxy in front of a real engine: forwards every request, and injects faults into the responses.
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** A request that the proxy received. */
export interface Passed {
  readonly method: string;
  /** Without the version prefix and the query. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A response, read completely. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * A fault in one response:
 * - `reset`: the connection is reset instead of a response
 * - `cut`: the connection is reset after `after` bytes of the body
 * - `bytewise`: each byte of the body is sent in its own chunk
 * - `stall`: the response stops, from the start or after `at` bytes of the body
 * - `edit`: another response is sent
 */
export type Fault =
  | { readonly kind: 'reset' }
  | { readonly kind: 'cut'; readonly after: number }
  | { readonly kind: 'bytewise' }
  | { readonly kind: 'stall'; readonly at: 'start' | number }
  | { readonly kind: 'edit'; readonly edit: (answer: WholeAnswer, one: Passed) => WholeAnswer };

const VERSION = /^\/v[\d.]+(?=\/)/;

interface Rule {
  readonly match: RegExp;
  readonly fault: Fault;
  times: number;
}

/** A proxy to an engine that breaks on demand. */
export class FaultProxy {
  readonly seen: Passed[] = [];
  /** If set, requests reach the engine with this API version instead of their own. */
  version: string | undefined;
  readonly #engine: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'gantry-fault-'));
  readonly #isTcp: boolean;
  readonly #sockets = new Set<Socket>();
  readonly #events = new Set<ServerResponse>();
  readonly #rules: Rule[] = [];
  #waiting: { readonly match: RegExp; readonly resolve: (one: Passed) => void }[] = [];
  #server = createServer();
  #port = 0;
  #thaw: () => void = () => undefined;
  #frozen: Promise<void> | undefined;

  private constructor(engine: string, isTcp: boolean) {
    this.#engine = engine;
    this.#isTcp = isTcp;
  }

  /** Starts a proxy for the engine at the socket path `engine`, listening on a socket or on a loopback port. */
  static async start(engine: string, at: 'socket' | 'port' = 'socket'): Promise<FaultProxy> {
    const proxy = new FaultProxy(engine, at === 'port');
    await proxy.up();
    return proxy;
  }

  get socket(): string {
    return join(this.#folder, 'engine.sock');
  }

  get url(): string {
    return this.#isTcp ? `tcp://127.0.0.1:${this.#port}` : `unix://${this.socket}`;
  }

  /** The number of open connections. */
  get open(): number {
    return this.#sockets.size;
  }

  /** Returns the number of requests so far whose path matches. */
  count(match: RegExp): number {
    return this.seen.filter(({ path }) => match.test(path)).length;
  }

  /** Resolves to the next request whose path matches. */
  next(match: RegExp): Promise<Passed> {
    return new Promise((resolve) => this.#waiting.push({ match, resolve }));
  }

  /** Applies the fault to the responses of the next `times` requests whose path matches. */
  fault(match: RegExp, fault: Fault, times = 1): void {
    this.#rules.push({ match, fault, times });
  }

  /** Removes all faults. */
  heal(): void {
    this.#rules.length = 0;
  }

  /** Starts listening; after `down`, on a new socket. */
  async up(): Promise<void> {
    const server = (this.#server = createServer((request, response) => {
      void this.#serve(request, response);
    }));
    server.keepAliveTimeout = 0;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    });
    rmSync(this.socket, { force: true });
    await new Promise<void>((resolve) => {
      if (this.#isTcp) server.listen(this.#port, '127.0.0.1', resolve);
      else server.listen(this.socket, resolve);
    });
    if (this.#isTcp) this.#port = (server.address() as AddressInfo).port;
  }

  /** Stops listening and cuts all connections. The socket file is removed, or left as by a killed engine. */
  async down(file: 'gone' | 'left' = 'gone'): Promise<void> {
    // Closing a listener removes its file.
    if (file === 'left') renameSync(this.socket, `${this.socket}.left`);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
    if (file === 'left') renameSync(`${this.socket}.left`, this.socket);
  }

  /** Resets every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Accepts connections and requests without responding, and pauses the responses in progress. */
  freeze(): void {
    this.#frozen ??= new Promise((resolve) => (this.#thaw = resolve));
  }

  thaw(): void {
    this.#thaw();
    this.#frozen = undefined;
  }

  /** Sends made-up events (as JSON) on the event streams. */
  inject(...events: readonly object[]): void {
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    for (const stream of this.#events) stream.write(lines);
  }

  /** Sends the text on the event streams, then resets them. */
  cutEvents(last: string): void {
    for (const stream of this.#events) stream.write(last, () => stream.socket?.destroy());
  }

  /** Ends the event streams cleanly. */
  endEvents(): void {
    for (const stream of this.#events) stream.end();
  }

  async stop(): Promise<void> {
    this.thaw();
    if (this.#server.listening) await this.down();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #serve(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const one = passedOf(asked);
    this.#note(one);
    await this.#frozen;
    if (asked.socket.destroyed) return;
    const fault = this.#faultFor(one);
    if (fault?.kind === 'stall' && fault.at === 'start') return;
    try {
      if (fault?.kind === 'reset') throw new Error('It was to be reset');
      const url = asked.url ?? '/';
      const path = this.version ? url.replace(VERSION, `/v${this.version}`) : url;
      const answer = await forward(this.#engine, path, asked, response);
      await this.#frozen;
      if (fault?.kind === 'edit') await sendEdited(answer, response, one, fault);
      else await this.#pass(one, answer, response, fault);
    } catch {
      // The engine closed the connection or is not running, or this is the injected fault.
      asked.socket.destroy();
    }
  }

  #note(one: Passed): void {
    this.seen.push(one);
    this.#waiting = this.#waiting.filter(({ match, resolve }) => {
      if (match.test(one.path)) resolve(one);
      return !match.test(one.path);
    });
  }

  #faultFor({ path }: Passed): Fault | undefined {
    const rule = this.#rules.find(({ match, times }) => times > 0 && match.test(path));
    if (rule) rule.times--;
    return rule?.fault;
  }

  async #pass(
    { path }: Passed,
    answer: IncomingMessage,
    response: ServerResponse,
    fault: Fault | undefined,
  ): Promise<void> {
    response.writeHead(answer.statusCode ?? 0, headersOf(answer)).flushHeaders();
    if (path === '/events') {
      this.#events.add(response);
      response.on('close', () => this.#events.delete(response));
    }
    let passed = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      await this.#frozen;
      if (response.writableEnded) return;
      if (!(await spoil(response, chunk, passed, fault))) return;
      passed += chunk.length;
    }
    response.end();
  }
}

/** Sends a chunk with the fault applied. Resolves to whether more is to be sent. */
async function spoil(
  response: ServerResponse,
  chunk: Buffer,
  passed: number,
  fault: Fault | undefined,
): Promise<boolean> {
  if (fault?.kind === 'bytewise') {
    for (const byte of chunk) await write(response, Buffer.of(byte));
    return true;
  }
  const end = fault?.kind === 'cut' ? fault.after : fault?.kind === 'stall' ? fault.at : undefined;
  if (typeof end !== 'number' || passed + chunk.length <= end) {
    await write(response, chunk);
    return true;
  }
  if (end > passed) await write(response, chunk.subarray(0, end - passed));
  if (fault?.kind === 'cut') response.socket?.destroy();
  return false;
}

function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => response.write(bytes, () => resolve()));
}

/** Sends the request to the engine; it is aborted if the client goes away. */
function forward(
  engine: string,
  path: string,
  asked: IncomingMessage,
  response: ServerResponse,
): Promise<IncomingMessage> {
  const { method, headers } = asked;
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: engine, method, path, headers, agent: false }, resolve);
    sent.on('error', reject);
    response.on('close', () => sent.destroy());
    asked.pipe(sent);
  });
}

async function sendEdited(
  answer: IncomingMessage,
  response: ServerResponse,
  one: Passed,
  { edit }: Extract<Fault, { kind: 'edit' }>,
): Promise<void> {
  const body = await text(answer);
  const headers = headersOf(answer);
  delete headers['content-length'];
  const next = edit({ status: answer.statusCode ?? 0, headers, body }, one);
  response.writeHead(next.status, next.headers).end(next.body);
}

/** Returns the headers without the hop-by-hop ones. */
function headersOf(answer: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(answer.headers)
      .filter(([name]) => !/^(connection|keep-alive|transfer-encoding)$/.test(name))
      .map(([name, value]) => [name, String(value)]),
  );
}

function passedOf(asked: IncomingMessage): Passed {
  const url = new URL(asked.url ?? '/', 'http://localhost');
  const path = url.pathname.replace(VERSION, '');
  return { method: asked.method ?? '', path, query: url.searchParams };
}
