import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listContainers } from '../../src/engine/containers/containers.ts';
import type { Connection } from '../../src/engine/http/connection.ts';
import { Activity } from '../../src/inventory/activity.ts';
import { Inventory } from '../../src/inventory/inventory.ts';
import { findProject } from '../../src/projects/project.ts';
import { runOnProject } from '../../src/projects/runOnProject.ts';
import { monotonicClock } from '../../src/base/time.ts';
import { BED_IMAGE } from '../bed/images.ts';
import type { Measurements } from './benchmark.ts';
import { timesInTurn } from './figures.ts';
import { withNewest } from './stage.ts';

const ROUNDS = 7;
const CONTAINERS = 20;
const PROJECT = 'gantry-bench';

/** Measures starting a project of 20 containers without dependencies, compared with `docker compose start`. */
export function benchProjects(): Promise<Measurements<'start'>> {
  return withNewest(async ({ connection, engine, folder, plugins }) => {
    const file = join(folder, 'compose.yaml');
    const env = { DOCKER_HOST: engine.url, HOME: folder };
    const compose = async (command: string): Promise<void> => {
      const args = ['--project-name', PROJECT, '--file', file, command];
      await promisify(execFile)(join(plugins, 'docker-compose'), args, { env });
    };
    writeFileSync(file, composeFile());
    await compose('create');
    const works = { subject: () => start(connection), peer: () => compose('start') };
    return { start: await timesInTurn(ROUNDS, works, () => compose('kill')) };
  });
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
