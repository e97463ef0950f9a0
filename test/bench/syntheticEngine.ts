// An engine that only streams prepared logs as fast as they are read, in a process of its own: `node
// syntheticEngine.ts <socket>`. Prints `ready` when it is listening. Exits when it is killed or its parent
// exits.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';

const CHUNK = 64 * 1024;
const HEADER = 8;
const STAMP = 31;
/** The size of a frame in the log of short lines, including header, timestamp, and line end. */
const LINE_FRAME = 111;
const FRAGMENT = 16 * 1024;

/** The log of each container, 1 GB long. */
const LOGS: Readonly<Record<string, (index: number) => Buffer>> = {
  lines: (index) => frame(index, asciiText(LINE_FRAME - HEADER - STAMP - 1) + '\n'),
  accents: (index) => frame(index, accentedText(LINE_FRAME - HEADER - STAMP - 1) + '\n'),
  // Every third piece ends its line.
  fragments: (index) =>
    frame(index, asciiText(FRAGMENT - 1) + (index % 3 === 2 ? '\n' : 'x'), Math.floor(index / 3)),
};

/** The size of each log in bytes, rounded to whole frames. */
const TOTAL = 1_000_000_000;

function frame(index: number, text: string, moment = index): Buffer {
  const stamp = `2026-08-01T10:00:00.${String(moment).padStart(9, '0')}Z `;
  const payload = Buffer.from(stamp + text);
  const header = Buffer.alloc(HEADER);
  header[0] = index % 10 === 0 ? 2 : 1;
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

function asciiText(bytes: number): string {
  return 'The quick brown fox jumps over the lazy dog. '.repeat(400).slice(0, bytes);
}

/** One character in twenty takes two bytes. */
function accentedText(bytes: number): string {
  const twenty = `${asciiText(19)}é`;
  let text = twenty.repeat(Math.ceil(bytes / 21)).slice(0, bytes);
  while (Buffer.byteLength(text) > bytes) text = text.slice(0, -1);
  return text.padEnd(text.length + bytes - Buffer.byteLength(text), '.');
}

/** Returns a repeatable piece of the log, about eight megabytes. */
function prepare(make: (index: number) => Buffer): Buffer {
  const frames: Buffer[] = [];
  // A multiple of thirty, so that streams and line pieces continue correctly from one repetition to the next.
  const count = Math.floor(8_000_000 / make(0).length / 30) * 30;
  for (let index = 0; index < count; index++) frames.push(make(index));
  return Buffer.concat(frames);
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

const pieces = new Map(Object.entries(LOGS).map(([name, make]) => [name, prepare(make)]));
const server = createServer((request, response) => {
  response.setHeader('api-version', '1.41');
  response.setHeader('server', 'Docker/20.10.24 (linux)');
  const [, name = ''] = /\/containers\/(\w+)\/logs/.exec(request.url ?? '') ?? [];
  const piece = pieces.get(name);
  if (piece) stream(piece, response).catch(() => response.destroy());
  else response.end('OK');
});
server.listen(process.argv[2], () => {
  console.log('ready');
});
process.on('disconnect', () => process.exit());
