import * as vscode from 'vscode';
import type { Connection } from '../../engine/http/connection.ts';
import type { RegistryAuth } from '../../engine/registries/registryAuth.ts';
import type { Machine } from '../../engine/discovery/endpoint.ts';
import { failedWith, InputError } from '../../engine/errors.ts';
import type { Secret } from '../../engine/secret.ts';
import { checkSignIn } from '../../engine/registries/checkSignIn.ts';
import { configuredHelper } from '../../registries/authFile.ts';
import {
  isHelperName,
  TOKEN_USER,
  type CredentialHelpers,
} from '../../registries/credentialHelpers.ts';
import { registryKey } from '../../registries/registryRef.ts';
import {
  StorageError,
  type KeptSignIn,
  type SignIn,
  type SignIns,
} from '../../registries/signIns.ts';
import {
  credentialProblemMessage,
  type CredentialProblem,
} from '../../registries/credentialSource.ts';
import type { Consent } from './consent.ts';
import { MessageError } from '../errorMessages.ts';

const { l10n } = vscode;

/** Where people sign in to registries, and out. */
export class SignInService {
  readonly #dependencies: SignInDependencies;

  constructor(parts: SignInDependencies) {
    this.#dependencies = parts;
  }

  /** All sign-ins by Gantry. @throws MessageError where they cannot be read. */
  all(): Promise<readonly KeptSignIn[]> {
    return this.#dependencies.signIns.all().catch(throwStorageMessage);
  }

  /** The helper that the person's Docker configuration names for a registry, if there is one that can be run. */
  async helperFor(registry: string): Promise<ConfiguredHelper | undefined> {
    const named = await configuredHelper(this.#dependencies.machine, registry);
    return named && isHelperName(named.helper) ? named : undefined;
  }

  /**
   * Asks the registry, by way of an engine, whether it knows somebody.
   *
   * @throws MessageError where it does not; InputError where the password may not be sent in the clear;
   * EngineError where the registry cannot be asked.
   */
  async check(
    connection: Connection,
    { registry, username, password }: SignInCredentials,
    isInteractive: boolean,
    signal: AbortSignal,
  ): Promise<CheckedSignIn> {
    const { consent } = this.#dependencies;
    const { endpoint } = connection;
    const maySend = consent.isGiven(endpoint) || (isInteractive && (await consent.ask(endpoint)));
    if (!maySend) {
      throw new InputError(consent.refusal(endpoint));
    }
    const request = { username, password, serveraddress: registryKey(registry) };
    const { isChecked, identityToken } = await checkSignIn(connection, request, signal).catch(
      (error: unknown) => {
        if (!failedWith(error, 'unauthorized')) throw error;
        throw new MessageError(l10n.t('{0} does not accept this name and password.', registry));
      },
    );
    const isToken = identityToken !== undefined;
    return { isChecked, signIn: { username, secret: identityToken ?? password, isToken } };
  }

  /**
   * Keeps a sign-in, in the place of an older one.
   *
   * @param to the helper to hand it to; undefined for the editor's storage.
   * @throws MessageError where the helper fails, or the other sign-ins cannot be read.
   */
  async keep(
    registry: string,
    signIn: SignIn,
    to: ConfiguredHelper | undefined,
  ): Promise<RegistryAuth> {
    const { signIns, helpers } = this.#dependencies;
    const { username, secret, isToken } = signIn;
    if (to) {
      const entry = { username: isToken ? TOKEN_USER : username, secret };
      const failure = await helpers.store(to.helper, registryKey(registry), entry);
      if (failure) throw problemError({ ...to, kind: failure });
      await signIns.noteHelper(registry, username, to.helper).catch(throwStorageMessage);
    } else {
      await this.#eraseOlder(registry);
      await signIns.keep(registry, signIn).catch(throwStorageMessage);
    }
    const serveraddress = registryKey(registry);
    return isToken
      ? { identitytoken: secret, serveraddress }
      : { username, password: secret, serveraddress };
  }

  /**
   * Has a helper forget what it was handed for a registry: once the new sign-in is kept here, nobody would know that it
   * has it. A failure is no reason not to keep the new one.
   */
  async #eraseOlder(registry: string): Promise<void> {
    const { signIns, helpers } = this.#dependencies;
    const kept = await signIns.all().catch(() => []);
    const helper = kept.find((one) => one.registry === registry)?.helper;
    if (helper !== undefined) await helpers.erase(helper, registryKey(registry));
  }

  /**
   * Forgets a sign-in by Gantry, and has the helper forget it that was handed it. False where there is none.
   *
   * @throws MessageError where the helper fails, or the sign-ins cannot be read.
   */
  async signOut(registry: string): Promise<boolean> {
    const { signIns, helpers } = this.#dependencies;
    const kept = (await this.all()).find((one) => one.registry === registry);
    if (!kept) return false;
    const { helper } = kept;
    if (helper !== undefined) {
      const failure = await helpers.erase(helper, registryKey(registry));
      // A program that is gone cannot be asked again another time.
      if (failure === 'missing') await signIns.forget(registry).catch(throwStorageMessage);
      if (failure) throw problemError({ kind: failure, helper, file: 'config.json' });
    }
    await signIns.forget(registry).catch(throwStorageMessage);
    return true;
  }
}

/** Who signs in where. */
export interface SignInCredentials {
  readonly registry: string;
  readonly username: string;
  readonly password: Secret;
}

/** A sign-in that may be kept. */
export interface CheckedSignIn {
  readonly isChecked: boolean;
  readonly signIn: SignIn;
}

/** A helper program, and the file that names it. */
export interface ConfiguredHelper {
  readonly helper: string;
  readonly file: string;
}

/** What signing in stands on. */
export interface SignInDependencies {
  readonly machine: Machine;
  readonly signIns: SignIns;
  readonly helpers: CredentialHelpers;
  readonly consent: Consent;
}

/** Says what is amiss with the storage; anything else it throws on. */
function throwStorageMessage(error: unknown): never {
  throw error instanceof StorageError ? problemError({ kind: 'storage' }) : error;
}

function problemError(trouble: CredentialProblem): MessageError {
  return new MessageError(credentialProblemMessage(trouble, l10n));
}
