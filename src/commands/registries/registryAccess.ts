import * as vscode from 'vscode';
import type { Connection } from '../../engine/http/connection.ts';
import type { RegistryAuth } from '../../engine/registries/registryAuth.ts';
import { InputError } from '../../engine/errors.ts';
import { hideErrorSecrets } from '../../engine/http/hideSecrets.ts';
import { withSignal } from '../../engine/http/withTimeLimit.ts';
import type { RegistryRef } from '../../registries/registryRef.ts';
import { explainRefusal, isRegistryRefusal } from '../../registries/explainRefusal.ts';
import {
  formatCredentialSource,
  credentialProblemMessage,
  type FoundCredentials,
} from '../../registries/credentialSource.ts';
import type { Consent } from './consent.ts';
import { confirm, withProgress } from '../notifications.ts';
import { formatReason } from '../displayText.ts';
import type { SignInService } from './signInService.ts';
import { signInInteractively } from './signInInteractively.ts';

const { l10n } = vscode;

/** The one way by which requests that need it get credentials. */
export class RegistryAccess {
  readonly #dependencies: RegistryAccessDependencies;
  readonly #offers = new Map<string, Promise<RegistryAuth | undefined>>();

  constructor(parts: RegistryAccessDependencies) {
    this.#dependencies = parts;
  }

  /** Where people sign in and out. */
  get signInService(): SignInService {
    return this.#dependencies.signInService;
  }

  /**
   * Does the work with the credentials for its registry.
   *
   * @param work called with the credentials, undefined for none; again with others where the registry refuses
   *   and the person signs in.
   * @throws EngineError `unauthorized` that says which credentials the registry refused; InputError where those
   *   given may not be sent; a cancellation; else what the work rejects with.
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
        if (!isRegistryRefusal(error)) throw error;
        const refusal = explainRefusal(error, request.ref.registry, found, l10n);
        const auth = request.isInteractive
          ? await withSignal(this.#signIn(request, refusal.message), request.signal)
          : undefined;
        if (!auth) throw refusal;
        // The offer may have been made for another engine: that one's consent is not this one's.
        const signedIn = { auth, source: { kind: 'signIn' }, problems: [] } as const;
        found = await this.#allowed(request, signedIn);
        if (!found.auth) throw refusal;
      }
    }
  }

  /** Offers to sign in. One offer for all who are refused by a registry at the same time. */
  #signIn(
    { connection, ref: { registry } }: RegistryRequest,
    why: string,
  ): Promise<RegistryAuth | undefined> {
    const pending = this.#offers.get(registry);
    if (pending) return pending;
    const offer = async (): Promise<RegistryAuth | undefined> => {
      const question = l10n.t('Sign in to {0}?', registry);
      if (!(await confirm(question, formatReason(why), l10n.t('Sign In')))) return undefined;
      return (await signInInteractively(this.signInService, connection, registry))?.auth;
    };
    const offered = offer().finally(() => this.#offers.delete(registry));
    this.#offers.set(registry, offered);
    return offered;
  }

  async #find({ given, ref, isInteractive, signal }: RegistryRequest): Promise<FoundCredentials> {
    if (given) return { auth: given, source: { kind: 'argument' }, problems: [] };
    const find = (asked: AbortSignal): Promise<FoundCredentials> =>
      this.#dependencies.find(ref, signal ? AbortSignal.any([signal, asked]) : asked);
    // A helper may ask the person, or hang.
    const title = l10n.t('Looking for credentials for {0}', ref.registry);
    const found = await (isInteractive
      ? withProgress(title, 'late', find)
      : find(new AbortController().signal));
    this.#report(ref.registry, found);
    return found;
  }

  /** Says who answered, and never what. */
  #report(registry: string, { source, problems }: FoundCredentials): void {
    const { log } = this.#dependencies;
    for (const trouble of problems) log.warn(credentialProblemMessage(trouble, l10n));
    log.info(l10n.t('Credentials for {0}: {1}', registry, formatCredentialSource(source, l10n)));
  }

  /** Credentials to another machine go in the clear only where the person has agreed to that. */
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
      l10n.t('{0} Pull once from the view to allow it.', consent.refusal(endpoint)),
    );
  }
}

/** A request that an engine sends on to a registry. */
export interface RegistryRequest {
  readonly connection: Connection;
  /** A `Reference` is one. */
  readonly ref: RegistryRef;
  /** Whether somebody is there to be asked. */
  readonly isInteractive: boolean;
  /** What the caller brought; used before anything that is found. */
  readonly given?: RegistryAuth | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What the access to registries stands on. */
export interface RegistryAccessDependencies {
  readonly find: (place: RegistryRef, signal?: AbortSignal) => Promise<FoundCredentials>;
  readonly signInService: SignInService;
  readonly consent: Consent;
  readonly log: Pick<vscode.LogOutputChannel, 'info' | 'warn'>;
}
