import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { Pool } from 'undici';
import { openConnection } from '../../src/engine/http/connection.ts';
import { listContainers } from '../../src/engine/containers/containers.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { inTurn, rounded } from './figures.ts';
import type { BenchRow } from './row.ts';

const ROUNDS = 15;
const PATH = '/v1.41/containers/json?all=1';

/** Measures listing all containers and a single one, compared with other clients. */
export async function benchLists(socket: string, ids: readonly string[]): Promise<BenchRow[]> {
  const connection = openConnection(parseEndpoint(socket, 'setting'));
  const pool = new Pool('http://localhost', { socketPath: socket });
  const docker = new Docker({ socketPath: socket });
  const one = ids.slice(0, 1);
  try {
    const times = await inTurn(ROUNDS, {
      ours: () => listContainers(connection, { all: true }),
      one: () => listContainers(connection, { all: true, ids: one }),
      undici: async () => (await pool.request({ method: 'GET', path: PATH })).body.json(),
      dockerode: () => docker.listContainers({ all: true }),
      process: () => listByProcess(socket),
    });
    const row = (peer: 'undici' | 'dockerode' | 'process', target?: string): BenchRow => ({
      name: `list ${ids.length} containers`,
      value: rounded(times.ours, 1),
      unit: 'ms',
      peer: `${PEERS[peer]}, ${rounded(times[peer], 1)} ms`,
      ratio: rounded(times.ours / times[peer], 2),
      ...(target === undefined ? {} : { target }),
    });
    return [
      row('undici', '≤ 1.3'),
      row('dockerode'),
      row('process', '≤ 0.6'),
      {
        name: `one changed container of ${ids.length}`,
        value: rounded(times.one, 1),
        unit: 'ms',
        peer: `listing all, ${rounded(times.ours, 1)} ms`,
        ratio: rounded(times.one / times.ours, 3),
        target: '≤ 0.1',
      },
    ];
  } finally {
    connection.dispose();
    await pool.destroy();
  }
}

const PEERS = {
  undici: 'undici and JSON.parse',
  dockerode: 'dockerode',
  process: 'docker container ls, a process',
} as const;

async function listByProcess(socket: string): Promise<void> {
  const args = ['-H', `unix://${socket}`, 'container', 'ls', '--all', '--format', 'json'];
  await promisify(execFile)('docker', args, { maxBuffer: 1e8 });
}
