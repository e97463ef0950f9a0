/** The types shared by all parts: containers, images, events and logs, normalized and readonly. */

/** The state of a container. `unknown`: a state that this version does not know. */
export type ContainerState =
  | 'created'
  | 'running'
  | 'paused'
  | 'restarting'
  | 'removing'
  | 'exited'
  | 'dead'
  | 'unknown';

/** The result of the health check. Absent if there is none. */
export type Health = 'starting' | 'healthy' | 'unhealthy';

/** A port of a container; `publicPort` is set if it is published on the host. */
export interface Port {
  readonly ip?: string;
  readonly privatePort: number;
  readonly publicPort?: number;
  readonly protocol: string;
}

export interface ContainerMount {
  /** `volume`, `bind`, `tmpfs`, or another type of the engine. */
  readonly type: string;
  /** The name of the volume, if it is one. */
  readonly volume?: string;
  /** The path on the engine's machine, if it is a bind mount. */
  readonly source?: string;
  /** Where it is in the container. */
  readonly path: string;
  readonly isReadOnly: boolean;
}

export interface ContainerNetwork {
  readonly name: string;
  /** As the engine reports it: the network's ID, its name (Podman 4), or empty before the first start. */
  readonly networkId: string;
  /** The addresses; only while the container is up. */
  readonly ip?: string;
  readonly ip6?: string;
}

/** A container of the list. Plain JSON data. */
export interface Container {
  /** 64 hexadecimal digits. */
  readonly id: string;
  /** The first of `names`, or the short ID if there is none. */
  readonly name: string;
  /** Without the leading slash. */
  readonly names: readonly string[];
  /** The image reference as given when the container was created. */
  readonly image: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly imageId: string;
  readonly state: ContainerState;
  /** The English text of the engine, for example `Up 5 minutes`. */
  readonly status: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Without duplicates, sorted by private port. */
  readonly ports: readonly Port[];
  readonly labels: Readonly<Record<string, string>>;
  /** The command as one string. */
  readonly command: string;
  /** Sorted by path. */
  readonly mounts: readonly ContainerMount[];
  /** Sorted by name. */
  readonly networks: readonly ContainerNetwork[];
  /** Numbers of entries that the engine reports besides those above; missing if these are all. */
  readonly omitted?: OmittedEntries;
  readonly health?: Health;
  /** Exit code of the last run, if it has exited. */
  readonly exitCode?: number;
  /** Its pod; only of Podman, and only if the pods were listed, too. */
  readonly pod?: ContainerPod;
}

/** Numbers of ports, mounts, and networks of a container that are not read. */
interface OmittedEntries {
  readonly ports: number;
  readonly mounts: number;
  readonly networks: number;
}

/** The pod that a container of Podman belongs to. */
export interface ContainerPod {
  readonly name: string;
  /** Whether it is the container that holds the pod together. It is removed only with the pod. */
  readonly isInfra: boolean;
}

/** The exit code after SIGKILL: by a user, or by the out-of-memory killer. */
export const KILLED = 137;

/** Whether a container is up: running, paused or about to restart. It holds its ports and memory. */
export function isUp({ state }: Container): boolean {
  return state === 'running' || state === 'paused' || state === 'restarting';
}

/** Whether a container has a process: running or paused. One that is about to restart has none. */
export function hasProcess({ state }: Pick<Container, 'state'>): boolean {
  return state === 'running' || state === 'paused';
}

/** Whether a container needs attention: its health check fails, or it restarts again and again. */
export function isTroubled({ state, health }: Container): boolean {
  return state === 'restarting' || (state === 'running' && health === 'unhealthy');
}

/**
 * Whether a container is changing its state. The change may come without an event: Docker sends none if a
 * container is killed between two runs, or if a removal fails.
 */
export function isPassing({ state }: Container): boolean {
  return state === 'restarting' || state === 'removing';
}

/** An image of the list. Plain JSON data. */
export interface Image {
  /** `sha256:` and 64 hexadecimal digits, on every engine. */
  readonly id: string;
  /** The parent image, if the engine reports it. */
  readonly parentId?: string;
  /** `repository:tag`; empty for an untagged image. */
  readonly tags: readonly string[];
  /** `repository@sha256:…`. */
  readonly digests: readonly string[];
  /** ISO 8601. */
  readonly createdAt: string;
  /** In bytes. */
  readonly size: number;
  /** The number of containers that use it, if the engine counts them. */
  readonly containers?: number;
}

/** A volume of the list. Plain JSON data. */
export interface Volume {
  readonly name: string;
  readonly driver: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The options of the driver. Podman adds some to those that the volume was created with. */
  readonly options: Readonly<Record<string, string>>;
  /** ISO 8601; empty if unknown. */
  readonly createdAt: string;
}

/** Whether a volume was created without a name. Docker 23 and newer also set a label. */
export function isAnonymousVolume({ name, labels }: Pick<Volume, 'name' | 'labels'>): boolean {
  return /^[0-9a-f]{64}$/.test(name) || Object.hasOwn(labels, 'com.docker.volume.anonymous');
}

/** A network of the list. Plain JSON data. */
export interface Network {
  /** 64 hexadecimal digits. Two networks can have the same name. */
  readonly id: string;
  readonly name: string;
  readonly driver: string;
  readonly subnets: readonly Subnet[];
  /** Whether it has no way out to other networks. */
  readonly isInternal: boolean;
  readonly isIpv6: boolean;
  /** Whether it is the routing mesh of a swarm, which no container is on. */
  readonly isIngress?: true;
  readonly labels: Readonly<Record<string, string>>;
  /** ISO 8601; empty if unknown. */
  readonly createdAt: string;
}

/** The ID of Podman's default network, in every version: the SHA-256 of its name. */
export const PODMAN_DEFAULT_ID = '2f259bab93aaaaa2542ba43ef33eb990d0999ee1b9924b557b7be53c0b7a1bb9';

/** For the network of a container, Podman 4 reports the name instead of the ID. */
const PREDEFINED_IDS: ReadonlySet<string> = new Set([PODMAN_DEFAULT_ID, 'podman']);

/** The names of the networks that every Docker engine has. */
export const PREDEFINED_NETWORKS: readonly string[] = ['bridge', 'host', 'none'];

/** Whether it is a network of the engine itself, which cannot be removed. */
export function isPredefinedNetwork({ id, name }: Pick<Network, 'id' | 'name'>): boolean {
  return PREDEFINED_NETWORKS.includes(name) || PREDEFINED_IDS.has(id);
}

/** An address range of a network, in CIDR notation. */
export interface Subnet {
  readonly subnet: string;
  readonly gateway?: string;
}

/** A hint that something has changed. The state is not derived from the event, but requested by its ID. */
export interface EngineEvent {
  readonly type: string;
  /** The first word of the action: `health_status` for `health_status: healthy`. */
  readonly action: string;
  readonly id: string;
  /** The ID of the container; only if a network was connected or disconnected. */
  readonly container?: string;
  /** The result of a health check; only for `health_status`, if the engine reports it. */
  readonly health?: Health;
  /** When it happened by the clock of the engine, in milliseconds since 1970, if reported. */
  readonly at?: number;
  /** Of the run that ended; only for `die`, if the engine reports it. */
  readonly exitCode?: number;
  /** A number or a name; only for `kill`, if the engine reports it. */
  readonly signal?: string;
}

/** The output of a container that a line comes from. A container with a TTY has only `stdout`. */
export type LogSource = 'stdout' | 'stderr';

/** One complete line of a container's output. */
export interface LogLine {
  readonly source: LogSource;
  /** RFC 3339 as sent by the engine; empty if no timestamps were requested. */
  readonly timestamp: string;
  /** Without its line end. Not cleaned: may contain escape sequences. */
  readonly text: string;
}

export interface PullStep {
  /** The layer ID, or the tag in the first record. */
  readonly id?: string;
  /** The text of the engine, for example `Downloading`. */
  readonly status: string;
  /** Completed and total bytes, if the engine counts them. */
  readonly current?: number;
  readonly total?: number;
}

/** The engine at an endpoint. */
export interface EngineInfo {
  readonly product: 'docker' | 'podman' | 'unknown';
  /** The version of the product, if reported. */
  readonly version?: string;
  /** The newest API version that the engine supports, for example `1.41`. */
  readonly engineApi: string;
  /** The API version that we use with it. */
  readonly api: string;
}
