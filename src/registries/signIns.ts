import type { RegistryAuth } from '../engine/wire/registryAuth.ts';
import { Secret } from '../base/secret.ts';
import { asRecord, asText } from '../engine/wire/wire.ts';
import { WorkQueue } from '../base/time.ts';
import { registryKey } from './registryRef.ts';

/** The credentials stored by Gantry. They are kept only in VS Code secret storage. */
export class SignIns {
  readonly #store: SecretStore;
  readonly #changes = new WorkQueue();

  constructor(store: SecretStore) {
    this.#store = store;
  }

  /** Returns the credentials stored for a registry. @throws StorageError */
  async find(registry: string): Promise<RegistryAuth | undefined> {
    const entry = (await this.#own(registry)) ?? (await this.#old()).get(registry);
    const username = asText(entry?.['username']);
    const password = asText(entry?.['password']);
    const token = asText(entry?.['identitytoken']);
    const serveraddress = registryKey(registry);
    if (token !== '') return { identitytoken: new Secret(token), serveraddress };
    if (username === '' || password === '') return undefined;
    return { username, password: new Secret(password), serveraddress };
  }

  /** Returns all sign-ins, sorted by registry. @throws StorageError */
  async all(): Promise<readonly KeptSignIn[]> {
    const old = await this.#old();
    const registries = new Set([...old.keys(), ...(await this.#registries())]);
    const all = [...registries].map(async (registry) => {
      const entry = (await this.#own(registry).catch(noneIfDamaged)) ?? old.get(registry) ?? {};
      const username = asText(entry['username']);
      const helper = asText(entry['helper']);
      return { registry, username, ...(helper !== '' && { helper }) };
    });
    return (await Promise.all(all)).sort((a, b) => a.registry.localeCompare(b.registry));
  }

  /**
   * Stores a sign-in and replaces an older one.
   *
   * @throws StorageError if writing could lose other sign-ins.
   */
  async keep(registry: string, { username, secret, isToken }: SignIn): Promise<void> {
    const value = secret.reveal();
    const entry = { username, [isToken ? 'identitytoken' : 'password']: value };
    await this.#change(registry, entry);
  }

  /** Records that the credentials were stored in a helper, and replaces an older sign-in. */
  async recordHelper(registry: string, username: string, helper: string): Promise<void> {
    await this.#change(registry, { username, helper });
  }

  async forget(registry: string): Promise<void> {
    await this.#change(registry, undefined);
  }

  /** Applies changes one at a time, so that the last one requested wins. */
  #change(registry: string, entry: Readonly<Record<string, string>> | undefined): Promise<void> {
    return this.#changes.add(async () => {
      await this.#moveOld();
      const key = PREFIX + registry;
      if (entry) await this.#store.store(key, JSON.stringify(entry));
      else await this.#store.delete(key);
    });
  }

  /** Moves the sign-ins of older versions to keys of their own. Damaged data is deleted. */
  async #moveOld(): Promise<void> {
    if ((await this.#text(OLD_KEY)) === undefined) return;
    const old = await this.#old().catch(noneIfDamaged);
    const known = new Set(await this.#registries());
    for (const [registry, entry] of old ?? [])
      if (!known.has(registry)) await this.#store.store(PREFIX + registry, JSON.stringify(entry));
    await this.#store.delete(OLD_KEY);
  }

  async #own(registry: string): Promise<Entry | undefined> {
    const text = await this.#text(PREFIX + registry);
    return text === undefined ? undefined : asRecord(parsed(text));
  }

  async #old(): Promise<ReadonlyMap<string, Entry>> {
    const value = parsed((await this.#text(OLD_KEY)) ?? '[]');
    if (!Array.isArray(value)) throw new StorageError(true);
    return new Map(value.filter(isPair).map(([registry, entry]) => [registry, asRecord(entry)]));
  }

  async #registries(): Promise<readonly string[]> {
    const keys = await this.#read(() => this.#store.keys());
    return keys.flatMap((key) => (key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : []));
  }

  #text(key: string): Promise<string | undefined> {
    return this.#read(() => this.#store.get(key));
  }

  async #read<T>(read: () => PromiseLike<T>): Promise<T> {
    try {
      return await read();
    } catch {
      throw new StorageError(false);
    }
  }
}

/** The part of the VS Code secret storage that is used. */
export interface SecretStore {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
  keys(): PromiseLike<readonly string[]>;
}

/** A user name with a password, or with the identity token that the registry issued for it. */
export interface SignIn {
  readonly username: string;
  readonly secret: Secret;
  readonly isToken: boolean;
}

/** A stored sign-in without its secret. */
export interface KeptSignIn {
  readonly registry: string;
  readonly username: string;
  /** The credential helper that has the credentials, or undefined if they are in VS Code secret storage. */
  readonly helper?: string;
}

/** One value per registry: windows that sign in at the same time do not overwrite each other. */
const PREFIX = 'gantry.registry:';
/** The key under which older versions stored all sign-ins in one value. */
const OLD_KEY = 'gantry.registries';

/**
 * The secret storage could not be read. Contains neither the data nor the original error, which may be confidential.
 */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  /** Whether the storage returned invalid data, rather than failing to read. */
  readonly isDamaged: boolean;

  constructor(isDamaged: boolean) {
    super();
    this.isDamaged = isDamaged;
  }
}

type Entry = Readonly<Record<string, unknown>>;

/**
 * Returns undefined for damaged data and rethrows other errors: data that could not be read this time may be
 * intact and must not be overwritten.
 */
function noneIfDamaged(error: unknown): undefined {
  if (error instanceof StorageError && error.isDamaged) return undefined;
  throw error;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new StorageError(true);
  }
}

function isPair(value: unknown): value is readonly [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string';
}
