// Between us and a real engine: passes on every request, and does to the answers what a test wants done.
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** One request that came. */
export interface Passed {
  readonly method: string;
  /** Without the version prefix and the query. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** An answer, read whole. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * What is done to one answer: `reset` the connection is reset instead; `cut` it is reset after so many bytes of the
 * body; `bytewise` each byte of the body comes alone; `stall` nothing comes any more, at all or behind so many
 * bytes; `edit` another answer comes.
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

/** A way to an engine that breaks when it is told to. */
export class FaultProxy {
  readonly seen: Passed[] = [];
  /** Asks the engine in this version, whatever is asked for. */
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

  /** Starts one before the engine at `engine`, a socket's path; at a port of the loopback where that is wanted. */
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

  /** How many connections are open now. */
  get open(): number {
    return this.#sockets.size;
  }

  /** How many requests came for such paths. */
  count(match: RegExp): number {
    return this.seen.filter(({ path }) => match.test(path)).length;
  }

  /** The next request for such a path, from now on. */
  next(match: RegExp): Promise<Passed> {
    return new Promise((resolve) => this.#waiting.push({ match, resolve }));
  }

  /** Does this to the next answers to requests for such paths. */
  fault(match: RegExp, fault: Fault, times = 1): void {
    this.#rules.push({ match, fault, times });
  }

  /** Nothing is done to answers any more. */
  heal(): void {
    this.#rules.length = 0;
  }

  /** Listens; at a socket made anew, after `down`. */
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

  /** Listens no more and cuts all there is. Its file is gone, or left as a killed engine leaves it. */
  async down(file: 'gone' | 'left' = 'gone'): Promise<void> {
    // Who closes a listener removes its file.
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

  /** Takes connections and requests but answers nothing, and sends on nothing of what is under way. */
  freeze(): void {
    this.#frozen ??= new Promise((resolve) => (this.#thaw = resolve));
  }

  thaw(): void {
    this.#thaw();
    this.#frozen = undefined;
  }

  /** Sends events, as JSON, that no engine has told. */
  inject(...events: readonly object[]): void {
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    for (const stream of this.#events) stream.write(lines);
  }

  /** Sends this text on the event streams, whatever it is, and resets them behind it. */
  cutEvents(last: string): void {
    for (const stream of this.#events) stream.write(last, () => stream.socket?.destroy());
  }

  /** Ends the event streams as if all had been told. */
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
      // The engine broke off, or is not there, or this is what was wanted.
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

/** Sends a chunk as the fault wants it. Whether there is to be more. */
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
  return new Promise((resolve) => {
    response.write(bytes, () => {
      resolve();
    });
  });
}

/** Asks the engine the same; the request ends with the one who asked. */
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

/** Without what is of the connection alone. */
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
