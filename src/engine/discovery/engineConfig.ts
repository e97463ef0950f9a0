import { once } from '../../base/lifetime.ts';
import type { Machine } from '../http/endpoint.ts';
import { readDockerConfig, type DockerConfig } from './dockerConfig.ts';
import { readContexts, type DockerContexts } from './dockerContext.ts';
import { readPodmanConnections, type PodmanConnections } from './readPodmanConnections.ts';

/** What a machine has configured about engines, at one moment. Each file is read once; no function rejects. */
export interface EngineConfig {
  readonly machine: Machine;
  readonly docker: DockerConfig;
  /** Read at the first call, because an address in the settings may not need them. */
  readonly contexts: () => Promise<DockerContexts>;
  /** Read at the first call, as the contexts. */
  readonly podman: () => Promise<PodmanConnections>;
}

/** Reads Docker's `config.json`, and the other files when they are needed. Never rejects. */
export async function readEngineConfig(machine: Machine): Promise<EngineConfig> {
  return {
    machine,
    docker: await readDockerConfig(machine),
    contexts: once(() => readContexts(machine)),
    podman: once(() => readPodmanConnections(machine)),
  };
}
