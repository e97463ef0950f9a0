import { isIP, type Socket } from 'node:net';

/** When a socket is taken for open, and for how long that is waited for. */
export interface SocketOpening {
  readonly ready: 'connect' | 'secureConnect';
  /** The name or address of the machine; empty for a socket of this one. */
  readonly host: string;
  /** Milliseconds. */
  readonly limit: number;
}

/** What hears of a new socket, or why there is none. */
export type OnConnect = (...outcome: [null, Socket] | [Error, null]) => void;

/** Tells once that `socket` is open, or why it will not be. Past the limit it is destroyed. */
export function awaitOpen(
  socket: Socket,
  { ready, host, limit }: SocketOpening,
  tell: OnConnect,
): void {
  let isFound = host === '' || isIP(host) !== 0;
  socket.once('lookup', () => {
    isFound = true;
  });
  const late = setTimeout(() => {
    // Name servers that are out of reach let wait longer than we do.
    const code = isFound ? 'ETIMEDOUT' : 'EAI_AGAIN';
    socket.destroy(Object.assign(new Error(`No connection in time: ${code}`), { code }));
  }, limit);
  const onError = (error: Error): void => {
    clearTimeout(late);
    tell(error, null);
  };
  socket.once('error', onError);
  socket.once(ready, () => {
    clearTimeout(late);
    socket.off('error', onError);
    tell(null, socket);
  });
}
