// A slow connection to a registry: a TCP relay with a limited rate for all connections together.
// Runs as a program in an engine's network: node throttle.ts PORT TO BYTES_PER_SECOND [until-told]
// With `until-told`, the relay writes a line with the bytes that it has sent so far, and exits when its stdin ends.
import { connect, createServer, type Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** Relays 127.0.0.1:port to 127.0.0.1:to, and limits the rate of the responses. Reports the size of each chunk of them. */
export function throttle(
  port: number,
  to: number,
  bytesPerSecond: number,
  onSent: (bytes: number) => void,
): void {
  const line = slowLine(bytesPerSecond, onSent);
  createServer((client) => {
    const server = connect(to, '127.0.0.1');
    // No pipeline here: it would drop the client with its pending data if the registry closes first.
    client.pipe(server);
    pipeline(server, line(), client, () => undefined);
    const end = (socket: Socket) => () => socket.destroy();
    client.on('close', end(server));
    client.on('error', end(server));
    server.on('error', end(client));
  }).listen(port, '127.0.0.1');
}

/** Streams that share one budget: each chunk waits until the chunks before it have used up their time. */
function slowLine(bytesPerSecond: number, onSent: (bytes: number) => void): () => Transform {
  let free = performance.now();
  const pass = async (chunk: Buffer): Promise<Buffer> => {
    free = Math.max(free, performance.now()) + (chunk.length / bytesPerSecond) * 1000;
    await sleep(free - performance.now());
    return chunk;
  };
  const transform = (chunk: Buffer, _: unknown, done: (e: null, chunk: Buffer) => void) => {
    void pass(chunk).then((same) => {
      done(null, same);
      onSent(same.length);
    });
  };
  return () => new Transform({ transform });
}

if (import.meta.main) {
  const [port, to, rate] = process.argv.slice(2).map(Number);
  const isUntilTold = process.argv[5] === 'until-told';
  let sent = 0;
  throttle(port!, to!, rate!, (bytes) => {
    sent += bytes;
    if (isUntilTold) process.stdout.write(`${sent}\n`);
  });
  if (isUntilTold) process.stdin.resume().on('end', () => process.exit());
}
