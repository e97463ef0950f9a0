import type { Memento } from '../../lifetime.ts';
import { exposureOf, type Endpoint, type Exposure } from '../../engine/discovery/endpoint.ts';
import type { Ui } from '../ui.ts';
import { oneLine } from '../../plainText.ts';
import { MessageError } from '../errorMessage.ts';
import { formatName } from '../formatNames.ts';

const KEY = 'gantry.plainCredentialsFor';

/**
 * Consent to send credentials over a connection on which others could read them. The user is asked once per
 * engine.
 */
export class Consent {
  readonly #memory: Memento;
  readonly #ui: Pick<Ui, 'confirm' | 'l10n'>;
  readonly #pending = new Map<string, Promise<boolean>>();

  constructor(memory: Memento, ui: Pick<Ui, 'confirm' | 'l10n'>) {
    this.#memory = memory;
    this.#ui = ui;
  }

  /** Whether credentials may be sent without asking: no third party can read them, or the user has consented. */
  isGiven(endpoint: Endpoint): boolean {
    const exposure = exposureOf(endpoint);
    return !exposure || this.#agreed().includes(keyOf(endpoint.url, exposure));
  }

  /**
   * Asks for consent if it is needed. Concurrent callers share one question. Resolves to true if credentials
   * may be sent.
   *
   * @throws MessageError if the address is too long to show completely.
   */
  async ask(endpoint: Endpoint): Promise<boolean> {
    const exposure = exposureOf(endpoint);
    if (!exposure || this.isGiven(endpoint)) return true;
    const key = keyOf(endpoint.url, exposure);
    const pending = this.#pending.get(key);
    if (pending) return pending;
    const asked = this.#ask(endpoint.url, exposure).finally(() => this.#pending.delete(key));
    this.#pending.set(key, asked);
    return asked;
  }

  /** Returns why credentials are not sent without consent. */
  refusal(endpoint: Endpoint): string {
    const { l10n } = this.#ui;
    const name = formatName(endpoint.url);
    return exposureOf(endpoint) === 'unchecked'
      ? l10n.t('Credentials were not sent because the certificate of {0} is not verified.', name)
      : l10n.t('Credentials were not sent because the connection to {0} is not encrypted.', name);
  }

  /** Revokes the consent for an engine that was removed from the settings. */
  async forget(url: string): Promise<void> {
    const gone = [keyOf(url, 'plain'), keyOf(url, 'unchecked')];
    const kept = this.#agreed().filter((key) => !gone.includes(key));
    if (kept.length < this.#agreed().length) await this.#memory.update(KEY, kept);
  }

  async #ask(url: string, exposure: Exposure): Promise<boolean> {
    const { l10n } = this.#ui;
    // The user must see the whole address, because only its end may distinguish it from another one.
    if (oneLine(url) !== url) {
      throw new MessageError(
        l10n.t('The engine address is too long to show. No credentials were sent.'),
      );
    }
    const [question, detail] =
      exposure === 'plain'
        ? [
            l10n.t('Send registry credentials unencrypted to {0}?', url),
            l10n.t(
              'Others on the network can read the credentials. Without credentials, you can pull only public images.',
            ),
          ]
        : [
            l10n.t('Send registry credentials to {0} without verifying its certificate?', url),
            l10n.t(
              'Another host could impersonate the engine and read them. Without credentials, you can pull only public images.',
            ),
          ];
    if (!(await this.#ui.confirm(question, detail, l10n.t('Send Credentials')))) return false;
    await this.#memory.update(KEY, [...this.#agreed(), keyOf(url, exposure)]);
    return true;
  }

  #agreed(): readonly string[] {
    return this.#memory.get<readonly string[]>(KEY, []);
  }
}

/** Returns a different key for each exposure: consent to one is not consent to the other. */
function keyOf(url: string, exposure: Exposure): string {
  return exposure === 'plain' ? url : `${exposure} ${url}`;
}
