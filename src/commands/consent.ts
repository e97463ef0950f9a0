import * as vscode from 'vscode';
import { isPlainRemote, type Endpoint } from '../engine/endpoint.ts';

const KEY = 'gantry.plainCredentialsFor';

/** Whether credentials may go to an engine on another machine in the clear: the person says so once for each. */
export class Consent {
  readonly #memory: vscode.Memento;
  readonly #pending = new Map<string, Promise<boolean>>();

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  /** Whether it needs no asking: nothing is in the clear, or the person has agreed. */
  isGiven(endpoint: Endpoint): boolean {
    return !isPlainRemote(endpoint) || this.#agreed().includes(endpoint.url);
  }

  /** Asks where it is needed, and once for all who want to know at the same time. True where credentials may be sent. */
  async ask(endpoint: Endpoint): Promise<boolean> {
    if (this.isGiven(endpoint)) return true;
    const { url } = endpoint;
    const pending = this.#pending.get(url);
    if (pending) return pending;
    const asked = this.#askPerson(url).finally(() => this.#pending.delete(url));
    this.#pending.set(url, asked);
    return asked;
  }

  async #askPerson(url: string): Promise<boolean> {
    const agree = vscode.l10n.t('Send Credentials');
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t('Send registry credentials unencrypted to {0}?', url),
      {
        modal: true,
        detail: vscode.l10n.t(
          'The connection to this engine is not encrypted, so others on the network can read them. Without them only public images can be pulled.',
        ),
      },
      agree,
    );
    if (answer !== agree) return false;
    await this.#memory.update(KEY, [...this.#agreed(), url]);
    return true;
  }

  #agreed(): readonly string[] {
    return this.#memory.get<readonly string[]>(KEY, []);
  }
}
