/** The nouns that cross rooms: what an engine has and says, in our spelling, readonly. */

/** Where a container is in its life. `unknown` stands for a state this version has not heard of. */
export type ContainerState =
  'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead' | 'unknown';

/** What a container's own health check says. Absent where there is none. */
export type Health = 'starting' | 'healthy' | 'unhealthy';

/** A port of a container; `publicPort` is set where it is published on the engine's machine. */
export interface Port {
  readonly ip?: string;
  readonly privatePort: number;
  readonly publicPort?: number;
  readonly protocol: string;
}

/** A container as the list tells it. Plain JSON data. */
export interface Container {
  /** 64 hexadecimal digits. */
  readonly id: string;
  /** The first of `names`, or the short id where the engine gives none. */
  readonly name: string;
  /** Without the leading slash. */
  readonly names: readonly string[];
  /** The reference it was created from, as it was written then. */
  readonly image: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly imageId: string;
  readonly state: ContainerState;
  /** The engine's own English sentence, for example `Up 5 minutes`. */
  readonly status: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Without doubles, sorted by private port. */
  readonly ports: readonly Port[];
  readonly labels: Readonly<Record<string, string>>;
  /** The command line as one string. */
  readonly command: string;
  readonly health?: Health;
  /** Of the last run, where it has ended. */
  readonly exitCode?: number;
}

/** Whether a container is up: running, paused or about to run again. It holds its ports and memory. */
export function isUp({ state }: Container): boolean {
  return state === 'running' || state === 'paused' || state === 'restarting';
}

/** Whether a user has to look at it: its health check fails, or it restarts again and again. */
export function isTroubled({ state, health }: Container): boolean {
  return state === 'restarting' || (state === 'running' && health === 'unhealthy');
}

/**
 * Whether a container is on its way to another state. It may get there without an event: Docker tells nothing of a
 * container that is killed between two runs, and nothing of a removal that fails.
 */
export function isPassing({ state }: Container): boolean {
  return state === 'restarting' || state === 'removing';
}

/** An image as the list tells it. Plain JSON data. */
export interface Image {
  /** `sha256:` and 64 hexadecimal digits, on every engine. */
  readonly id: string;
  /** The image this one was made from, where the engine tells. */
  readonly parentId?: string;
  /** `repository:tag`; empty for an untagged image. */
  readonly tags: readonly string[];
  /** `repository@sha256:…`. */
  readonly digests: readonly string[];
  /** ISO 8601. */
  readonly createdAt: string;
  /** Bytes. */
  readonly size: number;
  /** How many containers use it, where the engine counts them. */
  readonly containers?: number;
}

/** A hint that something changed. No state is guessed from it: its id is asked for anew. */
export interface EngineEvent {
  readonly type: string;
  /** The first word: `health_status: healthy` is `health_status`. */
  readonly action: string;
  readonly id: string;
  /** What a health check has found; only of `health_status`, where the engine tells. */
  readonly health?: Health;
}

/** Which of a container's two outputs a line came from. A container with a terminal has only `stdout`. */
export type LogSource = 'stdout' | 'stderr';

/** One whole line a container wrote. */
export interface LogLine {
  readonly source: LogSource;
  /** The engine's own spelling of the moment, RFC 3339; empty where none was asked for. */
  readonly timestamp: string;
  /** Without its line end. Not cleaned: it may hold escape sequences. */
  readonly text: string;
}

/** One record of a pull. */
export interface PullStep {
  /** The layer, or the tag in the first record. */
  readonly id?: string;
  /** The engine's own words, for example `Downloading`. */
  readonly status: string;
  /** Bytes done and in all, where the engine counts them. */
  readonly current?: number;
  readonly total?: number;
}

/** What answers at an endpoint. */
export interface EngineInfo {
  readonly product: 'docker' | 'podman' | 'unknown';
  /** The product's own version, where it tells. */
  readonly version?: string;
  /** The newest API version the engine speaks, for example `1.41`. */
  readonly engineApi: string;
  /** The API version we speak with it. */
  readonly api: string;
}
