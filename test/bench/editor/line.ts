import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A proxy to the engine that counts the bytes sent. */
export interface Line {
  readonly socket: string;
  /** The bytes sent to the engine so far. */
  sent(): number;
  close(): void;
}

/** Creates a proxy to the engine on a socket. */
export function tapped(engine: string): Promise<Line> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-line-'));
  const socket = join(folder, 'engine.sock');
  let bytes = 0;
  const server = createServer((near) => {
    const far = connect(engine);
    near.on('data', (chunk) => (bytes += chunk.length));
    near.pipe(far).pipe(near);
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const)
      end.on('error', () => other.destroy());
  });
  return new Promise((resolve) => {
    server.listen(socket, () => {
      const close = (): void => {
        server.close();
        rmSync(folder, { recursive: true, force: true });
      };
      resolve({ socket, sent: () => bytes, close });
    });
  });
}
