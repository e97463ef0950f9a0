// The process that `files` runs, as small as an extension host: reads a file of a container with the product
// code and the same archive with curl, in turn, and prints the times in milliseconds. In the memory of the
// whole benchmark, each garbage collection would take twice as long.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readContainerFile } from '../../src/engine/archive/archive.ts';
import { openConnection } from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { timesInTurn } from './figures.ts';

/** Many: a read takes some rounds to reach full speed, and the times of the engine vary by half. */
const ROUNDS = 21;

const [socket = '', id = '', path = ''] = process.argv.slice(2);
const connection = openConnection(parseEndpoint(socket, 'setting'));
const url = `http://localhost/containers/${id}/archive?path=${encodeURIComponent(path)}`;
const args = ['--silent', '--fail', '--unix-socket', socket, '--output', '/dev/null', url];
const times = await timesInTurn(ROUNDS, {
  subject: () => readContainerFile(connection, id, path, Infinity),
  peer: () => promisify(execFile)('curl', args),
});
connection.dispose();
console.log(JSON.stringify(times));
