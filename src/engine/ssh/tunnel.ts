import type { Disposable } from '../../lifetime.ts';
import type { SshTransport } from '../discovery/endpoint.ts';

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
  /** Whether it has few sessions, so that calls must share them. Known once it is open. */
  readonly isNarrow: boolean;
  /**
   * Lets one connection in, once there is a session for it.
   *
   * @throws EngineError `sshFull` where too many streams are open for another one; what `open` throws.
   */
  enter(lane: Lane): Promise<Entrance>;
  /** Forgets a failure that is not tried again by itself: the person wants it tried. */
  retry(): void;
}

/**
 * What a connection is for: `call` a short call, `ping` a ping while all connections for calls are busy, `events` the
 * event stream, `long` a call that may take its time, `stream` all else that lasts.
 */
export type Lane = 'call' | 'ping' | 'events' | 'long' | 'stream';

/** Where a connection goes in. */
export interface Entrance {
  /** The path of a local socket. */
  readonly path: string;
  /** Call it when the connection is closed, or could not be opened. */
  readonly leave: (wasOpened: boolean) => void;
}

/** Makes tunnels. Nothing is started before `open`. */
export type OpenTunnel = (transport: SshTransport, url: string) => Tunnel;
