import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { DisposableStore, Emitter, type Disposable } from '../base/lifetime.ts';
import type * as http from './http/connection.ts';
import type { Connection, ConnectionOptions } from './http/connection.ts';
import type { Endpoint } from './http/endpoint.ts';
import { EngineError } from './errors.ts';
import type {
  CandidateOrigin,
  DiscoveryResult,
  EndpointCandidate,
} from './discovery/endpointCandidate.ts';
import { withSignal } from './http/withTimeLimit.ts';
import type { RequestRecord } from './http/requestRecord.ts';
import { asRecord } from './wire/wire.ts';

/**
 * An engine of this window: finds its address and owns the connection to it. A selected address is used alone. If
 * none is selected, the first well-known socket that responds is used.
 */
export class Engine implements Disposable {
  readonly #options: EngineOptions;
  readonly #store = new DisposableStore();
  readonly #onDidChangeEndpoint = this.#store.add(new Emitter<void>());
  #connection: Connection | undefined;
  /**
   * The SSH connection whose last try failed. Kept until the address changes, because its tunnel knows the login, or
   * that the user must not be asked again.
   */
  #failed: Connection | undefined;
  #lastUrl: string | undefined;
  #search: Search | undefined;
  #isDoubtful = false;
  /** When the current engine was first found unreachable since its last response. */
  #lostAt: number | undefined;
  #attempts: readonly ConnectionAttempt[] = [];
  /** The discovery result that led to the current connection. */
  #discovery: DiscoveryResult | undefined;
  /** Why no requests may be sent. */
  #barred: 'disconnected' | 'engineRemoved' | undefined;

  readonly #onDidDoubt = this.#store.add(new Emitter<void>());

  /** Fires when a request could not reach the current engine. */
  readonly onDidDoubt = this.#onDidDoubt.event;
  /** Fires when another address is used from now on: everything known belongs to the previous engine. */
  readonly onDidChangeEndpoint = this.#onDidChangeEndpoint.event;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** The current address, if there is one yet. */
  get endpoint(): Endpoint | undefined {
    return this.#connection?.endpoint;
  }

  /** Where the current address comes from, or the first one of the last search, if it failed. */
  get origin(): CandidateOrigin | undefined {
    const url = this.endpoint?.url;
    const isCurrent = ({ endpoint }: EndpointCandidate): boolean =>
      endpoint !== undefined && endpoint.url === url;
    const current = this.#discovery?.candidates.find(isCurrent);
    return (current ?? this.#attempts[0]?.candidate)?.found;
  }

  /** The last address, also after the connection was closed. */
  get lastUrl(): string | undefined {
    return this.#lastUrl;
  }

  /** The failed attempts of the last search. */
  get attempts(): readonly ConnectionAttempt[] {
    return this.#attempts;
  }

  /**
   * Resolves to the current connection. Searches on first use and after the engine was found unreachable.
   *
   * @throws EngineError of the selected address, or the most informative one of the well-known sockets.
   */
  async connect(signal?: AbortSignal): Promise<Connection> {
    if (this.#connection && !this.#isDoubtful) return this.#connection;
    return this.check(signal);
  }

  /** Like {@link connect}, but always verifies that the engine responds, and with which version. */
  async check(signal?: AbortSignal): Promise<Connection> {
    signal?.throwIfAborted();
    if (this.#barred) throw new EngineError(this.#barred);
    if (this.#store.isDisposed) throw new DOMException('This window is closing', 'AbortError');
    return withSignal((this.#search ??= this.#start()).found, signal);
  }

  /** Drops the connection and a running search, so that the next call searches again. */
  reset(): void {
    this.#abandon();
    this.#onDidChangeEndpoint.fire();
  }

  /** Runs the discovery again and switches to its result if that has changed. Never rejects. */
  async reconsider(): Promise<void> {
    const before = this.#discovery;
    if (!before) return;
    const next = await this.#options.discover().catch(() => undefined);
    if (next && this.#discovery === before && !isSameDiscovery(before, next)) this.reset();
  }

  /**
   * Called if the user wants to try again: lets the connection retry after a failure that is not retried automatically.
   */
  retry(): void {
    this.#connection?.retry();
    this.#failed?.retry();
  }

  /** Closes the connection and refuses new ones until {@link allow}. */
  disconnect(): void {
    this.#bar('disconnected');
  }

  /** Allows connections again after {@link disconnect}. */
  allow(): void {
    if (this.#barred === 'disconnected') this.#barred = undefined;
  }

  /** Closes the connection for good, because the engine is no longer in the settings. */
  remove(): void {
    this.#bar('engineRemoved');
  }

  dispose(): void {
    this.#store.dispose();
    this.#abandon();
  }

  #bar(reason: 'disconnected' | 'engineRemoved'): void {
    this.#barred = reason;
    this.#abandon();
  }

  #abandon(): void {
    const search = this.#search;
    this.#search = undefined;
    search?.controller.abort();
    if (this.#barred) this.#connection?.dispose(this.#barred);
    this.#use(undefined);
  }

  #start(): Search {
    const controller = new AbortController();
    const search = { controller, found: this.#find(controller.signal) };
    const release = (): void => {
      if (this.#search === search) this.#search = undefined;
    };
    search.found.then(release, release);
    return search;
  }

  /**
   * @param signal aborts when the search is abandoned. A search that replaces it also answers the callers of this one.
   */
  async #find(signal: AbortSignal): Promise<Connection> {
    const attempts: ConnectionAttempt[] = [];
    try {
      // The HTTP client is loaded while the discovery reads files.
      const [choice] = await Promise.all([this.#options.discover(), loadHttp()]);
      if (!signal.aborted) this.#discovery = choice;
      for (const candidate of this.#candidates(choice)) {
        const tried = await this.#try(candidate, signal);
        if (signal.aborted) return await this.check();
        if (!(tried instanceof EngineError)) return this.#found(tried);
        attempts.push({ candidate, error: tried });
      }
      this.#lostAt ??= this.#now();
      // An engine that accepts connections but does not respond may still complete pending requests.
      const isAway = attempts.every(({ error }) => error.reason !== 'timeout');
      if (isAway && this.#now() - this.#lostAt >= HOPELESS_MS) this.#connection?.cut();
    } finally {
      if (!signal.aborted) this.#attempts = attempts;
    }
    throw mostInformative(attempts);
  }

  /** Resolves to the connection if the engine responds, else to the failure. */
  async #try(
    { endpoint, error }: EndpointCandidate,
    signal: AbortSignal,
  ): Promise<Connection | EngineError> {
    if (!endpoint) return error ?? new EngineError('badEndpoint');
    if (await isMissing(endpoint))
      return new EngineError('socketAbsent', { endpoint: endpoint.url });
    const connection = this.#open(endpoint, await loadHttp());
    let failure: EngineError | undefined;
    try {
      await connection.renew(signal);
    } catch (thrown) {
      if (thrown instanceof EngineError) failure = thrown;
      // A cancellation is not a failure of the engine.
      else if (!signal.aborted) throw thrown;
    }
    // Keep the current connection, because the engine may become reachable again.
    const isOver = signal.aborted || failure !== undefined;
    if (isOver && connection !== this.#connection) this.#release(connection, signal);
    return failure ?? connection;
  }

  /** Keeps the connection of a failed try if it goes over SSH, else disposes it. */
  #release(connection: Connection, { aborted }: AbortSignal): void {
    if (aborted || connection.endpoint.transport.kind !== 'ssh') connection.dispose();
    else if (connection !== this.#failed) {
      this.#failed?.dispose();
      this.#failed = connection;
    }
  }

  #candidates({ candidates, isChosen }: DiscoveryResult): readonly EndpointCandidate[] {
    if (isChosen) return candidates;
    const inUse = this.#connection?.endpoint;
    const lostFor = this.#lostAt === undefined ? 0 : this.#now() - this.#lostAt;
    const loyalTo = candidates.filter(({ endpoint }) => endpoint && endpoint.url === inUse?.url);
    return loyalTo.length > 0 && lostFor < LOYALTY_MS ? loyalTo : candidates;
  }

  #found(connection: Connection): Connection {
    const isAnother = this.#connection !== undefined && this.#connection !== connection;
    this.#use(connection);
    if (isAnother) this.#onDidChangeEndpoint.fire();
    return connection;
  }

  #now(): number {
    return this.#options.now?.() ?? performance.now();
  }

  /**
   * Returns the current connection if it has this endpoint, because its pools reconnect automatically, or the one
   * kept after a failed try; else a new one.
   */
  #open(endpoint: Endpoint, { openConnection }: Http): Connection {
    const kept = [this.#connection, this.#failed];
    const known = kept.find((one) => one && isDeepStrictEqual(one.endpoint, endpoint));
    if (known) return known;
    const connection = openConnection(endpoint, {
      ...this.#options,
      onRequest: (record) => {
        if (connection === this.#connection) this.#learnFrom(record);
        this.#options.onRequest?.(record);
      },
    });
    return connection;
  }

  #learnFrom(record: RequestRecord): void {
    if (isAnswer(record)) this.#lostAt = undefined;
    if (!record.isLoss) return;
    // The request did not reach the engine, so the next one verifies it.
    this.#isDoubtful = true;
    this.#onDidDoubt.fire();
  }

  #use(connection: Connection | undefined): void {
    for (const old of [this.#connection, this.#failed]) if (old !== connection) old?.dispose();
    this.#failed = undefined;
    this.#connection = connection;
    this.#lastUrl = connection?.endpoint.url ?? this.#lastUrl;
    this.#isDoubtful = false;
    this.#lostAt = undefined;
  }
}

type Http = typeof http;

/** Loads the HTTP client, which is not in the core of the bundle. */
function loadHttp(): Promise<Http> {
  return import('./http/connection.ts');
}

/** A candidate that was tried, and why it was not used. */
interface ConnectionAttempt {
  readonly candidate: EndpointCandidate;
  readonly error: EngineError;
}

interface Search {
  readonly found: Promise<Connection>;
  readonly controller: AbortController;
}

/**
 * Time to wait for the current engine before another one is searched: a restart must not switch the window to
 * another engine that happens to run.
 */
const LOYALTY_MS = 20_000;

/**
 * After this time without an engine, pending requests fail: the system itself would wait a quarter of an
 * hour for an acknowledgment of sent bytes. A shorter network outage does not end a shell.
 */
const HOPELESS_MS = 30_000;

/** Options for finding and reaching an engine. */
interface EngineOptions extends ConnectionOptions {
  /** Returns where to look for the engine; called for every search. */
  readonly discover: () => Promise<DiscoveryResult>;
  /** A monotonic clock in milliseconds. Replaced in tests. */
  readonly now?: () => number;
}

/**
 * Whether a record shows that the engine has responded. Pings are evaluated by the search, and a 5xx may come
 * from a proxy.
 */
function isAnswer({ path, outcome }: RequestRecord): boolean {
  return typeof outcome === 'number' && outcome < 500 && path !== '/_ping';
}

/** Returns whether a well-known socket does not exist, which a `stat` finds out faster than a request. */
async function isMissing({ source, transport }: Endpoint): Promise<boolean> {
  if (source !== 'wellKnown' || transport.kind !== 'socket' || !transport.path.startsWith('/'))
    return false;
  return stat(transport.path).then(
    () => false,
    (error: unknown) => asRecord(error)['code'] === 'ENOENT',
  );
}

/**
 * Returns whether two results select the same engine. Well-known sockets are not compared: it only matters that
 * none is selected.
 */
function isSameDiscovery(a: DiscoveryResult, b: DiscoveryResult): boolean {
  if (!a.isChosen && !b.isChosen) return true;
  const wanted = ({ isChosen, candidates: [candidate] }: DiscoveryResult): unknown => ({
    isChosen,
    endpoint: candidate?.endpoint,
    reason: candidate?.error?.reason,
    words: candidate?.error?.engineMessage,
  });
  return isDeepStrictEqual(wanted(a), wanted(b));
}

/** Returns the most informative error of several sockets: permission denied, then that of any existing socket. */
function mostInformative(attempts: readonly ConnectionAttempt[]): EngineError {
  const errors = attempts.map((attempt) => attempt.error);
  const telling =
    errors.find(({ reason }) => reason === 'permissionDenied') ??
    errors.find(({ reason }) => reason !== 'socketAbsent' && reason !== 'badEndpoint');
  return telling ?? errors[0] ?? new EngineError('socketAbsent');
}
