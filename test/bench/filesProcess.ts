// The process that `files` runs, as small as an extension host: reads files of a container with the product
// code and the same archives with curl, in turn, and prints the medians in milliseconds. In the memory of the
// whole benchmark, each garbage collection would take twice as long.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readContainerFile } from '../../src/engine/archive/archive.ts';
import { openConnection } from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { FileTreeReader } from '../../src/files/fileTreeReader.ts';
import { inTurn } from './figures.ts';

/**
 * Many rounds for a file: a read takes some rounds to reach full speed, and the times of the engine vary by
 * half.
 */
const [FILE_ROUNDS, LIST_ROUNDS] = [21, 7];

const [socket = '', id = '', path = ''] = process.argv.slice(2);
const connection = openConnection(parseEndpoint(socket, 'setting'));

/** Returns a new reader each time, without a cache. */
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

// Separate from the listing: after that the engine is still cleaning up while the next request runs.
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
