import { DisposableStore, Emitter, type Disposable } from '../lifetime.ts';
import { openConnection, type Connection, type ConnectionOptions } from './connection.ts';
import { chosenEndpoint, wellKnownEndpoints, type Endpoint, type Machine } from './endpoint.ts';
import { EngineError } from './errors.ts';

/** One address that was looked at, and why it was not taken. */
export interface Attempt {
  readonly endpoint: Endpoint;
  readonly error: EngineError;
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
  #search: Promise<Connection> | undefined;
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
    this.#search ??= this.#find().finally(() => (this.#search = undefined));
    return this.#search;
  }

  /** Forgets the connection: the setting changed. */
  reset(): void {
    this.#use(undefined);
    this.#search = undefined;
    this.#onDidChangeEndpoint.fire();
  }

  dispose(): void {
    this.#use(undefined);
    this.#store.dispose();
  }

  async #find(): Promise<Connection> {
    const attempts: Attempt[] = [];
    const setting = this.#options.hostSetting();
    const chosen = chosenEndpoint(setting, this.#options.machine);
    const candidates = chosen ? [chosen] : wellKnownEndpoints(this.#options.machine);
    for (const endpoint of candidates) {
      const connection = this.#open(endpoint);
      try {
        await connection.renew();
        if (setting !== this.#options.hostSetting()) return await this.#find();
        this.#attempts = attempts;
        this.#use(connection);
        return connection;
      } catch (error) {
        if (connection !== this.#connection) connection.dispose();
        if (!(error instanceof EngineError)) throw error;
        attempts.push({ endpoint, error });
      }
    }
    this.#attempts = attempts;
    throw mostTelling(attempts);
  }

  /** The connection in use where it leads to this endpoint; its pools connect anew by themselves. */
  #open(endpoint: Endpoint): Connection {
    if (this.#connection?.endpoint.url === endpoint.url) return this.#connection;
    return openConnection(endpoint, {
      ...this.#options,
      onRequest: (record) => {
        // A request that found nobody: the next one looks for the engine again.
        if (typeof record.outcome === 'string' && record.outcome !== 'cancelled') {
          this.#isDoubtful = true;
        }
        this.#options.onRequest?.(record);
      },
    });
  }

  #use(connection: Connection | undefined): void {
    if (this.#connection !== connection) this.#connection?.dispose();
    this.#connection = connection;
    this.#isDoubtful = false;
  }
}

/** Of several sockets in vain, the one that is there but does not let us in says most. */
function mostTelling(attempts: readonly Attempt[]): EngineError {
  const errors = attempts.map((attempt) => attempt.error);
  const telling = errors.find((error) => error.reason !== 'socketAbsent');
  return telling ?? errors[0] ?? new EngineError('socketAbsent');
}
