// Proxy in front of a real engine that closes idle connections after a while, as some proxies do.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A proxy to an engine that closes idle connections. */
export class SilenceProxy {
  /** The number of connections that the proxy has closed. */
  closed = 0;
  readonly #folder = mkdtempSync(join(tmpdir(), 'gantry-silence-'));
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(engine: string, longestMs: number) {
    this.#server = createServer((here) => {
      const there = connect(engine);
      const isClosed = () => here.destroyed;
      const close = () => (here.destroy(), there.destroy());
      for (const socket of [here, there]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined).on('close', close);
        socket.on('close', () => this.#sockets.delete(socket));
      }
      // An engine that is slow to respond is not idle.
      let isOwed = false;
      here.on('data', () => (isOwed = true)).pipe(there);
      there.on('data', () => (isOwed = false)).pipe(here);
      // Bytes in either direction count.
      there.setTimeout(longestMs, () => {
        if (isOwed) return;
        if (!isClosed()) this.closed++;
        close();
      });
    });
  }

  /** Starts a proxy for the engine at the socket path `engine`; a connection may be idle for `longestMs`. */
  static async start(engine: string, longestMs: number): Promise<SilenceProxy> {
    const proxy = new SilenceProxy(engine, longestMs);
    await new Promise<void>((resolve) => proxy.#server.listen(proxy.#path, resolve));
    return proxy;
  }

  get url(): string {
    return `unix://${this.#path}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #path(): string {
    return join(this.#folder, 'engine.sock');
  }
}
