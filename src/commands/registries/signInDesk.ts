import * as vscode from 'vscode';
import type { Connection } from '../../engine/http/connection.ts';
import type { RegistryAuth } from '../../engine/registries/credentials.ts';
import type { Machine } from '../../engine/discovery/endpoint.ts';
import { failedWith, InputError } from '../../engine/errors.ts';
import type { Secret } from '../../engine/secret.ts';
import { checkSignIn } from '../../engine/registries/signIn.ts';
import { helperFor } from '../../registries/authFile.ts';
import { isHelperName, TOKEN_USER, type Helpers } from '../../registries/helper.ts';
import { keyOf } from '../../registries/place.ts';
import {
  StorageError,
  type KeptSignIn,
  type SignIn,
  type SignIns,
} from '../../registries/signIns.ts';
import { describeTrouble, type Trouble } from '../../registries/source.ts';
import type { Consent } from './consent.ts';
import { SentenceError } from '../sentences.ts';

const { l10n } = vscode;

/** Who signs in where. */
export interface Applicant {
  readonly registry: string;
  readonly username: string;
  readonly password: Secret;
}

/** A sign-in that may be kept. */
export interface Checked {
  readonly isChecked: boolean;
  readonly signIn: SignIn;
}

/** A helper program, and the file that names it. */
export interface NamedHelper {
  readonly helper: string;
  readonly file: string;
}

/** What signing in stands on. */
export interface SignInDeskParts {
  readonly machine: Machine;
  readonly signIns: SignIns;
  readonly helpers: Helpers;
  readonly consent: Consent;
}

/** Where people sign in to registries, and out. */
export class SignInDesk {
  readonly #parts: SignInDeskParts;

  constructor(parts: SignInDeskParts) {
    this.#parts = parts;
  }

  /** All sign-ins by Gantry. @throws SentenceError where they cannot be read. */
  all(): Promise<readonly KeptSignIn[]> {
    return this.#parts.signIns.all().catch(sayStorage);
  }

  /** The helper that the person's Docker configuration names for a registry, if there is one that can be run. */
  async helperFor(registry: string): Promise<NamedHelper | undefined> {
    const named = await helperFor(this.#parts.machine, registry);
    return named && isHelperName(named.helper) ? named : undefined;
  }

  /**
   * Asks the registry, by way of an engine, whether it knows somebody.
   *
   * @throws SentenceError where it does not; InputError where the password may not be sent in the clear;
   * EngineError where the registry cannot be asked.
   */
  async check(
    connection: Connection,
    { registry, username, password }: Applicant,
    isPerson: boolean,
    signal: AbortSignal,
  ): Promise<Checked> {
    const { consent } = this.#parts;
    const { endpoint } = connection;
    const maySend = consent.isGiven(endpoint) || (isPerson && (await consent.ask(endpoint)));
    if (!maySend) {
      throw new InputError(consent.refusal(endpoint));
    }
    const request = { username, password, serveraddress: keyOf(registry) };
    const { isChecked, identityToken } = await checkSignIn(connection, request, signal).catch(
      (error: unknown) => {
        if (!failedWith(error, 'unauthorized')) throw error;
        throw new SentenceError(l10n.t('{0} does not accept this name and password.', registry));
      },
    );
    const isToken = identityToken !== undefined;
    return { isChecked, signIn: { username, secret: identityToken ?? password, isToken } };
  }

  /**
   * Keeps a sign-in, in the place of an older one.
   *
   * @param to the helper to hand it to; undefined for the editor's storage.
   * @throws SentenceError where the helper fails, or the other sign-ins cannot be read.
   */
  async keep(registry: string, signIn: SignIn, to: NamedHelper | undefined): Promise<RegistryAuth> {
    const { signIns, helpers } = this.#parts;
    const { username, secret, isToken } = signIn;
    if (to) {
      const entry = { username: isToken ? TOKEN_USER : username, secret };
      const failure = await helpers.store(to.helper, keyOf(registry), entry);
      if (failure) throw troubleOf({ ...to, kind: failure });
      await signIns.noteHelper(registry, username, to.helper).catch(sayStorage);
    } else {
      await this.#eraseOlder(registry);
      await signIns.keep(registry, signIn).catch(sayStorage);
    }
    const serveraddress = keyOf(registry);
    return isToken
      ? { identitytoken: secret, serveraddress }
      : { username, password: secret, serveraddress };
  }

  /**
   * Has a helper forget what it was handed for a registry: once the new sign-in is kept here, nobody would know that it
   * has it. A failure is no reason not to keep the new one.
   */
  async #eraseOlder(registry: string): Promise<void> {
    const { signIns, helpers } = this.#parts;
    const kept = await signIns.all().catch(() => []);
    const helper = kept.find((one) => one.registry === registry)?.helper;
    if (helper !== undefined) await helpers.erase(helper, keyOf(registry));
  }

  /**
   * Forgets a sign-in by Gantry, and has the helper forget it that was handed it. False where there is none.
   *
   * @throws SentenceError where the helper fails, or the sign-ins cannot be read.
   */
  async signOut(registry: string): Promise<boolean> {
    const { signIns, helpers } = this.#parts;
    const kept = (await this.all()).find((one) => one.registry === registry);
    if (!kept) return false;
    const { helper } = kept;
    if (helper !== undefined) {
      const failure = await helpers.erase(helper, keyOf(registry));
      // A program that is gone cannot be asked again another time.
      if (failure === 'missing') await signIns.forget(registry).catch(sayStorage);
      if (failure) throw troubleOf({ kind: failure, helper, file: 'config.json' });
    }
    await signIns.forget(registry).catch(sayStorage);
    return true;
  }
}

/** Says what is amiss with the storage; anything else it throws on. */
function sayStorage(error: unknown): never {
  throw error instanceof StorageError ? troubleOf({ kind: 'storage' }) : error;
}

function troubleOf(trouble: Trouble): SentenceError {
  return new SentenceError(describeTrouble(trouble, l10n));
}
