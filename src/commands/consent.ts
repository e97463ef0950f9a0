import * as vscode from 'vscode';
import { isPlainRemote, type Endpoint } from '../engine/endpoint.ts';

const KEY = 'gantry.plainCredentialsFor';

/** Whether credentials may go to an engine on another machine in the clear: the person says so once for each. */
export class Consent {
  readonly #memory: vscode.Memento;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  /** Whether it needs no asking: nothing is in the clear, or the person has agreed. */
  isGiven(endpoint: Endpoint): boolean {
    return !isPlainRemote(endpoint) || this.#agreed().includes(endpoint.url);
  }

  /** Asks where it is needed. True where credentials may be sent. */
  async ask(endpoint: Endpoint): Promise<boolean> {
    if (this.isGiven(endpoint)) return true;
    const agree = vscode.l10n.t('Send Credentials');
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t('Send registry credentials unencrypted to {0}?', endpoint.url),
      {
        modal: true,
        detail: vscode.l10n.t(
          'The connection to this engine is not encrypted, so others on the network can read them. Without them only public images can be pulled.',
        ),
      },
      agree,
    );
    if (answer !== agree) return false;
    await this.#memory.update(KEY, [...this.#agreed(), endpoint.url]);
    return true;
  }

  #agreed(): readonly string[] {
    return this.#memory.get<readonly string[]>(KEY, []);
  }
}
