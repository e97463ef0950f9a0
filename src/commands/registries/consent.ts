import type { Memento } from 'vscode';
import { exposureOf, type Endpoint, type Exposure } from '../../engine/discovery/endpoint.ts';
import type { L10n } from '../../l10n.ts';
import { oneLine } from '../../plainText.ts';
import { MessageError } from '../errorMessages.ts';
import { formatName } from '../displayText.ts';

const KEY = 'gantry.plainCredentialsFor';

/** Whether credentials may go to an engine where they can be read on the way: the user says so once for each. */
export class Consent {
  readonly #memory: Memento;
  readonly #confirm: Confirm;
  readonly #l10n: L10n;
  readonly #pending = new Map<string, Promise<boolean>>();

  constructor(memory: Memento, confirm: Confirm, l10n: L10n) {
    this.#memory = memory;
    this.#confirm = confirm;
    this.#l10n = l10n;
  }

  /** Whether it needs no asking: nobody can read them, or the user has agreed. */
  isGiven(endpoint: Endpoint): boolean {
    const exposure = exposureOf(endpoint);
    return !exposure || this.#agreed().includes(keyOf(endpoint.url, exposure));
  }

  /**
   * Asks where it is needed, and once for all who want to know at the same time. True where credentials may be sent.
   *
   * @throws MessageError if the address cannot be shown whole.
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

  /** Why credentials are not sent without consent. */
  refusal(endpoint: Endpoint): string {
    return exposureOf(endpoint) === 'unchecked'
      ? this.#l10n.t(
          'Credentials were not sent because the certificate of {0} is not checked.',
          formatName(endpoint.url),
        )
      : this.#l10n.t(
          'Credentials were not sent because the connection to {0} is not encrypted.',
          formatName(endpoint.url),
        );
  }

  /** The engine at this address is no longer in the settings. */
  async forget(url: string): Promise<void> {
    const gone = [keyOf(url, 'plain'), keyOf(url, 'unchecked')];
    const kept = this.#agreed().filter((key) => !gone.includes(key));
    if (kept.length < this.#agreed().length) await this.#memory.update(KEY, kept);
  }

  async #ask(url: string, exposure: Exposure): Promise<boolean> {
    // Who is to agree must see the whole address, for its end may be what tells it from another one.
    if (oneLine(url) !== url) {
      throw new MessageError(
        this.#l10n.t('The address of the engine is too long to show. No credentials were sent.'),
      );
    }
    const [question, detail] = this.#message(url, exposure);
    if (!(await this.#confirm(question, detail, this.#l10n.t('Send Credentials')))) return false;
    await this.#memory.update(KEY, [...this.#agreed(), keyOf(url, exposure)]);
    return true;
  }

  #message(url: string, exposure: Exposure): readonly [question: string, detail: string] {
    return exposure === 'plain'
      ? [
          this.#l10n.t('Send registry credentials unencrypted to {0}?', url),
          this.#l10n.t(
            'The connection to this engine is not encrypted, so others on the network can read them. Without them only public images can be pulled.',
          ),
        ]
      : [
          this.#l10n.t('Send registry credentials to {0} without checking its certificate?', url),
          this.#l10n.t(
            'The certificate of this engine is not checked, so another host can pretend to be it and read them. Without them only public images can be pulled.',
          ),
        ];
  }

  #agreed(): readonly string[] {
    return this.#memory.get<readonly string[]>(KEY, []);
  }
}

/** Asks the user a question with one button; false where they leave. */
export type Confirm = (question: string, detail: string, button: string) => Promise<boolean>;

/** Consent to the one is none to the other. */
function keyOf(url: string, exposure: Exposure): string {
  return exposure === 'plain' ? url : `${exposure} ${url}`;
}
