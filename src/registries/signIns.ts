import type { RegistryAuth } from '../engine/credentials.ts';
import { Secret } from '../engine/secret.ts';
import { asRecord, asText } from '../engine/wire.ts';
import { keyOf } from './place.ts';

/** The editor's storage for secrets, as far as it is used. */
export interface SecretStore {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
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

/** All in one value: a list beside the secrets would not always be true to them. */
const KEY = 'gantry.registries';

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

type Entries = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** The sign-ins by Gantry: kept in the editor's storage for secrets, and nowhere else. */
export class SignIns {
  readonly #store: SecretStore;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: SecretStore) {
    this.#store = store;
  }

  /** The credentials kept for a registry. @throws StorageError */
  async find(registry: string): Promise<RegistryAuth | undefined> {
    const entry = (await this.#read()).get(registry);
    const username = asText(entry?.['username']);
    const [password, token] = [asText(entry?.['password']), asText(entry?.['identitytoken'])];
    const serveraddress = keyOf(registry);
    if (token !== '') return { identitytoken: new Secret(token), serveraddress };
    if (username === '' || password === '') return undefined;
    return { username, password: new Secret(password), serveraddress };
  }

  /** All of them, by the registry's name. @throws StorageError */
  async all(): Promise<readonly KeptSignIn[]> {
    return [...(await this.#read())]
      .map(([registry, entry]) => {
        const [username, helper] = [asText(entry['username']), asText(entry['helper'])];
        return { registry, username, ...(helper !== '' && { helper }) };
      })
      .sort((a, b) => a.registry.localeCompare(b.registry));
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

  /** One change after the other: each writes all. What is damaged is written anew. */
  async #change(
    registry: string,
    entry: Readonly<Record<string, string>> | undefined,
  ): Promise<void> {
    const change = async (): Promise<void> => {
      const entries = new Map(await this.#read().catch(noneIfDamaged));
      if (entry) entries.set(registry, entry);
      else entries.delete(registry);
      await this.#store.store(KEY, JSON.stringify([...entries]));
    };
    const changed = this.#last.then(change);
    this.#last = changed.catch(() => undefined);
    return changed;
  }

  async #read(): Promise<Entries> {
    const pairs = parsedPairs((await this.#text()) ?? '[]');
    if (!pairs) throw new StorageError(true);
    return new Map(pairs.map(([registry, entry]) => [registry, asRecord(entry)]));
  }

  async #text(): Promise<string | undefined> {
    try {
      return await this.#store.get(KEY);
    } catch {
      throw new StorageError(false);
    }
  }
}

/** What could not be read this time may be whole: it must not be written over. */
function noneIfDamaged(error: unknown): Entries {
  if (error instanceof StorageError && error.isDamaged) return new Map();
  throw error;
}

function parsedPairs(text: string): readonly (readonly [string, unknown])[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter(isPair) : undefined;
  } catch {
    return undefined;
  }
}

function isPair(value: unknown): value is readonly [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string';
}
