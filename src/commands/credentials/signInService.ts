import * as l10n from '@vscode/l10n';
import type { Connection } from '../../engine/http/connection.ts';
import type { RegistryAuth } from '../../engine/wire/registryAuth.ts';
import type { Machine } from '../../engine/http/endpoint.ts';
import { EngineError, failedWith, InputError } from '../../engine/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { checkSignIn } from '../../engine/registries/checkSignIn.ts';
import { unreachableRegistry } from '../../engines/failures/unreachableRegistry.ts';
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
import { MessageError } from '../ui/errorMessage.ts';

/** Signs in to and out of registries. */
export class SignInService {
  readonly #dependencies: SignInDependencies;

  constructor(parts: SignInDependencies) {
    this.#dependencies = parts;
  }

  /** Converts an error of the storage to a message and throws it. Throws any other error unchanged. */
  readonly #throwStorageMessage = (error: unknown): never => {
    throw error instanceof StorageError ? problemError({ kind: 'storage' }) : error;
  };

  /** Returns all sign-ins by Gantry. @throws MessageError if they cannot be read. */
  all(): Promise<readonly KeptSignIn[]> {
    return this.#dependencies.signIns.all().catch(this.#throwStorageMessage);
  }

  /** Returns the credential helper that the Docker configuration names for a registry, if its name is valid. */
  async helperFor(registry: string): Promise<ConfiguredHelper | undefined> {
    const named = await configuredHelper(this.#dependencies.machine, registry);
    return named && isHelperName(named.helper) ? named : undefined;
  }

  /**
   * Asks the registry, through an engine, whether the credentials are valid.
   *
   * @throws MessageError if they are not; InputError if the password may not be sent unencrypted; EngineError
   * if the registry cannot be asked.
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
        const engineMessage = unreachableRegistry(error, registry);
        if (engineMessage !== undefined && error instanceof EngineError)
          throw error.with({ engineMessage, cause: error });
        if (!failedWith(error, 'unauthorized')) throw error;
        throw new MessageError(l10n.t('{0} rejected the user name or password.', registry));
      },
    );
    const isToken = identityToken !== undefined;
    return { isChecked, signIn: { username, secret: identityToken ?? password, isToken } };
  }

  /**
   * Stores a sign-in, and replaces an older one.
   *
   * @param to the credential helper to store it in; undefined for VS Code's secret storage.
   * @throws MessageError if the helper fails, or the other sign-ins cannot be read.
   */
  async keep(
    registry: string,
    signIn: SignIn,
    to: ConfiguredHelper | undefined,
  ): Promise<RegistryAuth> {
    const { signIns, helpers } = this.#dependencies;
    const { username, secret, isToken } = signIn;
    const older = await this.#olderHelper(registry, to?.helper);
    if (to) {
      const entry = { username: isToken ? TOKEN_USER : username, secret };
      const store = async (): Promise<void> => {
        const failure = await helpers.store(to.helper, registryKey(registry), entry);
        if (failure) throw problemError({ ...to, kind: failure });
      };
      await store();
      await signIns.recordHelper(registry, username, to.helper).catch(this.#throwStorageMessage);
      if (older !== undefined) {
        // A failure is no reason not to keep the new one.
        await helpers.erase(older, registryKey(registry));
        // Helpers may share a store: then the new sign-in was erased, too.
        await store();
      }
    } else {
      await signIns.keep(registry, signIn).catch(this.#throwStorageMessage);
      if (older !== undefined) await helpers.erase(older, registryKey(registry));
    }
    const serveraddress = registryKey(registry);
    return isToken
      ? { identitytoken: secret, serveraddress }
      : { username, password: secret, serveraddress };
  }

  /**
   * Deletes a sign-in by Gantry, and erases it from the credential helper that has it. Resolves to false if
   * there is none.
   *
   * @throws MessageError if the helper fails, or the sign-ins cannot be read.
   */
  async signOut(registry: string): Promise<boolean> {
    const { signIns, helpers } = this.#dependencies;
    const kept = (await this.all()).find((one) => one.registry === registry);
    if (!kept) return false;
    const { helper } = kept;
    if (helper !== undefined) {
      const failure = await helpers.erase(helper, registryKey(registry));
      // A missing helper cannot be asked again later.
      if (failure === 'missing') await signIns.forget(registry).catch(this.#throwStorageMessage);
      if (failure) throw problemError({ kind: failure, helper, file: 'config.json' });
    }
    await signIns.forget(registry).catch(this.#throwStorageMessage);
    return true;
  }

  /**
   * Returns the helper that has an older sign-in; undefined if there is none, or if it is that of the new one. Once the
   * new one is recorded, Gantry does not know of the older one any more.
   */
  async #olderHelper(registry: string, newHelper: string | undefined): Promise<string | undefined> {
    const kept = await this.#dependencies.signIns.all().catch(() => []);
    const helper = kept.find((one) => one.registry === registry)?.helper;
    return helper === newHelper ? undefined : helper;
  }
}

/** The credentials for a registry. */
export interface SignInCredentials {
  readonly registry: string;
  readonly username: string;
  readonly password: Secret;
}

/** A sign-in that is ready to be stored. */
export interface CheckedSignIn {
  readonly isChecked: boolean;
  readonly signIn: SignIn;
}

/** A credential helper, and the file that configures it. */
export interface ConfiguredHelper {
  readonly helper: string;
  readonly file: string;
}

/** The dependencies of the service. */
interface SignInDependencies {
  readonly machine: Machine;
  readonly signIns: SignIns;
  readonly helpers: CredentialHelpers;
  readonly consent: Consent;
}

function problemError(trouble: CredentialProblem): MessageError {
  return new MessageError(credentialProblemMessage(trouble));
}
