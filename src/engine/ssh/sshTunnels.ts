import { once } from '../../base/lifetime.ts';
import type { Entrance, Lane, OpenTunnel, SpareTunnels, Tunnel } from '../http/tunnel.ts';
import { withSignal } from '../http/withTimeLimit.ts';
import type { LoginTarget, SshOptions } from './sshLogin.ts';

/**
 * Returns a factory of tunnels through the user's OpenSSH.
 *
 * @param spare tunnels to use before a new one is opened.
 */
export function sshTunnels(options: SshOptions, spare: SpareTunnels = new Map()): OpenTunnel {
  return (transport, url) => {
    const kept = spare.get(url);
    kept?.closing.dispose();
    spare.delete(url);
    return kept?.tunnel ?? new LateTunnel({ transport, url }, options);
  };
}

/** A tunnel whose code is loaded when it is opened: most users have no engine on another host. */
class LateTunnel implements Tunnel {
  readonly #load: () => Promise<Tunnel>;
  #tunnel: Tunnel | undefined;
  #isDisposed = false;

  constructor(target: LoginTarget, options: SshOptions) {
    this.#load = once(async () => {
      const { SshTunnel } = await import('./sshTunnel.ts');
      const tunnel = new SshTunnel(target, options);
      this.#tunnel = tunnel;
      if (this.#isDisposed) tunnel.dispose();
      return tunnel;
    });
  }

  async open(signal?: AbortSignal): Promise<string> {
    const tunnel = await withSignal(this.#load(), signal);
    return tunnel.open(signal);
  }

  get isNarrow(): boolean {
    return this.#tunnel?.isNarrow === true;
  }

  async enter(lane: Lane): Promise<Entrance> {
    const tunnel = await this.#load();
    return tunnel.enter(lane);
  }

  retry(): void {
    this.#tunnel?.retry();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#tunnel?.dispose();
  }
}
