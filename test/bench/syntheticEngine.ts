// An engine that only streams a prepared log of 1 GB as fast as it is read, in a process of its own: `node
// syntheticEngine.ts <socket>`. Prints `ready` when it is listening. Exits when it is killed or its parent
// exits.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';

/** The size of a line, including header, timestamp, and line end. */
export const LINE_BYTES = 111;

const CHUNK = 64 * 1024;
const HEADER = 8;
const STAMP = 31;
const TOTAL = 1_000_000_000;
const TEXT = 'The quick brown fox jumps over the lazy dog. '
  .repeat(2)
  .slice(0, LINE_BYTES - HEADER - STAMP - 1);

function frame(index: number): Buffer {
  const stamp = `2026-08-01T10:00:00.${String(index).padStart(9, '0')}Z `;
  const payload = Buffer.from(`${stamp}${TEXT}\n`);
  const header = Buffer.alloc(HEADER);
  header[0] = index % 10 === 0 ? 2 : 1;
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

/** Returns a repeatable piece of the log, about eight megabytes. */
function prepare(): Buffer {
  // A multiple of ten, so that the streams continue correctly from one repetition to the next.
  const count = Math.floor(8_000_000 / LINE_BYTES / 10) * 10;
  return Buffer.concat(Array.from({ length: count }, (_, index) => frame(index)));
}

async function stream(piece: Buffer, response: ServerResponse): Promise<void> {
  const repetitions = Math.floor(TOTAL / piece.length);
  for (let done = 0; done < repetitions; done++) {
    for (let at = 0; at < piece.length; at += CHUNK) {
      if (response.destroyed) return;
      if (!response.write(piece.subarray(at, at + CHUNK))) await once(response, 'drain');
    }
  }
  response.end();
}

function serve(socket: string): void {
  const piece = prepare();
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('api-version', '1.41');
    response.setHeader('server', 'Docker/20.10.24 (linux)');
    if (url.includes('/logs')) stream(piece, response).catch(() => response.destroy());
    else response.end('OK');
  });
  server.listen(socket, () => {
    console.log('ready');
  });
  process.on('disconnect', () => process.exit());
}

if (import.meta.main) serve(process.argv[2] ?? '');
