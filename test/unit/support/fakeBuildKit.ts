import { once } from 'node:events';
import { performServerHandshake } from 'node:http2';
import type { Duplex } from 'node:stream';
import {
  LISTEN_BUILD_HISTORY,
  SESSION_PATH,
  SOLVE,
  STATUS,
  STATUS_RESPONSE,
  UPDATE_BUILD_HISTORY,
} from '../../../src/engine/builds/controlMessages.ts';
import type { CallHandler, CallStream } from '../../../src/engine/builds/grpc/callStream.ts';
import type { GrpcClient } from '../../../src/engine/builds/grpc/grpcClient.ts';
import { readMessages, writeMessage } from '../../../src/engine/builds/grpc/frames.ts';
import { GrpcError, RPC_STATUS, statusHeaders } from '../../../src/engine/builds/grpc/grpcError.ts';
import { bytes, message, text } from '../../../src/engine/builds/grpc/protobuf.ts';
import type { BuildEvent, BuildRecord, BuildSource } from '../../../src/engine/builds/model.ts';
import { sessionClient } from './fakeBuilder.ts';

/** A build as the engine gets it. */
export interface Solve {
  readonly ref: string;
  /** In the words of the frontend. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly isCheck: boolean;
  /** Another one for each context. */
  readonly sharedKey: string;
  /** Reports progress. */
  readonly report: (...events: readonly BuildEvent[]) => void;
  /** Asks for a secret. */
  readonly secret: (id: string) => Promise<string>;
  /** Asks for credentials. Resolves to the user name; empty if there are none. */
  readonly credentials: (host: string, signal?: AbortSignal) => Promise<string>;
  /** Asks whether there is an SSH agent. Rejects if the build may not use it. */
  readonly findAgent: () => Promise<unknown>;
  /** Aborted if the build is canceled. */
  readonly signal: AbortSignal;
}

/** The digests of an image that was built. */
export interface Solved {
  readonly digest: string;
  readonly config?: string;
}

/** The builder of a fake engine. What it does with a build is set by the test. */
export class FakeBuildKit {
  readonly solves: Solve[] = [];
  solve: (solve: Solve) => Promise<Solved>;
  history: readonly BuildRecord[] = [];
  /** Replays a build of the history. */
  replay: (ref: string, report: Solve['report'], signal: AbortSignal) => Promise<void> = () =>
    Promise.resolve();
  readonly #sessions = new Map<string, Session>();
  readonly #reports = new Map<string, Reports>();

  constructor(solve: (solve: Solve) => Promise<Solved>) {
    this.solve = solve;
  }

  serve(socket: Duplex): void {
    const handlers: readonly (readonly [string, CallHandler])[] = [
      [SESSION_PATH, (call) => this.#open(call)],
      [SOLVE.path, (call) => this.#solve(call)],
      [STATUS.path, (call) => this.#status(call)],
      [LISTEN_BUILD_HISTORY.path, (call) => this.#list(call)],
      [UPDATE_BUILD_HISTORY.path, (call) => this.#remove(call)],
    ];
    serveCalls(socket, new Map(handlers));
  }

  async #open(call: CallStream): Promise<void> {
    const [id = ''] = call.metadata('x-docker-expose-session-uuid');
    const [sharedKey = ''] = call.metadata('x-docker-expose-session-sharedkey');
    this.#session(id).resolve({ client: sessionClient(call), sharedKey });
    await once(call.signal, 'abort');
  }

  async #solve(call: CallStream): Promise<void> {
    const { ref, session, attributes } = SOLVE.request.decode(await first(call));
    const { client, sharedKey } = await this.#session(session).promise;
    const reports = this.#reportsOf(ref);
    const solve: Solve = {
      ...{ ref, attributes, sharedKey, signal: call.signal },
      isCheck: attributes.has('requestid'),
      report: (...events) => reports.add(events),
      secret: async (id) => Buffer.from((await client.call(GET_SECRET, { id })).data).toString(),
      findAgent: () => client.call(CHECK_AGENT, {}),
      credentials: async (id, signal) => (await client.call(CREDENTIALS, { id }, signal)).id,
    };
    this.solves.push(solve);
    try {
      const { digest, config = digest } = await this.solve(solve);
      const digests = new Map([
        ['containerimage.digest', digest],
        ['containerimage.config.digest', config],
      ]);
      await call.write(SOLVE.response.encode({ attributes: digests }));
    } finally {
      reports.end();
    }
  }

  async #status(call: CallStream): Promise<void> {
    const { ref } = STATUS.request.decode(await first(call));
    const reports = this.#reportsOf(ref);
    if (this.history.some((one) => one.ref === ref)) {
      const report: Solve['report'] = (...events) => reports.add(events);
      void this.replay(ref, report, call.signal).finally(() => reports.end());
    }
    for await (const event of reports.read(call.signal))
      await call.write(STATUS_RESPONSE.encode(wireOf(event)));
  }

  async #list(call: CallStream): Promise<void> {
    await first(call);
    for (const record of this.history) {
      const { ref, tags, startedAt, endedAt, steps, cachedSteps, completedSteps } = record;
      const wire = {
        ...{ ref, completedSteps, cachedSteps, totalSteps: steps },
        exporters: [{ type: 'moby', attributes: new Map([['name', tags.join(',')]]) }],
        created: { seconds: startedAt / 1000, nanos: 0 },
        completed: endedAt === undefined ? undefined : { seconds: endedAt / 1000, nanos: 0 },
      };
      await call.write(LISTEN_BUILD_HISTORY.response.encode({ record: wire }));
    }
  }

  async #remove(call: CallStream): Promise<void> {
    const { ref, isDeleted } = UPDATE_BUILD_HISTORY.request.decode(await first(call));
    if (isDeleted) this.history = this.history.filter((one) => one.ref !== ref);
    await call.write(UPDATE_BUILD_HISTORY.response.encode({}));
  }

  #session(id: string): Session {
    const known = this.#sessions.get(id) ?? Promise.withResolvers();
    this.#sessions.set(id, known);
    return known;
  }

  #reportsOf(ref: string): Reports {
    const known = this.#reports.get(ref);
    // A build of the history is replayed from its start.
    if (known && !this.history.some((one) => one.ref === ref)) return known;
    const fresh = new Reports();
    this.#reports.set(ref, fresh);
    return fresh;
  }
}

/** Resolves when a call is canceled. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** Returns why a build failed, as BuildKit reports it. Before Docker 23 it does not report where. */
export function failed(words: string, source?: BuildSource): GrpcError {
  if (!source) return new GrpcError(2, words);
  const { file: filename, text: data = '', lines } = source;
  const ranges = [{ start: { line: lines.start }, end: { line: lines.end } }];
  const info = { filename, data: Buffer.from(data).toString('base64') };
  const value = Buffer.from(JSON.stringify({ info, ranges }));
  return new GrpcError(2, words, [{ type: 'github.com/moby/buildkit/errdefs.Source+json', value }]);
}

/** Serves calls as an engine does: unlike our own server, with the details of errors. */
function serveCalls(socket: Duplex, handlers: ReadonlyMap<string, CallHandler>): void {
  const session = performServerHandshake(socket);
  session.on('error', () => undefined);
  session.on('stream', (stream, headers, _flags, raw) => {
    const controller = new AbortController();
    stream.on('error', () => undefined);
    stream.once('close', () => controller.abort(new Error('closed')));
    const begin = (): void => {
      const head = { ':status': 200, 'content-type': 'application/grpc' };
      if (!stream.headersSent) stream.respond(head, { waitForTrailers: true });
    };
    const call: CallStream = {
      metadata: (name) => raw.filter((_, at) => at % 2 === 1 && raw[at - 1] === name),
      messages: readMessages(
        stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>,
      ),
      write: async (...parts) => {
        begin();
        writeMessage(stream, parts);
        return Promise.resolve();
      },
      signal: controller.signal,
    };
    const finish = ({
      code,
      message,
      details,
    }: Pick<GrpcError, 'code' | 'message' | 'details'>) => {
      if (stream.destroyed || stream.closed) return;
      begin();
      const known = RPC_STATUS.encode({ code, text: message, details }).toString('base64');
      stream.once('wantTrailers', () => {
        stream.sendTrailers({ ...statusHeaders(code, message), 'grpc-status-details-bin': known });
      });
      stream.end();
      stream.resume();
    };
    const handler = handlers.get(headers[':path'] ?? '');
    if (!handler) throw new Error(`no method ${headers[':path']}`);
    handler(call).then(
      () => finish(new GrpcError(0, '')),
      (error: unknown) => {
        finish(error instanceof GrpcError ? error : new GrpcError(2, String(error)));
      },
    );
  });
}

type Session = PromiseWithResolvers<{ readonly client: GrpcClient; readonly sharedKey: string }>;

/** What was reported of one build, for a reader that may come earlier or later. */
class Reports {
  readonly #events: BuildEvent[] = [];
  #isOver = false;
  #next = Promise.withResolvers<undefined>();

  add(events: readonly BuildEvent[]): void {
    this.#events.push(...events);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *read(signal: AbortSignal): AsyncGenerator<BuildEvent> {
    const aborted = once(signal, 'abort');
    for (let at = 0; ;) {
      const event = this.#events[at];
      if (event) {
        at++;
        yield event;
      } else if (this.#isOver) return;
      else await Promise.race([this.#next.promise, aborted]);
      signal.throwIfAborted();
    }
  }

  #wake(): void {
    this.#next.resolve(undefined);
    this.#next = Promise.withResolvers();
  }
}

function wireOf(event: BuildEvent): Parameters<typeof STATUS_RESPONSE.encode>[0] {
  if (event.kind === 'step') {
    const { id, name, inputs, state, error } = event.step;
    const hasBegun = state !== 'waiting';
    const hasEnded = hasBegun && state !== 'running';
    const words = state === 'failed' ? (error ?? 'failed') : '';
    const step = { digest: id, name, inputs, isCached: state === 'cached', error: words };
    const times = { started: hasBegun ? {} : undefined, completed: hasEnded ? {} : undefined };
    return { vertexes: [{ ...step, ...times }] };
  }
  if (event.kind === 'output') {
    const { step, stream, data } = event.output;
    return { logs: [{ vertex: step, stream: stream === 'stderr' ? 2 : 1, data }] };
  }
  if (event.kind !== 'warning') throw new TypeError(`nothing reports a ${event.kind}`);
  const { message: short, source } = event.warning;
  const info = source && { filename: source.file, data: Buffer.from(source.text ?? '') };
  const ranges = source
    ? [{ start: { line: source.lines.start }, end: { line: source.lines.end } }]
    : [];
  return { warnings: [{ short: Buffer.from(short), info, ranges }] };
}

async function first(call: CallStream): Promise<Uint8Array> {
  let found: Uint8Array = new Uint8Array();
  for await (const one of call.messages) found = one;
  return found;
}

const NAME = message<{ readonly id: string }>({ id: text(1) });
const GET_SECRET = {
  path: '/moby.buildkit.secrets.v1.Secrets/GetSecret',
  request: NAME,
  response: message<{ readonly data: Uint8Array }>({ data: bytes(1) }),
};
const CHECK_AGENT = { path: '/moby.sshforward.v1.SSH/CheckAgent', request: NAME, response: NAME };
const CREDENTIALS = { path: '/moby.filesync.v1.Auth/Credentials', request: NAME, response: NAME };
