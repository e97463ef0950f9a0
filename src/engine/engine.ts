import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { DisposableStore, Emitter, type Disposable } from '../lifetime.ts';
import { openConnection, type Connection, type ConnectionOptions } from './http/connection.ts';
import type { Endpoint } from './discovery/endpoint.ts';
import { EngineError } from './errors.ts';
import type { DiscoveryResult, EndpointCandidate } from './discovery/endpointCandidate.ts';
import { withSignal } from './http/withTimeLimit.ts';
import type { RequestRecord } from './http/requestRecord.ts';

/**
 * One engine this window works with: finds where it listens and keeps the one connection to it. A chosen
 * place is used alone; without one, the first of the usual places that answers.
 */
export class Engine implements Disposable {
  readonly #options: EngineOptions;
  readonly #store = new DisposableStore();
  readonly #onDidChangeEndpoint = this.#store.add(new Emitter<void>());
  #connection: Connection | undefined;
  #lastUrl: string | undefined;
  #search: Search | undefined;
  #isDoubtful = false;
  /** When the engine in use was first found gone, since it last answered. */
  #lostAt: number | undefined;
  #attempts: readonly ConnectionAttempt[] = [];
  /** What the connection in use was chosen by. */
  #discovery: DiscoveryResult | undefined;
  /** Why nothing is to be asked of it. */
  #barred: 'disconnected' | 'engineRemoved' | undefined;

  readonly #onDidDoubt = this.#store.add(new Emitter<void>());

  /** Fires when a request to the engine in use found nobody. */
  readonly onDidDoubt = this.#onDidDoubt.event;
  /** Fires when it is another address from now on: all that is known is of the engine before. */
  readonly onDidChangeEndpoint = this.#onDidChangeEndpoint.event;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Where we talk to, if anywhere yet. */
  get endpoint(): Endpoint | undefined {
    return this.#connection?.endpoint;
  }

  /** Where we talked to last, also after the connection was closed. */
  get lastUrl(): string | undefined {
    return this.#lastUrl;
  }

  /** Where the last search looked in vain. */
  get attempts(): readonly ConnectionAttempt[] {
    return this.#attempts;
  }

  /**
   * The connection in use; searches on first use and after the engine was found gone.
   *
   * @throws EngineError, of the chosen address or of the most telling well-known one.
   */
  async connect(signal?: AbortSignal): Promise<Connection> {
    if (this.#connection && !this.#isDoubtful) return this.#connection;
    return this.check(signal);
  }

  /** Like {@link connect}, but makes sure that the engine answers now, and in which version. */
  async check(signal?: AbortSignal): Promise<Connection> {
    signal?.throwIfAborted();
    if (this.#barred) throw new EngineError(this.#barred);
    if (this.#store.isDisposed) throw new DOMException('This window is closing', 'AbortError');
    return withSignal((this.#search ??= this.#start()).found, signal);
  }

  /** Forgets the connection, and a search under way: it is to be looked for elsewhere. */
  reset(): void {
    this.#abandon();
    this.#onDidChangeEndpoint.fire();
  }

  /** Looks whether the rules lead elsewhere by now, and goes there. Never rejects. */
  async reconsider(): Promise<void> {
    const before = this.#discovery;
    if (!before) return;
    const next = await this.#options.discover().catch(() => undefined);
    if (next && this.#discovery === before && !isSameDiscovery(before, next)) this.reset();
  }

  /** The person wants it tried again: what was given up for good is forgotten. */
  retry(): void {
    this.#connection?.retry();
  }

  /** Closes the connection, and opens none until {@link allow}. */
  disconnect(): void {
    this.#bar('disconnected');
  }

  /** May be connected again after {@link disconnect}. */
  allow(): void {
    if (this.#barred === 'disconnected') this.#barred = undefined;
  }

  /** Closes the connection for good: the engine is no longer in the settings. */
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

  /** @param signal aborts when the search is abandoned: the one that follows, if any, answers for this one, too. */
  async #find(signal: AbortSignal): Promise<Connection> {
    const attempts: ConnectionAttempt[] = [];
    try {
      const choice = await this.#options.discover();
      if (!signal.aborted) this.#discovery = choice;
      for (const place of this.#candidates(choice)) {
        const tried = await this.#try(place, signal);
        if (signal.aborted) return await this.check();
        if (!(tried instanceof EngineError)) return this.#found(tried);
        attempts.push({ candidate: place, error: tried });
      }
      this.#lostAt ??= this.#now();
      // One that takes connections but does not answer may still serve what is under way.
      const isAway = attempts.every(({ error }) => error.reason !== 'timeout');
      if (isAway && this.#now() - this.#lostAt >= HOPELESS_MS) this.#connection?.cut();
    } finally {
      if (!signal.aborted) this.#attempts = attempts;
    }
    throw mostTelling(attempts);
  }

  /** The connection where the engine answers, else what it failed with. */
  async #try(
    { endpoint, error }: EndpointCandidate,
    signal: AbortSignal,
  ): Promise<Connection | EngineError> {
    if (!endpoint) return error ?? new EngineError('badEndpoint');
    if (await isMissing(endpoint))
      return new EngineError('socketAbsent', { endpoint: endpoint.url });
    const connection = this.#open(endpoint);
    const failure = await failureOf(connection.renew(signal), signal);
    if (signal.aborted || failure) this.#drop(connection);
    return failure ?? connection;
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

  /** The connection in use where it leads to this endpoint; its pools connect anew by themselves. */
  #open(endpoint: Endpoint): Connection {
    if (this.#connection && isDeepStrictEqual(this.#connection.endpoint, endpoint)) {
      return this.#connection;
    }
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
    // A request that found nobody: the next one looks for the engine again.
    this.#isDoubtful = true;
    this.#onDidDoubt.fire();
  }

  /** The one in use stays, for its owner may reach the engine again. */
  #drop(connection: Connection): void {
    if (connection !== this.#connection) connection.dispose();
  }

  #use(connection: Connection | undefined): void {
    if (this.#connection !== connection) this.#connection?.dispose();
    this.#connection = connection;
    this.#lastUrl = connection?.endpoint.url ?? this.#lastUrl;
    this.#isDoubtful = false;
    this.#lostAt = undefined;
  }
}

/** One place that was looked at, and why it was not taken. */
export interface ConnectionAttempt {
  readonly candidate: EndpointCandidate;
  readonly error: EngineError;
}

interface Search {
  readonly found: Promise<Connection>;
  readonly controller: AbortController;
}

/**
 * So long the engine in use is waited for before another one is looked for: a restart must not move the window
 * to an engine that happens to be there, too.
 */
const LOYALTY_MS = 20_000;

/**
 * After so long without an engine what is under way is ended: the system itself waits for a quarter of an hour for an
 * answer to bytes it has sent. A network that is away for less takes nothing from a shell.
 */
const HOPELESS_MS = 30_000;

/** What an engine is found and reached by. */
export interface EngineOptions extends ConnectionOptions {
  /** Where to look for it; asked at every search. */
  readonly discover: () => Promise<DiscoveryResult>;
  /** Milliseconds that no set clock moves; tests have their own. */
  readonly now?: () => number;
}

/** Whether an engine has answered. What a ping says is for the search to judge, and 5xx may be a proxy's. */
function isAnswer({ path, outcome }: RequestRecord): boolean {
  return typeof outcome === 'number' && outcome < 500 && path !== '/_ping';
}

/** Whether one of the usual sockets is not there, which a look at the folder tells cheaper than a request. */
async function isMissing({ source, transport }: Endpoint): Promise<boolean> {
  if (source !== 'wellKnown' || transport.kind !== 'socket' || !transport.path.startsWith('/')) {
    return false;
  }
  const failure = await stat(transport.path).then(
    () => undefined,
    (error: unknown) => error,
  );
  return failure instanceof Error && 'code' in failure && failure.code === 'ENOENT';
}

/** What an engine failed with, if it did. Being told to stop is no failure of the engine. */
async function failureOf(
  asked: Promise<unknown>,
  signal: AbortSignal,
): Promise<EngineError | undefined> {
  try {
    await asked;
  } catch (error) {
    if (error instanceof EngineError) return error;
    if (!signal.aborted) throw error;
  }
  return undefined;
}

/** Whether two choices lead to the same: of the usual places only that nobody chose. */
function isSameDiscovery(a: DiscoveryResult, b: DiscoveryResult): boolean {
  if (!a.isChosen && !b.isChosen) return true;
  const meant = ({ isChosen, candidates: [place] }: DiscoveryResult): unknown => ({
    isChosen,
    endpoint: place?.endpoint,
    reason: place?.error?.reason,
    words: place?.error?.engineMessage,
  });
  return isDeepStrictEqual(meant(a), meant(b));
}

/** Of several sockets in vain, the one that does not let us in says most, then one that is there at all. */
function mostTelling(attempts: readonly ConnectionAttempt[]): EngineError {
  const errors = attempts.map((attempt) => attempt.error);
  const telling =
    errors.find(({ reason }) => reason === 'permissionDenied') ??
    errors.find(({ reason }) => reason !== 'socketAbsent' && reason !== 'badEndpoint');
  return telling ?? errors[0] ?? new EngineError('socketAbsent');
}
