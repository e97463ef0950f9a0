import * as path from 'node:path';
import type { Container } from '../engine/model.ts';
import { oneLine } from '../base/plainText.ts';

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
export const CONFIG_HASH = 'com.docker.compose.config-hash';
const HOOK = 'com.docker.compose.hook';
/** The label that podman-compose puts on its containers, instead of a hash of Compose. */
const PODMAN_PROJECT = 'io.podman.compose.project';

/** Limits of what is read from one label. */
const MOST_DEPENDENCIES = 100;
/** The most compose files of a project that are read. */
export const MOST_FILES = 50;
const LONGEST_LABEL = 20_000;

type Labelled = Pick<Container, 'labels' | 'pod'>;

/** Returns the compose project, swarm stack, or pod of a container; undefined if it belongs to none. */
export function projectOf(container: Labelled): string | undefined {
  const { labels, pod } = container;
  return composeProjectOf(container) ?? [labels[STACK], pod?.name].find(isVisible);
}

/**
 * Returns the project of a container that Compose or podman-compose created. The name of a project proves nothing: an
 * image that Compose built has it, too, and every container of that image. Compose itself looks for a hash as well.
 */
function composeProjectOf({ labels }: Labelled): string | undefined {
  const isTheirs = MARKS.some((mark) => (labels[mark] ?? '') !== '');
  return isTheirs && isVisible(labels[PROJECT]) ? labels[PROJECT] : undefined;
}

/**
 * Only containers have one of these. A one-off container of docker-compose 1 has no hash, and that of a hook neither.
 */
const MARKS: readonly string[] = [CONFIG_HASH, ONE_OFF, HOOK, PODMAN_PROJECT];

/** A row whose name has no visible characters would have no label. */
function isVisible(name: string | undefined): name is string {
  return name !== undefined && oneLine(name) !== '';
}

/** Whether a container belongs to a swarm stack, which replaces it when it ends. */
export function isOfStack(container: Labelled): boolean {
  return composeProjectOf(container) === undefined && isVisible(container.labels[STACK]);
}

/** Whether a container belongs to a pod of Podman, and to no compose project. */
export function isOfPod(container: Labelled): boolean {
  const isOther = composeProjectOf(container) !== undefined || isOfStack(container);
  return container.pod !== undefined && !isOther;
}

/** Whether a container is none of a service's replicas: `docker compose run` or a hook of a service created it. */
export function isOneOff(container: Labelled): boolean {
  const isRun = /^true$/i.test(container.labels[ONE_OFF] ?? '');
  return composeProjectOf(container) !== undefined && (isRun || hookOf(container) !== undefined);
}

/** Returns which hook of which service created a container: `pre_start` of `web`. Compose removes it if it succeeds. */
export function hookOf(container: Labelled): ServiceHook | undefined {
  const { [HOOK]: kind, [SERVICE]: service = '' } = container.labels;
  return isVisible(kind) && composeProjectOf(container) !== undefined
    ? { kind, service }
    : undefined;
}

/** A hook of a service, in the words of the compose file. */
interface ServiceHook {
  readonly kind: string;
  readonly service: string;
}

/** Returns the service of a container; undefined for a one-off container (`docker compose run`) and that of a hook. */
export function serviceOf(container: Labelled): string | undefined {
  const { labels } = container;
  const isCompose = composeProjectOf(container) !== undefined;
  const own = isCompose && !isOneOff(container) ? labels[SERVICE] : undefined;
  const service = isCompose ? own : swarmService(labels);
  return isVisible(service) ? service : undefined;
}

/** Whether a container belongs to a service of a compose project, which Compose can work on. */
export function isOfComposeService(container: Labelled): boolean {
  return composeProjectOf(container) !== undefined && serviceOf(container) !== undefined;
}

/** Returns the swarm service of a container, which replaces it when it ends. */
export function swarmServiceOf({ labels }: Labelled): string | undefined {
  return labels[SWARM_SERVICE];
}

/** A stack puts its name before the name of the service. */
function swarmService(labels: Container['labels']): string {
  const name = labels[SWARM_SERVICE] ?? '';
  const stack = labels[STACK] ?? '';
  const isPrefixed = stack !== '' && name.startsWith(`${stack}_`);
  return isPrefixed ? name.slice(stack.length + 1) : name;
}

/** Returns the container's number among the replicas of its service. */
export function numberOf({ labels }: Labelled): string | undefined {
  // A task is named `service.number.id`.
  const [, ofTask] = /\.(\d{1,9})\.[^.]*$/.exec((labels[SWARM_TASK] ?? '').slice(-100)) ?? [];
  const number = labels[NUMBER] ?? ofTask ?? '';
  return /^\d{1,9}$/.test(number) ? number : undefined;
}

/** Condition of a service before the dependent one is started. */
export interface Dependency {
  readonly service: string;
  readonly condition: DependencyCondition;
  /** Whether a restart of that service restarts the dependent one. */
  readonly restarts: boolean;
}

type DependencyCondition = 'started' | 'healthy' | 'completed';

const CONDITIONS: ReadonlyMap<string, DependencyCondition> = new Map([
  ['service_started', 'started'],
  ['service_healthy', 'healthy'],
  ['service_completed_successfully', 'completed'],
]);

/**
 * Returns the dependencies of a container's service, from `service:condition:restart,…`. A condition that is
 * not known counts as `service_started`.
 */
export function dependenciesOf(container: Labelled): readonly Dependency[] {
  const label =
    composeProjectOf(container) === undefined ? '' : (container.labels[DEPENDS_ON] ?? '');
  const text = label.slice(0, LONGEST_LABEL);
  // A name that the limit cuts is another name.
  const whole = text === label ? text : text.slice(0, Math.max(text.lastIndexOf(','), 0));
  const all = whole.split(',', MOST_DEPENDENCIES).flatMap((part): Dependency[] => {
    const [service = '', condition = '', restart = ''] = part.trimStart().split(':');
    if (!isVisible(service)) return [];
    const known = CONDITIONS.get(condition.trim()) ?? 'started';
    return [{ service, condition: known, restarts: restart.trim() === 'true' }];
  });
  return [...new Map(all.map((one) => [one.service, one])).values()];
}

/**
 * Returns the compose files of a container's project, each overriding those before, and its folder. The paths are as
 * Compose wrote them: not for display.
 */
export function filesOf(container: Labelled): {
  readonly files: readonly string[];
  readonly workingDir?: string;
} {
  const workingDir = workingDirOf(container);
  return { files: pathsOf(container, FILES), ...(workingDir !== '' && { workingDir }) };
}

/** Whether a file is one of the compose files of a container's project. */
export function isOfFile(container: Labelled, file: string): boolean {
  const isNamed = (container.labels[FILES] ?? '').includes(file);
  return isNamed && pathsOf(container, FILES).includes(file);
}

function workingDirOf({ labels: { [WORKING_DIR]: folder = '' } }: Labelled): string {
  return isPath(folder) ? folder : '';
}

/** No file has a name with a NUL, and what a limit cuts is another path. */
function isPath(text: string): boolean {
  return isVisible(text) && text.length <= LONGEST_LABEL && !text.includes('\0');
}

/** Old versions of Compose, and podman-compose, write paths relative to the folder of the project. */
function pathsOf(container: Labelled, label: string): readonly string[] {
  const folder = workingDirOf(container);
  // In WSL, of a project that was started in Windows.
  const system = /^[A-Za-z]:/.test(folder) ? path.win32 : path;
  const text = container.labels[label] ?? '';
  const files = isPath(text) ? splitPaths(text, folder) : [];
  // The first ones alone would be another project.
  if (files.length > MOST_FILES) return [];
  return files.map((file) => {
    const isRelative = system.isAbsolute(folder) && !system.isAbsolute(file);
    return isRelative ? system.join(folder, file) : file;
  });
}

/**
 * Splits paths at the commas between them, although nothing tells these from commas in a path: not in the folder of
 * the project, and otherwise only after the extension of a file, or before an absolute path.
 */
function splitPaths(text: string, folder: string): readonly string[] {
  const paths: string[] = [];
  const inFolder = (at: number): number => (text.startsWith(folder, at) ? at + folder.length : at);
  let start = 0;
  for (let at = inFolder(0); start <= text.length;) {
    const comma = text.indexOf(',', at);
    const end = comma < 0 ? text.length : comma;
    const isEnd = comma < 0 || isSeparator(text.slice(start, end), text.slice(end + 1, end + 4));
    at = end + 1;
    if (!isEnd) continue;
    if (end > start) paths.push(text.slice(start, end));
    start = at;
    at = inFolder(start);
  }
  return paths;
}

function isSeparator(before: string, next: string): boolean {
  const end = before.slice(-40).toLowerCase();
  const isFile = /\.(?:ya?ml|json)$/.test(end) || end.includes('.env');
  return isFile || next === '' || /^(?:[/\\]|[A-Za-z]:[/\\])/.test(next);
}

/** Returns the project of a volume or a network, and its name in the compose file, as far as compose created it. */
export function composeNameOf(
  labels: Readonly<Record<string, string>>,
  kind: 'volume' | 'network',
): { readonly project?: string; readonly name?: string } {
  const project = labels[PROJECT] ?? '';
  const name = labels[`com.docker.compose.${kind}`] ?? '';
  return isVisible(project) && isVisible(name) ? { project, name } : {};
}

/** Returns the labels by which Compose knows a volume as that of a project. Without a hash, it compares nothing else. */
export function volumeLabels(project: string, key: string): Readonly<Record<string, string>> {
  return { [PROJECT]: project, 'com.docker.compose.volume': key };
}

/** Returns the files with the variables of a project, which its containers were created with. */
export function environmentFilesOf(containers: readonly Labelled[]): readonly string[] {
  const first = containers.find(({ labels }) => labels[ENVIRONMENT_FILES]);
  return first ? pathsOf(first, ENVIRONMENT_FILES) : [];
}

/**
 * Returns which of these services of the compose files have no container, except for those of hooks and of single runs.
 */
export function uncreatedServices(
  containers: Iterable<Container>,
  expected: Iterable<string>,
): readonly string[] {
  const own = [...containers].filter((one) => !isOneOff(one) && !hookOf(one));
  const present = new Set(own.map(serviceOf));
  return [...expected].filter((service) => !present.has(service));
}

/** Returns the services that others depend on and that have no container: not created, or not by the engine. */
export function missingServices(containers: Iterable<Container>): readonly string[] {
  const all = [...containers];
  const present = new Set(all.map(serviceOf));
  const wanted = all.flatMap(dependenciesOf).map(({ service }) => service);
  return [...new Set(wanted)].filter((service) => !present.has(service)).sort();
}

/**
 * Returns the containers of a project that are to be up: without those of hooks, those of `docker compose run` that
 * have ended, and jobs that have succeeded, which others wait for. If there are no others, all of them count.
 */
export function withoutFinished<Member extends { readonly container: Container }>(
  members: readonly Member[],
): readonly Member[] {
  const jobs = new Set(
    members
      .flatMap(({ container }) => dependenciesOf(container))
      .filter(({ condition }) => condition === 'completed')
      .map(({ service }) => service),
  );
  const isFinished = ({ container }: Member): boolean => {
    const hasEnded = container.state === 'exited';
    const isJob = container.exitCode === 0 && jobs.has(serviceOf(container) ?? '');
    // A hook is never to be up: it delays the start of its service.
    return hookOf(container) !== undefined || (hasEnded && (isJob || isOneOff(container)));
  };
  const others = members.filter((one) => !isFinished(one));
  return others.length === 0 ? members : others;
}
