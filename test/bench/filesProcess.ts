// What `files` runs in a process of its own, as small as an extension host: reads a container's files by the product's
// own ways and the same archives by curl, in turn, and prints the medians in milliseconds. In the memory of the whole
// bench each collection of garbage would take twice as long.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readContainerFile } from '../../src/engine/archive/archive.ts';
import { openConnection } from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/discovery/endpoint.ts';
import { FileTreeReader } from '../../src/files/fileTreeReader.ts';
import { inTurn } from './figures.ts';

/** Of a file, many: a read takes some rounds to be as fast as it gets, and the engine's own times differ by a half. */
const [FILE_ROUNDS, LIST_ROUNDS] = [21, 7];

const [socket = '', id = '', path = ''] = process.argv.slice(2);
const connection = openConnection(parseEndpoint(socket, 'setting'));

/** Anew each time: what is read once is kept. */
function newFiles(): FileTreeReader {
  return new FileTreeReader({
    access: (work) => work(connection, id),
    isMoving: () => false,
    now: Date.now,
  });
}

async function curl(what: string): Promise<void> {
  const url = `http://localhost/containers/${id}/archive?path=${encodeURIComponent(what)}`;
  const args = ['--silent', '--fail', '--unix-socket', socket, '--output', '/dev/null', url];
  await promisify(execFile)('curl', args);
}

// Apart from the listing: the engine still tidies up after that while the next one reads.
const file = await inTurn(FILE_ROUNDS, {
  ours: () => readContainerFile(connection, id, path, Infinity),
  curl: () => curl(path),
});
const list = await inTurn(LIST_ROUNDS, {
  ours: () => newFiles().list('/'),
  curl: () => curl('/.'),
});
connection.dispose();
console.log(JSON.stringify({ file, list }));
