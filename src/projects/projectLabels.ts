import * as path from 'node:path';
import type { Container } from '../engine/model.ts';
import { oneLine } from '../plainText.ts';

/** The label of everything that Compose creates: the name of its project. */
export const PROJECT = 'com.docker.compose.project';
/** The label of everything of a swarm stack: its name. */
const STACK = 'com.docker.stack.namespace';
export const SERVICE = 'com.docker.compose.service';
const SWARM_SERVICE = 'com.docker.swarm.service.name';
const NUMBER = 'com.docker.compose.container-number';
const SWARM_TASK = 'com.docker.swarm.task.name';
const ONE_OFF = 'com.docker.compose.oneoff';
const DEPENDS_ON = 'com.docker.compose.depends_on';
const FILES = 'com.docker.compose.project.config_files';
const WORKING_DIR = 'com.docker.compose.project.working_dir';
const ENVIRONMENT_FILES = 'com.docker.compose.project.environment_file';

/** Limits of what is read from one label. */
const MOST_DEPENDENCIES = 100;
/** The most compose files of a project that are read. */
export const MOST_FILES = 50;
const LONGEST_LABEL = 20_000;

type Labelled = Pick<Container, 'labels' | 'pod'>;

/** Returns the compose project, swarm stack, or pod of a container; undefined if it belongs to none. */
export function projectOf({ labels, pod }: Labelled): string | undefined {
  // Ignore a project whose name has no visible characters: its row would have no label.
  return [labels[PROJECT], labels[STACK], pod?.name].find((name = '') => oneLine(name) !== '');
}

/** Whether a container belongs to a swarm stack, which replaces it when it ends. */
export function isOfStack({ labels }: Labelled): boolean {
  return oneLine(labels[PROJECT] ?? '') === '' && oneLine(labels[STACK] ?? '') !== '';
}

/** Whether a container belongs to a pod of Podman, and to no compose project. */
export function isOfPod(container: Labelled): boolean {
  const { labels, pod } = container;
  return pod !== undefined && oneLine(labels[PROJECT] ?? '') === '' && !isOfStack(container);
}

/** Whether a container was created by `docker compose run`. */
export function isOneOff({ labels }: Labelled): boolean {
  return /^true$/i.test(labels[ONE_OFF] ?? '');
}

/** Returns the service of a container; undefined for a one-off container (`docker compose run`). */
export function serviceOf(container: Labelled): string | undefined {
  if (isOneOff(container)) return undefined;
  const { labels } = container;
  const service = oneLine(labels[SERVICE] ?? '') || swarmService(labels);
  return service === '' ? undefined : service;
}

/** Whether a container belongs to a service of a compose project, which Compose can work on. */
export function isOfComposeService(container: Labelled): boolean {
  const isCompose = oneLine(container.labels[PROJECT] ?? '') !== '';
  return isCompose && serviceOf(container) !== undefined;
}

/** Returns the swarm service of a container, which replaces it when it ends. */
export function swarmServiceOf({ labels }: Labelled): string | undefined {
  return labels[SWARM_SERVICE];
}

/** A stack puts its name before the name of the service. */
function swarmService(labels: Container['labels']): string {
  const [name, stack] = [labels[SWARM_SERVICE] ?? '', labels[STACK] ?? ''];
  const isPrefixed = stack !== '' && name.startsWith(`${stack}_`);
  return oneLine(isPrefixed ? name.slice(stack.length + 1) : name);
}

/** Returns the container's number among the replicas of its service. */
export function numberOf({ labels }: Labelled): string | undefined {
  // A task is named `service.number.id`.
  const [, ofTask] = /\.(\d{1,9})\.[^.]*$/.exec((labels[SWARM_TASK] ?? '').slice(-100)) ?? [];
  const number = labels[NUMBER] ?? ofTask ?? '';
  return /^\d{1,9}$/.test(number) ? number : undefined;
}

/** What must have happened to a service before the dependent one is started. */
export interface Dependency {
  readonly service: string;
  readonly condition: DependencyCondition;
  /** Whether a restart of that service restarts the dependent one. */
  readonly restarts: boolean;
}

export type DependencyCondition = 'started' | 'healthy' | 'completed';

const CONDITIONS: ReadonlyMap<string, DependencyCondition> = new Map([
  ['service_started', 'started'],
  ['service_healthy', 'healthy'],
  ['service_completed_successfully', 'completed'],
]);

/**
 * Returns the dependencies of a container's service, from `service:condition:restart,…`. A condition that is
 * not known counts as `service_started`.
 */
export function dependenciesOf({ labels }: Labelled): readonly Dependency[] {
  const all = partsOf(labels[DEPENDS_ON], MOST_DEPENDENCIES).flatMap((part): Dependency[] => {
    const [name = '', condition = '', restart = ''] = part.split(':');
    const service = oneLine(name);
    if (service === '') return [];
    const known = CONDITIONS.get(condition.trim()) ?? 'started';
    return [{ service, condition: known, restarts: restart.trim() === 'true' }];
  });
  return [...new Map(all.map((one) => [one.service, one])).values()];
}

/** Returns the compose files of a container's project, each overriding those before, and its folder. */
export function filesOf(container: Labelled): {
  readonly files: readonly string[];
  readonly workingDir?: string;
} {
  const workingDir = workingDirOf(container);
  return { files: pathsOf(container, FILES), ...(workingDir !== '' && { workingDir }) };
}

function workingDirOf({ labels }: Labelled): string {
  return oneLine(labels[WORKING_DIR] ?? '', LONGEST_LABEL);
}

/** Old versions of Compose, and podman-compose, write paths relative to the folder of the project. */
function pathsOf(container: Labelled, label: string): readonly string[] {
  const folder = workingDirOf(container);
  // In WSL, of a project that was started in Windows.
  const system = /^[A-Za-z]:/.test(folder) ? path.win32 : path;
  return partsOf(container.labels[label], MOST_FILES).map((part) => {
    const file = oneLine(part, LONGEST_LABEL);
    const isRelative = system.isAbsolute(folder) && !system.isAbsolute(file);
    return isRelative ? system.join(folder, file) : file;
  });
}

function partsOf(label = '', most: number): readonly string[] {
  const parts = label.slice(0, LONGEST_LABEL).split(',', most);
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** Returns the project of a volume or a network, and its name in the compose file, as far as compose created it. */
export function composeNameOf(
  labels: Readonly<Record<string, string>>,
  kind: 'volume' | 'network',
): { readonly project?: string; readonly name?: string } {
  const [project, name] = [labels[PROJECT] ?? '', labels[`com.docker.compose.${kind}`] ?? ''];
  return oneLine(project) === '' || oneLine(name) === '' ? {} : { project, name };
}

/** Returns the files with the variables of a project, which its containers were created with. */
export function environmentFilesOf(containers: readonly Labelled[]): readonly string[] {
  const first = containers.find(({ labels }) => labels[ENVIRONMENT_FILES]);
  return first ? pathsOf(first, ENVIRONMENT_FILES) : [];
}
