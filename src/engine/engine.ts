import { stat } from 'node:fs/promises';
import { DisposableStore, Emitter, type Disposable } from '../lifetime.ts';
import { openConnection, type Connection, type ConnectionOptions } from './connection.ts';
import { chosenEndpoint, wellKnownEndpoints, type Endpoint, type Machine } from './endpoint.ts';
import { EngineError } from './errors.ts';
import { withSignal } from './limits.ts';

/** One address that was looked at, and why it was not taken. */
export interface Attempt {
  readonly endpoint: Endpoint;
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

/** What an engine is found and reached by. */
export interface EngineOptions extends ConnectionOptions {
  readonly machine: Machine;
  /** The value of the setting `gantry.host`; read at every search. */
  readonly hostSetting: () => string;
  /** Milliseconds; tests have their own. */
  readonly now?: () => number;
}

/**
 * The engine this window works with: finds where it listens and keeps the one connection to it. A chosen
 * address is used alone; without one, the first well-known socket that answers.
 */
export class Engine implements Disposable {
  readonly #options: EngineOptions;
  readonly #store = new DisposableStore();
  readonly #onDidChangeEndpoint = this.#store.add(new Emitter<void>());
  #connection: Connection | undefined;
  #search: Search | undefined;
  #isDoubtful = false;
  /** When the engine in use was first found gone, since it last answered a search. */
  #lostAt: number | undefined;
  #attempts: readonly Attempt[] = [];

  /** Fires when it is another address from now on: all that is known is of the engine before. */
  readonly onDidChangeEndpoint = this.#onDidChangeEndpoint.event;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Where we talk to, if anywhere yet. */
  get endpoint(): Endpoint | undefined {
    return this.#connection?.endpoint;
  }

  /** Where the last search looked in vain. */
  get attempts(): readonly Attempt[] {
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
    if (this.#store.isDisposed) throw new DOMException('This window is closing', 'AbortError');
    return withSignal((this.#search ??= this.#start()).found, signal);
  }

  /** Forgets the connection, and a search under way: the setting changed. */
  reset(): void {
    this.#abandon();
    this.#onDidChangeEndpoint.fire();
  }

  dispose(): void {
    this.#store.dispose();
    this.#abandon();
  }

  #abandon(): void {
    const search = this.#search;
    this.#search = undefined;
    search?.controller.abort();
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

  /** @param signal aborts when the setting has changed: the search that follows answers for this one, too. */
  async #find(signal: AbortSignal): Promise<Connection> {
    const attempts: Attempt[] = [];
    try {
      for (const endpoint of this.#candidates()) {
        if (await isMissing(endpoint)) {
          attempts.push({
            endpoint,
            error: new EngineError('socketAbsent', { endpoint: endpoint.url }),
          });
          continue;
        }
        const connection = this.#open(endpoint);
        const error = await failureOf(connection.renew(signal), signal);
        if (signal.aborted || error) this.#drop(connection);
        if (signal.aborted) return await this.check();
        if (!error) return this.#found(connection);
        attempts.push({ endpoint, error });
      }
      this.#lostAt ??= this.#now();
    } finally {
      if (!signal.aborted) this.#attempts = attempts;
    }
    throw mostTelling(attempts);
  }

  #candidates(): readonly Endpoint[] {
    const { machine, hostSetting } = this.#options;
    const chosen = chosenEndpoint(hostSetting(), machine);
    if (chosen) return [chosen];
    const inUse = this.#connection?.endpoint;
    const lostFor = this.#lostAt === undefined ? 0 : this.#now() - this.#lostAt;
    return inUse && lostFor < LOYALTY_MS ? [inUse] : wellKnownEndpoints(machine);
  }

  #found(connection: Connection): Connection {
    const isAnother = this.#connection !== undefined && this.#connection !== connection;
    this.#use(connection);
    if (isAnother) this.#onDidChangeEndpoint.fire();
    return connection;
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  /** The connection in use where it leads to this endpoint; its pools connect anew by themselves. */
  #open(endpoint: Endpoint): Connection {
    if (this.#connection?.endpoint.url === endpoint.url) return this.#connection;
    const connection = openConnection(endpoint, {
      ...this.#options,
      onRequest: (record) => {
        // A request that found nobody: the next one looks for the engine again.
        if (typeof record.outcome === 'string' && record.outcome !== 'cancelled') {
          this.#isDoubtful ||= connection === this.#connection;
        }
        this.#options.onRequest?.(record);
      },
    });
    return connection;
  }

  /** The one in use stays, for its owner may reach the engine again. */
  #drop(connection: Connection): void {
    if (connection !== this.#connection) connection.dispose();
  }

  #use(connection: Connection | undefined): void {
    if (this.#connection !== connection) this.#connection?.dispose();
    this.#connection = connection;
    this.#isDoubtful = false;
    this.#lostAt = undefined;
  }
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

/** Of several sockets in vain, the one that does not let us in says most, then one that is there at all. */
function mostTelling(attempts: readonly Attempt[]): EngineError {
  const errors = attempts.map((attempt) => attempt.error);
  const telling =
    errors.find(({ reason }) => reason === 'permissionDenied') ??
    errors.find(({ reason }) => reason !== 'socketAbsent' && reason !== 'badEndpoint');
  return telling ?? errors[0] ?? new EngineError('socketAbsent');
}
