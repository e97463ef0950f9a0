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

/** What an engine is found and reached by. */
export interface EngineOptions extends ConnectionOptions {
  readonly machine: Machine;
  /** The value of the setting `gantry.host`; read at every search. */
  readonly hostSetting: () => string;
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
  #attempts: readonly Attempt[] = [];

  /** Fires when the person chose another address: all that is known is of the engine before. */
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
        const connection = this.#open(endpoint);
        const error = await failureOf(connection.renew(signal), signal);
        if (signal.aborted || error) this.#drop(connection);
        if (signal.aborted) return await this.check();
        if (!error) {
          this.#use(connection);
          return connection;
        }
        attempts.push({ endpoint, error });
      }
    } finally {
      if (!signal.aborted) this.#attempts = attempts;
    }
    throw mostTelling(attempts);
  }

  #candidates(): readonly Endpoint[] {
    const { machine, hostSetting } = this.#options;
    const chosen = chosenEndpoint(hostSetting(), machine);
    return chosen ? [chosen] : wellKnownEndpoints(machine);
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
  }
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
