import * as l10n from '@vscode/l10n';
import type { Connection } from '../../engine/http/connection.ts';
import type { RegistryAuth } from '../../engine/wire/registryAuth.ts';
import { EngineError, InputError } from '../../engine/errors.ts';
import { hideErrorSecrets } from '../../engine/wire/hideSecrets.ts';
import { withSignal } from '../../engine/http/withTimeLimit.ts';
import { unreachableRegistry } from '../../engines/failures/unreachableRegistry.ts';
import { oneLine } from '../../base/plainText.ts';
import type { RegistryRef } from '../../registries/registryRef.ts';
import {
  formatCredentialSource,
  credentialProblemMessage,
  explainRefusal,
  refusalMessage,
  isRegistryRefusal,
  type FoundCredentials,
} from '../../registries/credentialSource.ts';
import type { Consent } from './consent.ts';
import { formatReason } from '../ui/formatNames.ts';
import type { SignInService } from './signInService.ts';
import { signInInteractively } from './signInInteractively.ts';
import type { Ui } from '../ui/ui.ts';

/** Provides the credentials for all requests that need them. */
export class RegistryAccess {
  readonly #ui: Ui;
  readonly #dependencies: RegistryAccessDependencies;
  readonly #offers = new Map<string, Promise<RegistryAuth | undefined>>();

  constructor(ui: Ui, parts: RegistryAccessDependencies) {
    this.#ui = ui;
    this.#dependencies = parts;
  }

  /** The service to sign in to and out of registries. */
  get signInService(): SignInService {
    return this.#dependencies.signInService;
  }

  /**
   * Does work with the credentials for its registry.
   *
   * @param work called with the credentials, or undefined if there are none; called again with others if the registry
   * rejects them and the user signs in.
   * @throws EngineError `unauthorized` that names which credentials the registry rejected, or with sentences if the
   * engine cannot reach it; InputError if the given credentials may not be sent; a cancellation; otherwise what the
   * work rejects with.
   */
  async withAuth<T>(
    request: RegistryRequest,
    work: (auth: RegistryAuth | undefined) => Promise<T>,
  ): Promise<T> {
    let found = await this.#allowed(request, await this.#find(request));
    for (;;) {
      try {
        return await work(found.auth);
      } catch (thrown) {
        const error = hideErrorSecrets(thrown, found.auth);
        if (!isRegistryRefusal(error)) throw this.#explainUnreachable(error, request.ref);
        const refusal = explainRefusal(error, request.ref.registry, found);
        const auth = request.isInteractive
          ? await withSignal(this.#signIn(request, found, error), request.signal)
          : undefined;
        if (!auth) throw refusal;
        // The sign-in may have been offered for another engine, whose consent does not cover this one.
        const signedIn = { auth, source: { kind: 'signIn' }, problems: [] } as const;
        found = await this.#allowed(request, signedIn);
        if (!found.auth) throw refusal;
      }
    }
  }

  /** Returns sentences in place of the words of an engine that cannot reach a registry; the log has those. */
  #explainUnreachable(error: unknown, { registry }: RegistryRef): unknown {
    const engineMessage = unreachableRegistry(error, registry);
    if (engineMessage === undefined || !(error instanceof EngineError)) return error;
    this.#dependencies.log.warn(oneLine(error.message, 1000));
    return error.with({ engineMessage, cause: error });
  }

  /** Returns the refusal of a registry with the credentials that it rejected. */
  async explain(request: RegistryRequest, error: EngineError): Promise<EngineError> {
    const found = await this.#allowed(request, await this.#find(request));
    return explainRefusal(error, request.ref.registry, found);
  }

  /** Offers to sign in. Concurrent requests that a registry rejects share one offer. */
  #signIn(
    { connection, ref: { registry } }: RegistryRequest,
    found: FoundCredentials,
    error: EngineError,
  ): Promise<RegistryAuth | undefined> {
    const pending = this.#offers.get(registry);
    if (pending) return pending;
    const offer = async (): Promise<RegistryAuth | undefined> => {
      const question = l10n.t('Sign in to {0}?', registry);
      const why = formatReason(refusalMessage(error, registry, found));
      if (!(await this.#ui.confirm(question, why, l10n.t('Sign In')))) return undefined;
      return (await signInInteractively(this.#ui, this.signInService, connection, registry))?.auth;
    };
    const offered = offer().finally(() => this.#offers.delete(registry));
    this.#offers.set(registry, offered);
    return offered;
  }

  async #find({ given, ref, isInteractive, signal }: RegistryRequest): Promise<FoundCredentials> {
    if (given) return { auth: given, source: { kind: 'argument' }, problems: [] };
    const find = (asked: AbortSignal): Promise<FoundCredentials> =>
      this.#dependencies.find(ref, signal ? AbortSignal.any([signal, asked]) : asked);
    // A credential helper may ask the user, or hang.
    const title = l10n.t('Looking for credentials for {0}', ref.registry);
    const found = await (isInteractive
      ? this.#ui.progress(title, 'late', find)
      : find(new AbortController().signal));
    const { log } = this.#dependencies;
    for (const trouble of found.problems) log.warn(credentialProblemMessage(trouble));
    // Logs the source of the credentials, never the credentials.
    const source = formatCredentialSource(found.source);
    log.info(l10n.t('Credentials for {0}: {1}', ref.registry, source));
    return found;
  }

  /** Removes credentials that would go to another host unencrypted without the user's consent. */
  async #allowed(
    { connection: { endpoint }, given, isInteractive }: RegistryRequest,
    found: FoundCredentials,
  ): Promise<FoundCredentials> {
    const { consent, log } = this.#dependencies;
    if (!found.auth || consent.isGiven(endpoint)) return found;
    if (isInteractive && (await consent.ask(endpoint))) return found;
    if (!given) {
      log.info(consent.refusal(endpoint));
      return { source: { kind: 'none' }, problems: found.problems };
    }
    throw new InputError(
      l10n.t(
        '{0} Pull the image once from the Images view to allow it.',
        consent.refusal(endpoint),
      ),
    );
  }
}

/** A request that an engine forwards to a registry. */
interface RegistryRequest {
  readonly connection: Connection;
  /** A `Reference` is one. */
  readonly ref: RegistryRef;
  /** Whether the user can be asked. */
  readonly isInteractive: boolean;
  /** Credentials that the caller provides; they take precedence over stored ones. */
  readonly given?: RegistryAuth | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RegistryAccessDependencies {
  readonly find: (ref: RegistryRef, signal?: AbortSignal) => Promise<FoundCredentials>;
  readonly signInService: SignInService;
  readonly consent: Consent;
  readonly log: { info(message: string): void; warn(message: string): void };
}
