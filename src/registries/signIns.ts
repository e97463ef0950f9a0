import type { RegistryAuth } from '../engine/registries/registryAuth.ts';
import { Secret } from '../engine/secret.ts';
import { asRecord, asText } from '../engine/wire.ts';
import { registryKey } from './registryRef.ts';

/** The sign-ins by Gantry: kept in the editor's storage for secrets, and nowhere else. */
export class SignIns {
  readonly #store: SecretStore;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: SecretStore) {
    this.#store = store;
  }

  /** The credentials kept for a registry. @throws StorageError */
  async find(registry: string): Promise<RegistryAuth | undefined> {
    const entry = await this.#entry(registry);
    const username = asText(entry?.['username']);
    const [password, token] = [asText(entry?.['password']), asText(entry?.['identitytoken'])];
    const serveraddress = registryKey(registry);
    if (token !== '') return { identitytoken: new Secret(token), serveraddress };
    if (username === '' || password === '') return undefined;
    return { username, password: new Secret(password), serveraddress };
  }

  /** All of them, by the registry's name. @throws StorageError */
  async all(): Promise<readonly KeptSignIn[]> {
    const old = await this.#old();
    const registries = new Set([...old.keys(), ...(await this.#registries())]);
    const all = [...registries].map(async (registry) => {
      const entry = (await this.#own(registry).catch(noneIfDamaged)) ?? old.get(registry) ?? {};
      const [username, helper] = [asText(entry['username']), asText(entry['helper'])];
      return { registry, username, ...(helper !== '' && { helper }) };
    });
    return (await Promise.all(all)).sort((a, b) => a.registry.localeCompare(b.registry));
  }

  /** Keeps a sign-in in the place of an older one. @throws StorageError where the others would be lost. */
  async keep(registry: string, { username, secret, isToken }: SignIn): Promise<void> {
    const value = secret.reveal();
    const entry = { username, [isToken ? 'identitytoken' : 'password']: value };
    await this.#change(registry, entry);
  }

  /** Remembers, in the place of an older sign-in, that a helper has been handed one. */
  async noteHelper(registry: string, username: string, helper: string): Promise<void> {
    await this.#change(registry, { username, helper });
  }

  /** Forgets a registry. */
  async forget(registry: string): Promise<void> {
    await this.#change(registry, undefined);
  }

  /** One change after the other, so that the last one asked for is the one that stays. */
  async #change(
    registry: string,
    entry: Readonly<Record<string, string>> | undefined,
  ): Promise<void> {
    const change = async (): Promise<void> => {
      await this.#moveOld();
      const key = PREFIX + registry;
      if (entry) await this.#store.store(key, JSON.stringify(entry));
      else await this.#store.delete(key);
    };
    const changed = this.#last.then(change);
    this.#last = changed.catch(() => undefined);
    return changed;
  }

  /** What an older version kept gets values of its own; what of it is damaged goes. */
  async #moveOld(): Promise<void> {
    if ((await this.#text(OLD_KEY)) === undefined) return;
    const old = await this.#old().catch(noneIfDamaged);
    const known = new Set(await this.#registries());
    for (const [registry, entry] of old ?? []) {
      if (!known.has(registry)) await this.#store.store(PREFIX + registry, JSON.stringify(entry));
    }
    await this.#store.delete(OLD_KEY);
  }

  async #entry(registry: string): Promise<Entry | undefined> {
    return (await this.#own(registry)) ?? (await this.#old()).get(registry);
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

/** The editor's storage for secrets, as far as it is used. */
export interface SecretStore {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
  keys(): PromiseLike<readonly string[]>;
}

/** Who signs in, by a password or by the token that a registry gave for it. */
export interface SignIn {
  readonly username: string;
  readonly secret: Secret;
  readonly isToken: boolean;
}

/** A sign-in by Gantry, without its secret. */
export interface KeptSignIn {
  readonly registry: string;
  readonly username: string;
  /** The helper that it was handed to; undefined where it is kept in the editor's storage. */
  readonly helper?: string;
}

/** One value for each registry: windows that sign in at the same moment do not write over one another. */
const PREFIX = 'gantry.registry:';
/** Where older versions kept all of them in one value. */
const OLD_KEY = 'gantry.registries';

/** A storage that cannot be read: what is in it, and what it says of that, is nobody's business. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  /** Whether it gave something that makes no sense, and not nothing at all. */
  readonly isDamaged: boolean;

  constructor(isDamaged: boolean) {
    super();
    this.isDamaged = isDamaged;
  }
}

type Entry = Readonly<Record<string, unknown>>;

/** What could not be read this time may be whole: it must not be written over. */
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
