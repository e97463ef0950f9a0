import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listContainers } from '../../src/engine/containers/containers.ts';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { Activity } from '../../src/inventory/activity.ts';
import { Inventory } from '../../src/inventory/inventory.ts';
import { findProject } from '../../src/projects/project.ts';
import { runOnProject } from '../../src/projects/runOnProject.ts';
import { monotonicClock } from '../../src/base/time.ts';
import { startDocker } from '../bed/engines.ts';
import { BED_IMAGE, importBusybox } from '../bed/images.ts';
import { newestSystem, PLUGINS } from '../bed/newestSystem.ts';
import { inTurn, rounded } from './figures.ts';
import { atMost } from './limit.ts';
import type { BenchRow } from './row.ts';

const ROUNDS = 7;
const CONTAINERS = 20;
const PROJECT = 'gantry-bench';

/** Measures starting a project of 20 containers without dependencies, compared with `docker compose start`. */
export async function benchProjects(): Promise<BenchRow[]> {
  const { root } = await newestSystem((text) => process.stderr.write(text));
  const build = { system: root, hasContainerdStore: false, oldestApi: '' };
  const engine = await startDocker({ build });
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  const connection = openConnection(parseEndpoint(engine.socket, 'setting'));
  const file = join(folder, 'compose.yaml');
  const compose = (...args: readonly string[]) =>
    promisify(execFile)(
      join(root, PLUGINS, 'docker-compose'),
      ['--project-name', PROJECT, '--file', file, ...args],
      { env: { DOCKER_HOST: engine.url, HOME: folder } },
    );
  try {
    await importBusybox(engine);
    writeFileSync(file, composeFile());
    await compose('create');
    const times = await inTurn(
      ROUNDS,
      { ours: () => start(connection), peer: () => compose('start') },
      async () => void (await compose('kill')),
    );
    const ratio = times.ours / times.peer;
    return [
      {
        name: `start a project of ${CONTAINERS} containers`,
        value: rounded(times.ours, 0),
        unit: 'ms',
        peer: `docker compose start, a process, ${rounded(times.peer, 0)} ms`,
        ratio: rounded(ratio, 2),
        ...atMost(ratio, 1.1),
      },
    ];
  } finally {
    connection.dispose();
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function start(connection: Connection): Promise<void> {
  const project = findProject(await listContainers(connection, { all: true }), PROJECT);
  if (!project) throw new Error('There is no project.');
  const { failed } = await runOnProject('start', project, {
    connection,
    inventory: new Inventory(),
    activity: new Activity(),
    clock: monotonicClock,
    signal: new AbortController().signal,
  });
  if (failed.length > 0) throw new Error(`${failed.length} containers were not started.`);
}

function composeFile(): string {
  const service = { image: BED_IMAGE, command: ['sleep', '1000000'] };
  const names = Array.from({ length: CONTAINERS }, (_, index) => `service-${index}`);
  return JSON.stringify({ services: Object.fromEntries(names.map((name) => [name, service])) });
}
