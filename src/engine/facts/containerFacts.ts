import type { ContainerState, Health } from '../model.ts';

/** What is known of a container after one inspect. All texts are bounded; secrets are masked. */
export interface ContainerFacts {
  readonly id: string;
  readonly name: string;
  readonly state: ContainerState;
  /** Result of the health check, if there is one. */
  readonly health?: Health;
  /** The failed health checks in a row. */
  readonly failingStreak: number;
  /** Oldest first. */
  readonly probes: readonly Probe[];
  /** ISO 8601, as the two below; empty if it has not happened. */
  readonly createdAt: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  /** Of the last run, if it has ended. */
  readonly exitCode?: number;
  /** The signal that the exit code represents: `SIGKILL`. */
  readonly signal?: string;
  /** Whether the last run was killed for lack of memory; while it runs, whether a process in it was. */
  readonly oomKilled: boolean;
  /** Why the engine could not start it, in its words; empty without a failure. */
  readonly error: string;
  readonly restartCount: number;
  /** `on-failure:3`; empty for none. */
  readonly restartPolicy: string;
  /** The ID of its main process on the host, while it runs. */
  readonly hostPid?: number;
  readonly image: string;
  readonly imageId: string;
  /** The entrypoint and its arguments. */
  readonly command: string;
  readonly healthcheck: string;
  readonly workingDir: string;
  readonly user: string;
  readonly hostname: string;
  /** What was set when it was created, and is not the default of the image; unknown without the image. */
  readonly differences?: readonly Difference[];
  readonly ports: readonly PortFacts[];
  readonly mounts: readonly MountFacts[];
  readonly networks: readonly NetworkConnection[];
  readonly environment: readonly VariableFacts[];
  readonly limits: readonly LimitFacts[];
  readonly labels: readonly NamedValue[];
}

/** One run of a health check. */
export interface Probe {
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs?: number;
  readonly exitCode: number;
  /** Several lines, without control characters. */
  readonly output: string;
}

/** A name and its value, which is a mask if it may be a secret. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
  readonly isSecret?: true;
}

export interface VariableFacts extends NamedValue {
  /** Whether the image sets it to this value; undefined without the image. */
  readonly isOfImage?: boolean;
}

/** A field that differs from its default in the image. */
export interface Difference {
  readonly what: DifferenceName;
  /** Empty if the image has none. */
  readonly before: string;
  readonly after: string;
}

export type DifferenceName =
  | 'entrypoint'
  | 'cmd'
  | 'user'
  | 'workingDir'
  | 'env'
  | 'ports'
  | 'labels'
  | 'healthcheck'
  | 'stopSignal';

export interface PortFacts {
  readonly port: number;
  readonly protocol: string;
  /** Where it is published on the host; none if it is only exposed. */
  readonly published: readonly { readonly ip: string; readonly port: number }[];
}

export interface MountFacts {
  readonly type: string;
  /** Path in the container. */
  readonly target: string;
  /** The name of the volume, or the path on the host; empty for tmpfs. */
  readonly source: string;
  readonly isReadOnly: boolean;
  /** The folder of the workspace that the source is in, if it is known to be in one. */
  readonly workspaceFolder?: string;
}

/** The connection of a container to a network. */
export interface NetworkConnection {
  readonly name: string;
  readonly networkId: string;
  readonly ip?: string;
  readonly ip6?: string;
  readonly gateway?: string;
  readonly mac?: string;
  /** Names under which others on the network reach it. */
  readonly aliases: readonly string[];
}

export interface LimitFacts {
  readonly what: LimitName;
  readonly value: number;
}

/** Sizes are in bytes. */
export type LimitName =
  | 'memory'
  | 'memoryReservation'
  | 'memorySwap'
  | 'shmSize'
  | 'cpus'
  | 'cpuShares'
  | 'pids';
