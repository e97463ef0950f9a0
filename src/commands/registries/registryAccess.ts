import * as vscode from 'vscode';
import type { Connection } from '../../engine/http/connection.ts';
import type { RegistryAuth } from '../../engine/registries/credentials.ts';
import { InputError } from '../../engine/errors.ts';
import { withoutSecrets } from '../../engine/http/hideSecrets.ts';
import { withSignal } from '../../engine/http/limits.ts';
import type { RegistryPlace } from '../../registries/place.ts';
import { explainRefusal, isRefusal } from '../../registries/refusal.ts';
import { describeSource, describeTrouble, type FoundCredentials } from '../../registries/source.ts';
import type { Consent } from './consent.ts';
import { confirm, withProgress } from '../person.ts';
import { shownReason } from '../shown.ts';
import type { SignInDesk } from './signInDesk.ts';
import { signInWithPerson } from './signInFlow.ts';

const { l10n } = vscode;

/** A request that an engine sends on to a registry. */
export interface RegistryWork {
  readonly connection: Connection;
  /** A `Reference` is one. */
  readonly place: RegistryPlace;
  /** Whether somebody is there to be asked. */
  readonly isPerson: boolean;
  /** What the caller brought; used before anything that is found. */
  readonly given?: RegistryAuth | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What the access to registries stands on. */
export interface RegistryAccessParts {
  readonly find: (place: RegistryPlace, signal?: AbortSignal) => Promise<FoundCredentials>;
  readonly desk: SignInDesk;
  readonly consent: Consent;
  readonly log: Pick<vscode.LogOutputChannel, 'info' | 'warn'>;
}

/** The one way by which requests that need it get credentials. */
export class RegistryAccess {
  readonly #parts: RegistryAccessParts;
  readonly #offers = new Map<string, Promise<RegistryAuth | undefined>>();

  constructor(parts: RegistryAccessParts) {
    this.#parts = parts;
  }

  /** Where people sign in and out. */
  get desk(): SignInDesk {
    return this.#parts.desk;
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
    request: RegistryWork,
    work: (auth: RegistryAuth | undefined) => Promise<T>,
  ): Promise<T> {
    let found = await this.#allowed(request, await this.#find(request));
    for (;;) {
      try {
        return await work(found.auth);
      } catch (thrown) {
        const error = withoutSecrets(thrown, found.auth);
        if (!isRefusal(error)) throw error;
        const refusal = explainRefusal(error, request.place.registry, found, l10n);
        const auth = request.isPerson
          ? await withSignal(this.#signIn(request, refusal.message), request.signal)
          : undefined;
        if (!auth) throw refusal;
        // The offer may have been made for another engine: that one's consent is not this one's.
        const signedIn = { auth, source: { kind: 'signIn' }, troubles: [] } as const;
        found = await this.#allowed(request, signedIn);
        if (!found.auth) throw refusal;
      }
    }
  }

  /** Offers to sign in. One offer for all who are refused by a registry at the same time. */
  #signIn(
    { connection, place: { registry } }: RegistryWork,
    why: string,
  ): Promise<RegistryAuth | undefined> {
    const pending = this.#offers.get(registry);
    if (pending) return pending;
    const offer = async (): Promise<RegistryAuth | undefined> => {
      const question = l10n.t('Sign in to {0}?', registry);
      if (!(await confirm(question, shownReason(why), l10n.t('Sign In')))) return undefined;
      return (await signInWithPerson(this.desk, connection, registry))?.auth;
    };
    const offered = offer().finally(() => this.#offers.delete(registry));
    this.#offers.set(registry, offered);
    return offered;
  }

  async #find({ given, place, isPerson, signal }: RegistryWork): Promise<FoundCredentials> {
    if (given) return { auth: given, source: { kind: 'argument' }, troubles: [] };
    const find = (asked: AbortSignal): Promise<FoundCredentials> =>
      this.#parts.find(place, signal ? AbortSignal.any([signal, asked]) : asked);
    // A helper may ask the person, or hang.
    const title = l10n.t('Looking for credentials for {0}', place.registry);
    const found = await (isPerson
      ? withProgress(title, 'late', find)
      : find(new AbortController().signal));
    this.#tell(place.registry, found);
    return found;
  }

  /** Says who answered, and never what. */
  #tell(registry: string, { source, troubles }: FoundCredentials): void {
    const { log } = this.#parts;
    for (const trouble of troubles) log.warn(describeTrouble(trouble, l10n));
    log.info(l10n.t('Credentials for {0}: {1}', registry, describeSource(source, l10n)));
  }

  /** Credentials to another machine go in the clear only where the person has agreed to that. */
  async #allowed(
    { connection: { endpoint }, given, isPerson }: RegistryWork,
    found: FoundCredentials,
  ): Promise<FoundCredentials> {
    const { consent, log } = this.#parts;
    if (!found.auth || consent.isGiven(endpoint)) return found;
    if (isPerson && (await consent.ask(endpoint))) return found;
    if (!given) {
      log.info(consent.refusal(endpoint));
      return { source: { kind: 'none' }, troubles: found.troubles };
    }
    throw new InputError(
      l10n.t('{0} Pull once from the view to allow it.', consent.refusal(endpoint)),
    );
  }
}
