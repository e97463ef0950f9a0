// A small, real Docker engine for machines that have no engine. It lasts as long as the session.
import { startDocker, type BedEngine } from '../test/bed/engines.ts';
import { askWell } from '../test/bed/http.ts';
import { BED_IMAGE, importBusybox } from '../test/bed/images.ts';
import { startRegistry } from '../test/bed/registry.ts';
import { REGISTRY_PORTS } from '../test/bed/engines.ts';
import { missingParts } from '../test/bed/system.mjs';

const CONTAINERS = {
  clock: 'while true; do date; sleep 1; done',
  greeting: 'echo Hello from Gantry',
} as const;

/** Starts the engine with an image, a running container and an exited one. */
export async function startThrowaway(log: (line: string) => void): Promise<BedEngine> {
  const engine = await startDocker();
  try {
    await importBusybox(engine);
    for (const [name, command] of Object.entries(CONTAINERS))
      await runContainer(engine, name, command);
    // The engine has its own network, so that it could not pull anything without a registry inside.
    if (missingParts(['registry']).length === 0) {
      const registry = await startRegistry(engine, { port: REGISTRY_PORTS.open });
      log(`There is a registry to pull from: ${registry}/gantry/layers:1`);
    }
    return engine;
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

async function runContainer({ socket }: BedEngine, name: string, command: string): Promise<void> {
  const body = { Image: BED_IMAGE, Cmd: ['sh', '-c', command] };
  await askWell(socket, 'POST', `/v1.41/containers/create?name=${name}`, { body });
  await askWell(socket, 'POST', `/v1.41/containers/${name}/start`);
}
