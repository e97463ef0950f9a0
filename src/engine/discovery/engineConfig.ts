import type { Machine } from '../http/endpoint.ts';
import { readDockerConfig, type DockerConfig } from './dockerConfig.ts';
import { readContexts, type DockerContexts } from './dockerContext.ts';
import { readPodmanConnections, type PodmanConnections } from './readPodmanConnections.ts';

/** Configuration of a machine about engines, at one moment. */
export interface EngineConfig {
  readonly machine: Machine;
  readonly docker: DockerConfig;
  readonly contexts: DockerContexts;
  readonly podman: PodmanConnections;
}

/** Reads what is configured, each file once. Never rejects. */
export async function readEngineConfig(machine: Machine): Promise<EngineConfig> {
  const [docker, contexts, podman] = await Promise.all([
    readDockerConfig(machine),
    readContexts(machine),
    readPodmanConnections(machine),
  ]);
  return { machine, docker, contexts, podman };
}
