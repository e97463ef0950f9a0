import type { Disposable } from '../lifetime.ts';
import type { SshTransport } from './endpoint.ts';

/** A way to an engine on another machine that ends on this one. */
export interface Tunnel extends Disposable {
  /**
   * Sees to it that the way stands.
   *
   * @returns the path of a local socket (a pipe on Windows) that leads to the engine. Another one after the way
   *   broke and was made anew.
   * @throws EngineError with one of the `ssh…` reasons or of those for which nobody is there; the signal's reason
   *   where the caller left. A refused login and what was asked in vain are not tried again but told again, until
   *   `retry`.
   */
  open(signal?: AbortSignal): Promise<string>;
  /** Forgets a failure that is not tried again by itself: the person wants it tried. */
  retry(): void;
}

/** Makes tunnels. Nothing is started before `open`. */
export type OpenTunnel = (transport: SshTransport, url: string) => Tunnel;
