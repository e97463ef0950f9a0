import * as l10n from '@vscode/l10n';
import type { Memento } from '../../base/lifetime.ts';
import { exposureOf, type Endpoint, type Exposure } from '../../engine/http/endpoint.ts';
import type { Ui } from '../ui/ui.ts';
import { oneLine } from '../../base/plainText.ts';
import { MessageError } from '../ui/errorMessage.ts';
import { formatName } from '../ui/formatNames.ts';

const KEY = 'gantry.plainCredentialsFor';

/**
 * Consent to send credentials over a connection on which others could read them. The user is asked once per
 * engine.
 */
export class Consent {
  readonly #memory: Memento;
  readonly #ui: Pick<Ui, 'confirm'>;
  readonly #pending = new Map<string, Promise<boolean>>();

  constructor(memory: Memento, ui: Pick<Ui, 'confirm'>) {
    this.#memory = memory;
    this.#ui = ui;
  }

  /** Whether credentials may be sent without asking: no third party can read them, or the user has consented. */
  isGiven(endpoint: Endpoint, kind: CredentialKind = 'registry'): boolean {
    const exposure = exposureOf(endpoint);
    return !exposure || this.#agreed().includes(keyOf(endpoint.url, exposure, kind));
  }

  /**
   * Asks for consent if it is needed. Concurrent callers share one question. Resolves to true if credentials
   * may be sent.
   *
   * @throws MessageError if the address is too long to show completely.
   */
  async ask(endpoint: Endpoint, kind: CredentialKind = 'registry'): Promise<boolean> {
    const exposure = exposureOf(endpoint);
    if (!exposure || this.isGiven(endpoint, kind)) return true;
    const key = keyOf(endpoint.url, exposure, kind);
    const pending = this.#pending.get(key);
    if (pending) return pending;
    const asked = this.#ask(endpoint.url, exposure, kind).finally(() => this.#pending.delete(key));
    this.#pending.set(key, asked);
    return asked;
  }

  /** Returns why credentials are not sent without consent. */
  refusal(endpoint: Endpoint, kind: CredentialKind = 'registry'): string {
    const name = formatName(endpoint.url);
    if (kind === 'proxy')
      return exposureOf(endpoint) === 'unchecked'
        ? l10n.t(
            'Proxies with a password were left out because the certificate of {0} is not verified.',
            name,
          )
        : l10n.t(
            'Proxies with a password were left out because the connection to {0} is not encrypted.',
            name,
          );
    return exposureOf(endpoint) === 'unchecked'
      ? l10n.t('Credentials were not sent because the certificate of {0} is not verified.', name)
      : l10n.t('Credentials were not sent because the connection to {0} is not encrypted.', name);
  }

  /** Revokes the consent for an engine that was removed from the settings. */
  async forget(url: string): Promise<void> {
    const gone = KINDS.flatMap((kind) => [
      keyOf(url, 'plain', kind),
      keyOf(url, 'unchecked', kind),
    ]);
    const kept = this.#agreed().filter((key) => !gone.includes(key));
    if (kept.length < this.#agreed().length) await this.#memory.update(KEY, kept);
  }

  async #ask(url: string, exposure: Exposure, kind: CredentialKind): Promise<boolean> {
    // The user must see the whole address, because only its end may distinguish it from another one.
    if (oneLine(url) !== url) {
      throw new MessageError(
        l10n.t('The engine address is too long to show. No credentials were sent.'),
      );
    }
    const { question, detail } = questionOf(kind, exposure, url);
    if (!(await this.#ui.confirm(question, detail, l10n.t('Send Credentials')))) return false;
    await this.#memory.update(KEY, [...this.#agreed(), keyOf(url, exposure, kind)]);
    return true;
  }

  #agreed(): readonly string[] {
    return this.#memory.get<readonly string[]>(KEY, []);
  }
}

/** Credentials that are sent: those of a registry, or the proxies of the Docker CLI that have a password. */
type CredentialKind = 'registry' | 'proxy';

const KINDS: readonly CredentialKind[] = ['registry', 'proxy'];

function questionOf(kind: CredentialKind, exposure: Exposure, url: string) {
  if (kind === 'registry')
    return exposure === 'plain'
      ? {
          question: l10n.t('Send registry credentials unencrypted to {0}?', url),
          detail: l10n.t(
            'Others on the network can read the credentials. Without credentials, you can pull only public images.',
          ),
        }
      : {
          question: l10n.t(
            'Send registry credentials to {0} without verifying its certificate?',
            url,
          ),
          detail: l10n.t(
            'Another host could impersonate the engine and read them. Without credentials, you can pull only public images.',
          ),
        };
  return exposure === 'plain'
    ? {
        question: l10n.t('Send proxy passwords unencrypted to {0}?', url),
        detail: l10n.t(
          'Others on the network can read the proxies of the Docker CLI. Otherwise, those with a password are left out.',
        ),
      }
    : {
        question: l10n.t('Send proxy passwords to {0} without verifying its certificate?', url),
        detail: l10n.t(
          'Another host could impersonate the engine and read them. Otherwise, those with a password are left out.',
        ),
      };
}

/** Returns a different key for each exposure and kind: consent to one is not consent to the other. */
function keyOf(url: string, exposure: Exposure, kind: CredentialKind): string {
  const key = exposure === 'plain' ? url : `${exposure} ${url}`;
  return kind === 'registry' ? key : `${kind} ${key}`;
}
