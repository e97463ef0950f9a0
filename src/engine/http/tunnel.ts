import type { Disposable } from '../../base/lifetime.ts';
import type { SshTransport } from './endpoint.ts';

/** A tunnel to an engine on another host, with its entrance on the local machine. */
export interface Tunnel extends Disposable {
  /**
   * Opens the tunnel if it is not open.
   *
   * @returns the path of a local socket (on Windows, a named pipe) that leads to the engine. The path changes if
   *   the tunnel broke and was opened again.
   * @throws EngineError with one of the `ssh…` reasons or of the reasons for an unreachable host; the abort reason of
   *   the signal. If the failure is final (no ssh program, host key or authentication failed) or the attempt had
   *   already asked the user, the same error is thrown again without another attempt, until `retry`.
   */
  open(signal?: AbortSignal): Promise<string>;
  /** Whether the tunnel has few sessions, which calls must share. Known once it is open. */
  readonly isNarrow: boolean;
  /**
   * Reserves a session for one connection; waits until one is free.
   *
   * @throws EngineError `sshFull` if too many streams are open; the errors of `open`.
   */
  enter(lane: Lane): Promise<Entrance>;
  /** Discards a failure that is not retried automatically: the user wants to try again. */
  retry(): void;
}

/**
 * The use of a connection. `call`: a short call; `ping`: a ping while all connections for calls are busy;
 * `events`: the event stream; `long`: a call that may take long; `stream`: any other stream.
 */
export type Lane = 'call' | 'ping' | 'events' | 'long' | 'stream';

/** The local end of a tunnel, for one connection. */
export interface Entrance {
  /** The path of a local socket. */
  readonly path: string;
  /** Must be called when the connection is closed or could not be opened. */
  readonly leave: (wasOpened: boolean) => void;
}

/** Creates a tunnel. Nothing is started before `open`. */
export type OpenTunnel = (transport: SshTransport, url: string) => Tunnel;

/** Open tunnels without an owner, by the URL of their endpoint. */
export type SpareTunnels = Map<string, SpareTunnel>;

/** A tunnel that waits for an owner, who disposes `closing`. */
interface SpareTunnel {
  readonly tunnel: Tunnel;
  /** Closes the tunnel some time later. */
  readonly closing: Disposable;
}
